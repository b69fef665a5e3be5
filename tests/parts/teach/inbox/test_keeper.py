from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.eventually import eventually
from tests.frames import frame, picture, prediction
from tests.parts.teach.inbox.entries import JPEG, entry, looks
from vitcam.config.settings import Settings
from vitcam.errors import UsageError
from vitcam.frames import Detail, Group, Guess, ModelIdentity, Prediction
from vitcam.parts.teach.datasets.store import DataSets
from vitcam.parts.teach.inbox.answers import InboxAnswers
from vitcam.parts.teach.inbox.keeper import InboxKeeper, doubt_of
from vitcam.parts.teach.inbox.store import Inbox, InboxLimits
from vitcam.parts.teach.settings import InboxSettings
from vitcam.pictures.decode import decode_image
from vitcam.rects import Rect

SECOND = 1_000_000_000
BOX = Rect(100, 30, 32, 32)


class Scene:
    """A camera that gives two frames a second, and a model whose embeddings say what is to be seen."""

    def __init__(self, folder: Path, **parts: Any) -> None:
        answers = InboxAnswers(Inbox(folder, InboxLimits(50, 10.0)), DataSets(folder, 10.0))
        self.keeper = InboxKeeper(answers, lambda: "a", **parts)
        self.inbox, self.ns = answers.inbox, SECOND

    def see(self, *things: int, p: float = 0.4, **fields: Any) -> None:
        """The model is unsure of these things."""
        for thing in things:
            self.ns += SECOND // 2
            said = replace(prediction("cup", p, self.ns, bowl=0.35), embedding=looks(*[0.0] * thing, 1.0), **fields)
            if "track" in fields:
                said = replace(said, crop=BOX)
            detail = Detail(BOX, np.zeros((96, 96, 3), np.uint8))
            seen = replace(frame(image=picture(90, 160)), captured_ns=self.ns, details=(detail,))
            self.keeper.saw(seen, said, ())
            eventually(lambda: self.keeper._waiting is None)

    @property
    def kept(self) -> int:
        return len(self.inbox.entries())


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.keeper.close(())
    assert made.keeper.worker.join(10)


def unsure(**fields: Any) -> Prediction:
    return replace(prediction("cup", 0.4, bowl=0.35), **fields)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (prediction("cup", 0.9), None),
        (prediction("cup", 0.55, bowl=0.4), "unsure"),
        (unsure(), "unsure"),
        (unsure(groups=(Group("tableware", 0.8),)), None),
        (unsure(groups=(Group("tableware", 0.6),)), "unsure"),
        (unsure(blank=True, known=False), None),
        (unsure(unfamiliar=True, known=False, familiarity=0.2), "unknown"),
        (unsure(top=(Guess("cup", 1.0),)), None),
    ],
)
def test_a_person_is_asked_where_the_model_is_unsure_or_has_no_word(said: Prediction, why: str | None) -> None:
    found, doubt = doubt_of(said)

    assert found == why
    assert (doubt > 0.5) == (why is not None)


def test_what_is_seen_with_doubt_for_a_while_is_kept_once_with_what_the_model_saw(scene: Scene) -> None:
    scene.see(0, 0, 0, 0, 1, 1)
    found = scene.inbox.entries()

    assert [each.top[0].label for each in found] == ["cup", "cup"]
    assert decode_image(scene.inbox.picture(found[0].id)).shape == (72, 72, 3)


def test_what_only_passes_by_and_what_is_sure_is_not_kept(scene: Scene) -> None:
    for thing in range(4):
        scene.see(thing)
        scene.see(thing, p=0.9)

    assert scene.kept == 0


def test_while_something_is_followed_its_box_is_kept_and_not_the_view_around_it(scene: Scene) -> None:
    scene.see(0, 0, 0, track=7, at_rest=True)
    at_rest = scene.kept
    for _ in range(4):
        scene.see(1, track=7)
        scene.see(2)
    (found,) = scene.inbox.entries()

    assert at_rest == 0
    assert decode_image(scene.inbox.picture(found.id)).shape == (96, 96, 3)


def test_what_was_answered_is_not_asked_about_again(scene: Scene) -> None:
    scene.see(0, 0, 0)
    scene.keeper.answers.throw_away(scene.inbox.entries()[0].id)
    scene.see(0, 0, 0)

    assert scene.kept == 0


def test_another_model_is_asked_about_what_waits_and_what_it_is_sure_of_comes_last(tmp_path: Path) -> None:
    asked = list[bytes]()

    def ask(jpeg: bytes) -> Prediction:
        asked.append(jpeg)
        return prediction("mug", 0.9 if len(asked) == 2 else 0.4, bowl=0.35)

    scene = Scene(tmp_path, ask=ask)
    scene.inbox.add(entry(7, why="corrected", label="Mia", model="one"), JPEG)
    scene.see(0, 0, 0, 1, 1, 1, model=ModelIdentity("one", "1"))
    eventually(lambda: scene.keeper._asked_model.name == "one")
    before = len(asked)
    scene.see(2, p=0.9, model=ModelIdentity("two", "2"))
    eventually(lambda: scene.keeper._asked_model.name == "two", 10)
    found = scene.inbox.entries()
    scene.keeper.close(())

    assert (before, len(asked)) == (0, 3)
    assert {each.model for each in found} == {"two"}
    assert [each.top[0].label for each in found] == ["mug"] * 3
    assert (found[0].label, found[0].doubt) == ("Mia", 0.8)
    assert sorted(each.doubt for each in found[1:]) == pytest.approx([0.0, 0.95])


def test_a_damaged_picture_keeps_no_other_one_from_being_asked_about(tmp_path: Path) -> None:
    def ask(jpeg: bytes) -> Prediction:
        if jpeg == JPEG + b"damaged":
            raise UsageError("this is no picture")
        return prediction("mug", 0.4, bowl=0.35)

    scene = Scene(tmp_path, ask=ask)
    for number in range(3):
        scene.inbox.add(entry(number, model="one"), JPEG + b"damaged" * (number == 0))
    scene.see(7, p=0.9, model=ModelIdentity("two", "2"))
    assert eventually(lambda: scene.keeper._asked_model.name == "two", 10)
    found = [each.model for each in scene.inbox.entries()]
    scene.keeper.close(())

    assert sorted(found) == ["one", "two", "two"]


def test_fewer_pictures_wait_as_soon_as_fewer_may(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    for number in range(6):
        scene.inbox.add(entry(number), JPEG)
    scene.keeper.apply(Settings().with_section("inbox", InboxSettings(pictures=2, max_mb=8.0)))

    assert eventually(lambda: scene.kept == 2, 10)
    scene.keeper.close(())


def test_what_is_to_be_forgotten_is_not_kept(tmp_path: Path) -> None:
    scene = Scene(tmp_path, forget=lambda said: said.top[0].label == "cup")
    scene.see(0, 0, 0)
    scene.keeper.close(())

    assert scene.kept == 0


def test_a_picture_that_waits_when_masks_are_drawn_is_not_kept(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    scene.see(0, 0, 0)
    add = scene.inbox.add

    def slow(*what: Any) -> bool:
        scene.keeper.drop_pixels()
        return add(*what)

    monkeypatch.setattr(scene.inbox, "add", slow)
    scene.see(1, 1)
    eventually(lambda: scene.kept == 1)
    scene.keeper.close(())
    assert scene.keeper.worker.join(10)

    assert scene.kept == 1, "that of before"


def test_a_disk_rests_after_some_pictures_and_a_clock_that_jumps_changes_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vitcam.parts.teach.inbox.keeper._AT_ONCE", 3)
    scene.keeper._credit = 3
    scene.see(0, *range(8))
    soon = scene.kept
    scene.ns += 400 * SECOND
    scene.see(5, 5, 6, 6)
    later = scene.kept
    scene.ns -= 300 * SECOND
    scene.see(6, 6, 7, 7)

    assert (soon, later) == (3, 4)
    assert scene.kept == 4


def test_a_full_disk_is_said_once_and_tried_again_later(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    scene.inbox.folder.parent.joinpath("inbox").write_text("a file where the folder should be")
    scene.see(0, 0, 0, 1, 1)
    trouble = scene.inbox.trouble
    scene.inbox.folder.unlink()
    scene.keeper._pause_until_s = 0.0
    scene.see(2, 2)

    assert "inbox" in trouble
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) == 1
    assert (scene.kept, scene.inbox.trouble) == (1, "")
