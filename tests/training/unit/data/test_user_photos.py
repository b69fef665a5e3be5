import logging
from pathlib import Path

import cv2
import pytest

from tests.training.unit.photo_sets import scenes, sizes, two_labels
from tests.training.unit.pictures import write_pictures
from vitcam.errors import UsageError
from vitcam_training.data.catalogue import open_dataset, open_to_measure

HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"


@pytest.mark.parametrize(
    ("count", "expected"),
    [(2, (1, 0, 1)), (3, (1, 1, 1)), (10, (7, 1, 2)), (40, (28, 4, 8))],
)
def test_every_label_gets_its_share_of_every_part(tmp_path: Path, count: int, expected: tuple[int, ...]) -> None:
    two_labels(tmp_path, 40)
    scenes(tmp_path / "rare", count, seed=3)
    found = sizes(open_dataset(str(tmp_path)))

    assert tuple(found.get(part, {}).get("rare", 0) for part in ("train", "calibration", "heldout")) == expected
    assert {part: labels["cup"] for part, labels in found.items()} == {"train": 28, "calibration": 4, "heldout": 8}


def test_a_new_photo_moves_few_of_the_old_ones_to_another_part(tmp_path: Path) -> None:
    two_labels(tmp_path)
    before = {s.path: part for part, samples in open_dataset(str(tmp_path)).parts.items() for s in samples}
    scenes(tmp_path / "cup", 21, seed=1)
    after = {s.path: part for part, samples in open_dataset(str(tmp_path)).parts.items() for s in samples}

    assert len(after) == 41
    assert sum(before[path] != after[path] for path in before) <= 2


def test_frames_of_one_burst_stay_on_one_side_of_the_split(tmp_path: Path) -> None:
    found = open_dataset(str(two_labels(tmp_path, count=15, frames=3)))
    part_of: dict[str, set[str]] = {}
    for part, samples in found.parts.items():
        for sample in samples:
            part_of.setdefault(f"{sample.label}/{sample.path.name[:2]}", set()).add(part)

    assert sizes(found)["heldout"] == {"cup": 9, "pen": 9}
    assert len(part_of) == 30
    assert all(len(parts) == 1 for parts in part_of.values())


def test_a_mirror_image_does_not_cross_the_split_either(tmp_path: Path) -> None:
    two_labels(tmp_path)
    for path in sorted((tmp_path / "cup").iterdir()):
        cv2.imwrite(str(path.with_name(f"{path.stem}-mirror.png")), cv2.imread(str(path))[:, ::-1])
    part_of: dict[str, set[str]] = {}
    for part, samples in open_dataset(str(tmp_path)).parts.items():
        for sample in samples:
            part_of.setdefault(f"{sample.label}/{sample.path.name[:4]}", set()).add(part)

    assert all(len(parts) == 1 for parts in part_of.values())


def test_photos_all_alike_are_split_by_name_and_that_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    found = open_dataset(str(write_pictures(tmp_path, each=20)))

    assert sizes(found)["heldout"] == {"blue": 4, "green": 4, "red": 4}
    assert sizes(found)["calibration"] == {"blue": 2, "green": 2, "red": 2}
    assert "photos of 3 labels, such as blue, are so similar" in caplog.text


@pytest.mark.parametrize(
    ("train", "held_out"),
    [
        ("train", "heldout"), ("train", "val"), ("train", "test"), ("Train", "Test"), ("TRAIN", "valid"),
        ("training", "validation"), ("training_set", "test_set"), ("train2017", "val2017"),
        ("Training Data", "testing"),
        ("train", "hold-out"), ("train", "dev"), ("train", "eval"),
    ],
)  # fmt: skip
def test_a_folder_with_its_own_split_keeps_it(tmp_path: Path, train: str, held_out: str) -> None:
    write_pictures(tmp_path / train, each=4)
    write_pictures(tmp_path / held_out, each=2, seed=1)

    assert {name: len(part) for name, part in open_dataset(str(tmp_path)).parts.items()} == {"train": 12, "heldout": 6}


@pytest.mark.parametrize("validating", ["val", "valid", "Validation", "dev"])
def test_a_val_folder_beside_a_test_folder_calibrates(tmp_path: Path, validating: str) -> None:
    for name, each in (("train", 4), (validating, 3), ("Test", 2)):
        write_pictures(tmp_path / name, each)

    assert {name: len(part) for name, part in open_dataset(str(tmp_path)).parts.items()} == {
        "train": 12, "calibration": 9, "heldout": 6,
    }  # fmt: skip


def test_what_lies_beside_the_parts_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("train", "test", "unsorted"):
        two_labels(tmp_path / name, 3)
    (tmp_path / "data.yaml").write_text("nc: 2")
    (tmp_path / "valid").mkdir()
    (tmp_path / "train" / "cup" / "2024").mkdir()
    (tmp_path / "test" / "bowl").mkdir()
    found = open_dataset(str(tmp_path))

    assert sizes(found) == {part: {"cup": 3, "pen": 3} for part in ("train", "heldout")}
    assert f"{tmp_path}: not used: unsorted/, valid/, data.yaml" in caplog.text
    assert f"{tmp_path / 'train' / 'cup'}: not used: 2024/" in caplog.text
    assert f"{tmp_path / 'test'}: not used: bowl/" in caplog.text


def test_folders_of_dates_within_a_label_belong_to_it_and_others_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for label in ("cup", "pen"):
        for inner in ("2024-05", "2024/06"):
            scenes(tmp_path / label / inner, 3)
    scenes(tmp_path / "cup" / "kitchen", 3)
    found = open_dataset(str(tmp_path))

    assert found.labels == ("cup", "pen")
    assert len(found.part("all")) == 12
    assert f"{tmp_path / 'cup'}: not used: kitchen/" in caplog.text


def test_pictures_without_the_name_of_a_photo_are_known_by_their_first_bytes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    two_labels(tmp_path, 3)
    for path in sorted((tmp_path / "cup").iterdir()):
        path.rename(path.with_suffix(""))
    (tmp_path / "pen" / "a.heic").write_bytes(HEIC)
    (tmp_path / "pen" / "gone.jpg").symlink_to(tmp_path / "nowhere")
    found = open_dataset(str(tmp_path))

    assert found.labels == ("cup", "pen")
    assert "not used: a.heic (a HEIC picture), gone.jpg" in caplog.text


def test_a_folder_for_training_alone_is_split(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    two_labels(tmp_path / "Train", 10)
    scenes(tmp_path / "backup", 3)
    found = open_dataset(str(tmp_path))

    assert sizes(found) == {
        "train": {"cup": 7, "pen": 7}, "calibration": {"cup": 1, "pen": 1}, "heldout": {"cup": 2, "pen": 2},
    }  # fmt: skip
    assert "not used: backup/" in caplog.text


def test_labels_may_be_called_like_parts(tmp_path: Path) -> None:
    for label in ("train", "test", "plane"):
        scenes(tmp_path / label, 3)

    assert open_dataset(str(tmp_path)).labels == ("plane", "test", "train")


@pytest.mark.parametrize(
    ("first", "second"), [("Cat", "cat"), ("straße", "STRASSE"), ("two cats", "two  cats"), ("cat", "ｃａｔ")]
)
def test_labels_that_differ_by_case_or_width_alone_are_named(
    tmp_path: Path, first: str, second: str, caplog: pytest.LogCaptureFixture
) -> None:
    for label in (first, second, "dog"):
        scenes(tmp_path / label, 3)

    assert set(open_dataset(str(tmp_path)).labels) == {first, second, "dog"}
    assert f"{first!r} and {second!r} are 2 labels" in caplog.text or f"{second!r} and {first!r} are" in caplog.text
    assert "dog" not in caplog.text


@pytest.mark.parametrize(("first", "second"), [("dog", "dog "), ("caf\u00e9", "cafe\u0301")])
def test_labels_that_differ_by_spaces_or_unicode_form_become_one_and_are_named(
    tmp_path: Path, first: str, second: str, caplog: pytest.LogCaptureFixture
) -> None:
    for label in (first, second, "cup"):
        scenes(tmp_path / label, 3)

    assert open_dataset(str(tmp_path)).labels == tuple(sorted(("cup", first)))
    assert f"{first!a} and {second!a} are one label" in caplog.text or f"{second!a} and {first!a} are" in caplog.text


def test_a_given_split_without_calibration_gives_up_a_tenth_of_training(tmp_path: Path) -> None:
    two_labels(tmp_path / "train", 20)
    two_labels(tmp_path / "heldout", 5)
    found = sizes(open_dataset(str(tmp_path)))

    assert found == {
        "train": {"cup": 18, "pen": 18}, "calibration": {"cup": 2, "pen": 2}, "heldout": {"cup": 5, "pen": 5},
    }  # fmt: skip


def test_what_is_hidden_or_no_photo_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    two_labels(tmp_path, 5)
    scenes(tmp_path / ".trash", 5)
    scenes(tmp_path / "__MACOSX", 5)
    (tmp_path / "cup" / "._00-0.png").write_bytes(b"resource fork")
    (tmp_path / "cup" / "notes.txt").write_text("from the kitchen")
    found = open_dataset(str(tmp_path))

    assert found.labels == ("cup", "pen")
    assert len(found.part("all")) == 10
    assert f"{tmp_path / 'cup'}: not used: notes.txt" in caplog.text


def test_a_photo_that_cannot_be_read_is_named_once_and_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    two_labels(tmp_path, 5)
    (tmp_path / "pen" / "cut.jpg").write_bytes(b"\xff\xd8\xff\xe0 cut off")
    with caplog.at_level(logging.WARNING):
        found = open_dataset(str(tmp_path))

    assert len(found.part("all")) == 10
    assert caplog.text.count("cut.jpg: not an image: truncated after") == 1


def _bare(root: Path) -> None:
    scenes(root, 3)


def _one_label(root: Path) -> None:
    scenes(root / "cup", 3)


def _one_photo(root: Path) -> None:
    two_labels(root, 3)
    scenes(root / "rare", 1)


def _unreadable(root: Path) -> None:
    for label in ("cup", "pen"):
        (root / label).mkdir()
        (root / label / "a.jpg").write_bytes(b"")


def _heic(root: Path) -> None:
    two_labels(root, 3)
    (root / "dog").mkdir()
    (root / "dog" / "photo").write_bytes(HEIC)


def _cut(root: Path) -> None:
    two_labels(root, 3)
    (root / "dog").mkdir()
    (root / "dog" / "a.jpg").write_bytes(b"\xff\xd8\xff\xe0 cut off")


def _odd_label(root: Path) -> None:
    two_labels(root, 3)
    scenes(root / "two\nlines", 3)


def _only_held_out(root: Path) -> None:
    two_labels(root / "train", 3)
    two_labels(root / "heldout", 3)
    scenes(root / "heldout" / "rare", 2)


@pytest.mark.parametrize(
    ("fill", "message"),
    [
        (lambda root: None, "should hold photos as LABEL/photo.jpg, and holds none"),
        (_bare, "holds photos beside one another, such as 00-0.png; give each label a folder"),
        (_one_label, "holds photos of 1 label, 'cup'; at least two labels are needed"),
        (_one_photo, "the label 'rare' of own has 1 to train on of the photos that can be read; 2 are needed at least"),
        (_unreadable, r"no photo of 'cup', 'pen' in own can be read, such as .*cup/a.jpg: not an image"),
        (_heic, "no photo of 'dog' in own can be read, such as .*dog/photo: .*a HEIC picture"),
        (_cut, "no photo of 'dog' in own can be read, such as .*dog/a.jpg: not an image: truncated"),
        (_odd_label, r"the label 'two\\nlines' must consist of printable characters; rename it"),
        (
            _only_held_out,
            "the label 'rare' of own has 0 to train on of the photos that can be read; 1 are needed at least",
        ),
    ],
)
def test_a_folder_that_nothing_can_be_learned_from_is_refused(tmp_path: Path, fill: object, message: str) -> None:
    assert callable(fill)
    root = tmp_path / "own"
    root.mkdir()
    fill(root)

    with pytest.raises(UsageError, match=message):
        open_dataset(str(root))


def test_a_folder_to_be_measured_is_taken_whole_even_one_photo_of_one_label(tmp_path: Path) -> None:
    scenes(tmp_path / "cup", 1)
    found, part = open_to_measure(str(tmp_path))

    assert (part, found.labels, len(found.part(part))) == ("all", ("cup",), 1)


def test_of_the_folder_that_a_model_was_trained_on_only_the_held_out_photos_are_meant(tmp_path: Path) -> None:
    root = two_labels(tmp_path / "own", 10)
    found, part = open_to_measure(str(root), trained_on=str(root))

    assert (part, len(found.part(part))) == ("heldout", 4)
    assert open_to_measure(str(root), trained_on="elsewhere")[1] == "all"
    assert len(open_to_measure(str(root), "all", trained_on=str(root))[0].part("all")) == 20


def test_a_folder_with_a_held_out_part_is_measured_on_that(tmp_path: Path) -> None:
    two_labels(tmp_path / "train", 4)
    two_labels(tmp_path / "heldout", 3)
    found, part = open_to_measure(str(tmp_path))

    assert (part, len(found.part(part))) == ("heldout", 6)
