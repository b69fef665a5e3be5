import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.parts.teach.inbox.entries import JPEG, entry, looks
from vitcam.errors import UsageError, VitcamError
from vitcam.parts.teach.inbox.entry import forget_event, id_of_event, pack_entry
from vitcam.parts.teach.inbox.store import Inbox, InboxLimits, in_order

NEW = ".vitcam-partial-0123456789abcdef"


@pytest.fixture
def inbox(tmp_path: Path) -> Inbox:
    return Inbox(tmp_path, InboxLimits(5, 10.0))


def ids(inbox: Inbox) -> list[str]:
    return [each.id for each in inbox.entries()]


def again(inbox: Inbox) -> Inbox:
    """As another process finds it."""
    found = Inbox(inbox.folder.parent, inbox.limits)
    found.refresh()
    return found


def test_a_picture_waits_across_a_restart_until_it_is_removed(inbox: Inbox) -> None:
    kept = inbox.add(entry(1, zone="door"), JPEG)
    (found,) = again(inbox).entries()
    picture = again(inbox).picture(found.id)
    inbox.remove([found.id, found.id])

    assert kept
    assert (found.id, found.why, found.zone, picture) == (entry(1).id, "unsure", "door", JPEG)
    assert again(inbox).entries() == []
    with pytest.raises(UsageError):
        inbox.picture(found.id)


def test_the_least_informative_picture_makes_room(inbox: Inbox) -> None:
    for number, doubt in enumerate((0.9, 0.8, 0.3, 0.7, 0.6)):
        inbox.add(entry(number, doubt), JPEG)
    refused = inbox.add(entry(6, 0.1), JPEG)
    taken = inbox.add(entry(7, 0.5), JPEG)

    assert (refused, taken) == (False, True)
    assert ids(again(inbox)) == [entry(number).id for number in (0, 1, 3, 4, 7)]


def test_a_picture_that_looks_like_another_says_little() -> None:
    twin = entry(1, 0.95, embedding=looks(1.0, 0.05))
    ordered = in_order([entry(0, 1.0), twin, entry(2, 0.5), entry(3, 0.4, embedding=None)])

    assert [each.id for each in ordered] == [entry(number).id for number in (0, 2, 3, 1)]


def test_pictures_of_models_that_see_otherwise_are_not_compared() -> None:
    other = entry(1, 0.9, embedding=looks(1.0), space="b")
    wider = entry(2, 0.8, embedding=np.ones(3, np.float32))

    assert in_order([entry(0, 1.0), entry(3, 0.85), other, wider])[1] is other


def test_what_people_corrected_comes_first_and_stays_longest(inbox: Inbox) -> None:
    for number in range(5):
        inbox.add(entry(number, 0.9), JPEG)
    inbox.add(entry(6, 0.0, why="corrected", label="Mia"), JPEG)
    inbox.add(entry(7, 0.0, why="corrected", label="Tom"), JPEG)

    assert [each.label for each in inbox.entries()] == ["Tom", "Mia", None, None, None]


def test_the_room_is_kept_to_and_may_change(inbox: Inbox) -> None:
    inbox.limits = InboxLimits(5, 3.5 * len(pack_entry(entry(0), JPEG)) / 2**20)
    for number in range(5):
        inbox.add(entry(number, 0.9 - number / 10), JPEG)
    before = ids(inbox)
    inbox.limits = InboxLimits(2, 10.0)
    inbox.add(entry(7, 1.0), JPEG)

    assert before == [entry(number).id for number in (0, 1, 2)]
    assert ids(inbox) == [entry(number).id for number in (7, 0)]


def test_the_same_id_again_takes_the_place_of_the_first(inbox: Inbox) -> None:
    inbox.add(entry(1, label="cup", why="corrected"), JPEG)
    inbox.add(entry(1, label="mug", why="corrected"), JPEG)

    assert [each.label for each in inbox.entries()] == ["mug"]


def test_what_waits_and_what_was_answered_is_found_by_its_looks(inbox: Inbox) -> None:
    nothing = inbox.nearest(looks(1.0), "a")
    inbox.add(entry(0), JPEG)
    waiting = inbox.nearest(looks(2.0, 0.2), "a")
    inbox.remember(entry(0))
    inbox.remember(entry(1))
    inbox.remove([entry(0).id])
    found = again(inbox)
    answered = [found.nearest(looks(*[0.0] * number, 1.0), "a") for number in range(3)]
    inbox.forget(entry(0))

    assert nothing == -1.0
    assert waiting == pytest.approx(0.995, abs=0.002)
    assert answered == pytest.approx([1.0, 1.0, 0.0], abs=1e-3)
    assert again(inbox).nearest(looks(1.0), "a") == pytest.approx(0.0, abs=1e-3)
    assert found.nearest(looks(1.0), "b") == -1.0
    assert found.nearest(np.ones(3, np.float32), "a") == -1.0


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04" + bytes(99)])
def test_a_damaged_memory_of_answers_is_a_new_one(inbox: Inbox, content: bytes) -> None:
    inbox.remember(entry(0))
    (inbox.folder / ".answered.npz").write_bytes(content)
    inbox.remember(entry(1))

    assert again(inbox).nearest(looks(0.0, 1.0), "a") == pytest.approx(1.0, abs=1e-3)


def test_files_that_somebody_put_there_are_left_alone(inbox: Inbox, tmp_path: Path) -> None:
    inbox.add(entry(1), JPEG)
    secret = tmp_path / "secret.jpg"
    secret.write_bytes(pack_entry(entry(2), JPEG))
    (inbox.folder / "inbox-link.jpg").symlink_to(secret)
    (inbox.folder / "inbox-folder.jpg").mkdir()
    os.mkfifo(inbox.folder / "inbox-pipe.jpg")
    (inbox.folder / "inbox-junk.jpg").write_bytes(b"junk" * 99)
    (inbox.folder / "other.jpg").write_bytes(secret.read_bytes())
    with (inbox.folder / "inbox-huge.jpg").open("wb") as huge:
        huge.write(secret.read_bytes())
        huge.truncate(2**30)

    assert ids(again(inbox)) == [entry(1).id]
    with pytest.raises(UsageError):
        inbox.picture("inbox-link")


def test_a_file_that_a_killed_process_left_is_written_again(inbox: Inbox) -> None:
    inbox.folder.mkdir(parents=True)
    (inbox.folder / NEW).write_bytes(b"half")
    (inbox.folder / f".{entry(2).id}.jpg.partial").write_bytes(b"half of another one, by version 0.2")
    os.utime(inbox.folder / f".{entry(2).id}.jpg.partial", (0, 0))
    inbox.add(entry(1), JPEG)

    assert sorted(path.name for path in inbox.folder.iterdir()) == [f"{entry(1).id}.jpg"]


@pytest.mark.parametrize(
    "absurd",
    [{"taken_ms": -1}, {"taken_ms": 2**60}, {"zone": "x" * 999}, {"label": "\x1b[2J"}, {"doubt": float("nan")}],
)
def test_what_an_absurd_event_says_is_refused_in_one_sentence(inbox: Inbox, absurd: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        inbox.add(entry(1, **absurd), JPEG)

    assert inbox.entries() == []


def test_clearing_leaves_nothing(inbox: Inbox) -> None:
    for number in range(3):
        inbox.add(entry(number), JPEG)
    inbox.remember(entry(7))
    (inbox.folder / NEW).write_bytes(b"half")

    assert inbox.clear() == 3
    assert list(inbox.folder.iterdir()) == []
    assert inbox.nearest(looks(1.0), "a") == -1.0


def test_the_picture_of_a_deleted_event_goes_with_it(inbox: Inbox) -> None:
    kept = entry(1, why="corrected")
    inbox.add(type(kept)(**{**{f: getattr(kept, f) for f in kept.__slots__}, "id": id_of_event("01JA")}), JPEG)
    forget_event(inbox.folder.parent, "../01JA")
    before = len(inbox.entries())
    forget_event(inbox.folder.parent, "01JA")

    assert (before, len(inbox.entries())) == (1, 0)


def test_a_disk_that_cannot_be_written_is_named_and_keeps_what_is_there(
    inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox.limits = InboxLimits(1, 10.0)
    inbox.add(entry(0, 0.1), JPEG)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(VitcamError, match="No space left"):
        inbox.add(entry(1, 0.9), JPEG)

    assert ids(inbox) == [entry(0).id]
    assert len(list(inbox.folder.iterdir())) == 1


def test_many_threads_may_use_it_at_once(inbox: Inbox) -> None:
    failed = list[Exception]()

    def work(number: int) -> None:
        try:
            for turn in range(5):
                inbox.add(entry(number, turn / 10), JPEG)
                inbox.nearest(looks(1.0), "a")
                inbox.remember(entry(number))
                inbox.remove([entry((number + 1) % 4).id])
        except Exception as error:  # noqa: BLE001 - whatever it is, the test fails
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert failed == []
    assert len(inbox.entries()) <= 4
