"""From drawn pictures to a model file: what is taught is known, and nothing else is lost or changed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.parts.teach.taught import PAIRS, drawn, write
from tests.refusals import naming
from tests.shapes import draw
from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.files import find_model
from vitcam.model.taught import digest_of
from vitcam.parts.teach import cache
from vitcam.parts.teach.photos import Looker
from vitcam.parts.teach.progress import Progress
from vitcam.parts.teach.report import Report
from vitcam.parts.teach.teach import Task, teach

BASE = find_model("everyday")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return drawn(tmp_path_factory.mktemp("data") / "shapes", photos=8)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where models are written to."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(home))
        patch.delenv("STATE_DIRECTORY", raising=False)
        yield home / "vitcam" / "models"


@pytest.fixture(scope="module")
def alone(data: Path, homes: Path) -> tuple[Report, Path]:
    return teach(Task(data, "shapes")), homes / "shapes.tflite"


@pytest.fixture(scope="module")
def beside(data: Path, homes: Path) -> tuple[Report, Path]:
    return teach(Task(data, "more", add_to=True)), homes / "more.tflite"


def pictures(label: str, count: int = 5, seed: int = 9) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [draw(*PAIRS[label], rng) for _ in range(count)]


def test_labels_that_were_taught_alone_are_known_and_no_others(alone: tuple[Report, Path]) -> None:
    report, path = alone
    classifier = Classifier(path, threads=1)
    answers = [(label, classifier.classify_image(picture)) for label in PAIRS for picture in pictures(label)]

    assert classifier.labels == tuple(sorted(PAIRS))
    assert sum(answer.top[0].label == label for label, answer in answers) >= 13
    assert sum(answer.known for _, answer in answers) >= 10
    assert report.accuracy is not None
    assert report.accuracy.n == 24
    assert report.labels == tuple((label, 8) for label in sorted(PAIRS))


def test_a_picture_of_something_else_is_none_of_the_labels(alone: tuple[Report, Path]) -> None:
    classifier = Classifier(alone[1], threads=1)
    golden = bundle.read(BASE)
    assert golden is not None

    assert [classifier.classify_image(each.image).known for each in golden.golden] == [False] * len(golden.golden)


def test_labels_that_were_added_are_known_and_the_base_says_what_it_said(beside: tuple[Report, Path]) -> None:
    report, path = beside
    classifier, base = Classifier(path, threads=1), Classifier(BASE, threads=1)
    right = [classifier.classify_image(picture).top[0].label == label for label in PAIRS for picture in pictures(label)]

    assert classifier.labels == (*base.labels, *sorted(PAIRS))
    assert sum(right) >= 12
    for golden in base.golden:
        before, after = base.classify_image(golden.image), classifier.classify_image(golden.image)
        assert after.top[0].label == before.top[0].label
        assert after.top[0].p == pytest.approx(before.top[0].p, abs=0.05)
    assert classifier.groups is not None
    assert base.groups is not None
    assert classifier.groups.members == base.groups.members
    assert report.lost is not None
    assert report.lost.value <= 0.01
    assert (report.stolen, report.lost.n > 1000) == (None, True)


@pytest.mark.parametrize("kind", ["alone", "beside"])
def test_a_taught_model_is_whole(kind: str, request: pytest.FixtureRequest) -> None:
    report, path = request.getfixturevalue(kind)
    classifier = Classifier(path, threads=1)
    answer = classifier.classify_image(pictures("red cross")[0], explain=True)
    base = bundle.flatbuffer(BASE)

    assert bundle.flatbuffer(path) == base
    assert (classifier.runtime.partitions, classifier.runtime.outside) == (1, 0)
    assert len(classifier.verify()) >= 4
    assert all(result.ok for result in classifier.verify())
    assert answer.evidence is not None
    assert answer.rollout is not None
    assert answer.evidence_share is not None
    assert 0.2 < answer.evidence_share < 1.8
    figures = classifier.card.accuracy if kind == "alone" else classifier.card.accuracy["taught"]
    assert ("top1" in classifier.card.accuracy, figures["n"]) == (kind == "alone", report.accuracy.n)
    assert classifier.card.provenance["taught_from"] == "everyday"
    assert classifier.clone(1).classify_image(pictures("red cross")[0]).top == answer.top


def test_verifying_changes_no_later_answer(alone: tuple[Report, Path]) -> None:
    classifier, picture = Classifier(alone[1], threads=1), pictures("blue circle")[0]
    before = classifier.classify_image(picture).top
    classifier.verify()

    assert classifier.classify_image(picture).top == before


def test_none_of_the_taught_pictures_is_in_the_file(alone: tuple[Report, Path], data: Path) -> None:
    described = bundle.read(alone[1])
    assert described is not None
    base = bundle.read(BASE)
    assert base is not None
    grey = [cv2.cvtColor(each.image, cv2.COLOR_RGB2GRAY).mean() for each in base.golden]

    for golden in described.golden:
        mean = cv2.cvtColor(golden.image, cv2.COLOR_RGB2GRAY).mean()
        assert min(min(abs(mean - each), abs(255 - mean - each)) for each in grey) < 12


def test_teaching_again_gives_the_same_file_and_asks_about_no_photo(
    alone: tuple[Report, Path], data: Path, homes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = alone[1].read_bytes()
    monkeypatch.setattr(Looker, "see", lambda *_: pytest.fail("a photo was asked about again"))
    again = teach(Task(data, "shapes"))

    assert alone[1].read_bytes() == first
    assert again == alone[0]


@pytest.mark.long
def test_a_photo_that_changed_is_asked_about_again(tmp_path: Path, homes: Path) -> None:
    data = drawn(tmp_path / "data", photos=3)
    teach(Task(data, "changing"))
    before = (homes / "changing.tflite").read_bytes()
    write(data / "red cross" / "00.png", pictures("blue circle")[0])
    teach(Task(data, "changing"))

    assert (homes / "changing.tflite").read_bytes() != before


@pytest.mark.long
@pytest.mark.parametrize("content", [b"", b"nonsense", b"PK\x03\x04" + bytes(100)])
def test_a_damaged_cache_is_not_used(tmp_path: Path, homes: Path, content: bytes) -> None:
    data = drawn(tmp_path / "data", photos=3)
    (data / cache.FILE).write_bytes(content)

    assert teach(Task(data, "cached")).accuracy is not None


@pytest.mark.long
def test_progress_tells_each_step_and_ends_the_teaching_where_it_raises(tmp_path: Path, homes: Path) -> None:
    data, seen = drawn(tmp_path / "data", photos=3), list[Progress]()
    teach(Task(data, "steps"), seen.append)

    assert list(dict.fromkeys(each.step for each in seen)) == ["reading photos", "learning", "checking", "writing"]
    assert [each.done for each in seen if each.step == "reading photos"] == list(range(1, 10))

    def stop(progress: Progress) -> None:
        if progress.step == "writing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        teach(Task(data, "stopped"), stop)
    assert not (homes / "stopped.tflite").exists()


def test_one_picture_of_each_label_is_enough_to_begin_with(tmp_path: Path, homes: Path) -> None:
    report = teach(Task(drawn(tmp_path / "data", photos=1), "one"))

    assert report.accuracy is None
    assert "one picture of each label" in report.advice[0]
    assert Classifier("one", threads=1).verify()


def test_photos_that_cannot_be_read_are_left_out_and_named(tmp_path: Path, homes: Path) -> None:
    data = drawn(tmp_path / "data", photos=4)
    (data / "red cross" / "broken.jpg").write_bytes(b"\xff\xd8\xff nothing more")
    report = teach(Task(data, "broken"))

    assert [bad.path for bad in report.unreadable] == ["red cross/broken.jpg"]
    assert dict(report.labels)["red cross"] == 4


def test_the_same_picture_twice_counts_once(tmp_path: Path, homes: Path) -> None:
    data = drawn(tmp_path / "data", photos=4)
    shutil.copy(data / "red cross" / "00.png", data / "red cross" / "copy.png")

    assert dict(teach(Task(data, "twice")).labels)["red cross"] == 4


def test_the_same_picture_with_two_labels_is_refused(tmp_path: Path, homes: Path) -> None:
    data = drawn(tmp_path / "data", photos=2)
    shutil.copy(data / "red cross" / "00.png", data / "blue circle" / "also.png")

    with pytest.raises(UsageError, match=naming("red cross/00.png", "blue circle/also.png", "two labels")):
        teach(Task(data, "both"))


def test_a_label_without_a_readable_photo_is_refused(tmp_path: Path, homes: Path) -> None:
    data = drawn(tmp_path / "data", photos=2)
    (data / "empty").mkdir()
    (data / "empty" / "1.jpg").write_bytes(b"nothing")

    with pytest.raises(UsageError, match=naming("'empty'", "empty/1.jpg")):
        teach(Task(data, "lost"))


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "a\x1b[2J", "x" * 61, "end.", "/tmp/x"])
def test_a_name_that_leads_elsewhere_is_refused(data: Path, homes: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a model"):
        teach(Task(data, name))


def test_a_shipped_model_is_not_covered(data: Path, homes: Path) -> None:
    with pytest.raises(UsageError, match=naming("everyday", "stays")):
        teach(Task(data, "everyday"))


def test_a_base_without_room_is_refused(data: Path, homes: Path) -> None:
    with pytest.raises(UsageError, match=naming("mnist", "room", "everyday", "--base")):
        teach(Task(data, "small", base="mnist"))


def test_a_taught_model_is_no_base(data: Path, alone: tuple[Report, Path]) -> None:
    with pytest.raises(UsageError, match=naming("shapes", "was taught itself", "--base")):
        teach(Task(data, "again", base="shapes"))


@pytest.mark.long
def test_a_label_that_the_base_knows_is_known_better_and_stands_where_it_stood(tmp_path: Path, homes: Path) -> None:
    data = drawn(tmp_path / "data", photos=8, labels=("red cross", "blue circle"))
    (data / "red cross").rename(data / "Goldfish")
    report = teach(Task(data, "fish", add_to=True))
    classifier, base = Classifier("fish", threads=1), Classifier(BASE, threads=1)
    fish = [classifier.classify_image(picture).top[0].label for picture in pictures("red cross")]
    circles = [classifier.classify_image(picture).top[0].label for picture in pictures("blue circle")]
    sums = [sum(guess.p for guess in classifier.with_top_k(2000).classify_image(pictures("red cross")[0]).top)]

    assert classifier.labels == (*base.labels, "blue circle")
    assert fish.count("goldfish") >= 4
    assert circles.count("blue circle") >= 4
    assert dict(report.labels) == {"Goldfish": 8, "blue circle": 8}
    assert report.accuracy is not None
    assert report.accuracy.value > 0.6
    assert sums == pytest.approx([1.0], abs=1e-3), "the row counts with the label, and not beside it"
    assert all(result.ok for result in classifier.verify())
    golden = {each.name: each for each in base.golden}
    for each in golden.values():
        assert classifier.classify_image(each.image).top[0].label == base.classify_image(each.image).top[0].label


@pytest.mark.long
def test_labels_that_the_base_knows_all_can_be_taught(tmp_path: Path, homes: Path) -> None:
    data = drawn(tmp_path / "data", photos=5, labels=("red cross", "blue circle"))
    (data / "red cross").rename(data / "goldfish")
    (data / "blue circle").rename(data / "jigsaw puzzle")
    teach(Task(data, "known", add_to=True))

    assert Classifier("known", threads=1).labels == Classifier(BASE, threads=1).labels


def test_one_label_stands_beside_the_base_and_one_that_is_called_as_a_group_is_of_that_group(
    tmp_path: Path, homes: Path
) -> None:
    base, data = bundle.read(BASE), drawn(tmp_path / "data", photos=6, labels=("red cross",))
    assert base is not None
    assert base.groups is not None
    group = next(name for name in base.groups.members if name not in base.labels)
    (data / "red cross").rename(data / group)
    teach(Task(data, "group", add_to=True))
    taught = Classifier(homes / "group.tflite", threads=1)
    answers = [taught.classify_image(picture) for picture in pictures("red cross")]

    assert sum(answer.shown.label == group for answer in answers) >= 4
    assert taught.groups is not None
    assert taught.groups.members[group] == (*base.groups.members[group], len(base.labels))
    with pytest.raises(UsageError, match="at least two"):
        teach(Task(data, "group"))


@pytest.mark.long
def test_the_model_in_use_is_compared_on_pictures_that_neither_has_learned_from(tmp_path: Path, homes: Path) -> None:
    data = drawn(tmp_path / "data", photos=5)
    teach(Task(data, "old"))
    nothing_new = teach(Task(data, "new", versus="old")).compared
    rng = np.random.default_rng(7)
    for label, pair in PAIRS.items():
        for number in range(4):
            write(data / label / f"inbox-20260101T0{number}00-{number:06}.png", draw(*pair, rng))
    taught = Classifier("old", threads=1).taught_pictures
    report = teach(Task(data, "new", versus="old"))
    against_base = teach(Task(data, "new", versus="everyday")).compared
    shutil.rmtree(data / "red cross")
    (data / "blue circle").rename(data / "red cross")
    one_go = [path for path in (data / "red cross").iterdir() if path.name.startswith("inbox")]
    for path in (data / "red cross").iterdir():
        path.rename(path.with_name(f"20260101T000000-{path.stem[-2:]}.png"))
    alone = teach(Task(data, "new", versus="everyday")).compared

    assert taught == {digest_of(path.read_bytes()) for path in data.glob("green triangle/0*.png")} | taught
    assert len(taught) == 15
    assert nothing_new is None
    assert report.compared is not None
    assert (report.compared.model, report.compared.before.n, report.compared.after.n) == ("old", 12, 12)
    assert report.compared.after.count >= 8
    assert against_base is not None
    assert (against_base.before.count, against_base.before.n) == (0, 27)
    assert len(one_go) == 4
    assert alone is not None
    assert alone.after.n == 9, "a label of one recording is left out: parts of it were learned from"


def test_photos_of_a_part_that_is_held_out_are_measured_and_not_taught(tmp_path: Path, homes: Path) -> None:
    drawn(tmp_path / "data" / "train", photos=5)
    drawn(tmp_path / "data" / "val", photos=4, seed=5)
    report = teach(Task(tmp_path / "data", "parts"))

    assert dict(report.labels)["red cross"] == 5
    assert report.held_out is not None
    assert report.held_out.n == 12
    assert report.held_out.value > 0.6


def test_an_empty_scene_may_be_a_label(tmp_path: Path, homes: Path) -> None:
    data, rng = drawn(tmp_path / "data", photos=6), np.random.default_rng(0)
    (data / "nothing special").mkdir()
    walls = [np.clip(rng.normal(level, 2, (48, 48, 3)), 0, 255).astype(np.uint8) for level in range(110, 170, 6)]
    for i, wall in enumerate(walls):
        write(data / "nothing special" / f"{i}.png", wall)
    teach(Task(data, "scene"))
    answer = Classifier("scene", threads=1).classify_image(walls[3])

    assert not answer.blank
    assert answer.top[0].label == "nothing special"


def test_a_base_without_a_bank_can_be_taught(data: Path, homes: Path, tmp_path: Path) -> None:
    base = bundle.read(BASE)
    assert base is not None
    path = tmp_path / "bare.tflite"
    bundle.write(
        path,
        bundle.flatbuffer(BASE),
        replace(base.card, name="bare"),
        list(base.labels),
        list(base.golden),
        base.groups,
    )
    for add_to in (False, True):
        teach(Task(data, "frombare", base=str(path), add_to=add_to))
        assert all(result.ok for result in Classifier("frombare", threads=1).verify())
