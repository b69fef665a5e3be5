import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.refusals import naming
from tests.training.unit.photo_sets import sizes, two_labels
from vitcam.errors import UsageError
from vitcam_training.data.catalogue import open_dataset


def manifest(root: Path, rows: Sequence[tuple[str, ...]], header: tuple[str, ...] = ("path", "label", "split")) -> str:
    path = root / "photos.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows([header[: len(rows[0])] if rows else header, *rows])
    return str(path)


def test_a_list_of_photos_is_a_data_set_with_paths_relative_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_labels(tmp_path / "shots", 10)
    rows = [(str(path.relative_to(tmp_path)), f"the {path.parent.name}") for path in sorted(tmp_path.rglob("*.png"))]
    name = manifest(tmp_path, rows)
    monkeypatch.chdir("/")
    found = open_dataset(name)

    assert (found.name, found.labels) == ("photos", ("the cup", "the pen"))
    assert sizes(found) == {
        "train": {"the cup": 7, "the pen": 7},
        "calibration": {"the cup": 1, "the pen": 1},
        "heldout": {"the cup": 2, "the pen": 2},
    }


@pytest.mark.parametrize(
    ("validating", "test"), [("val", "test"), ("Valid", "TEST"), ("dev", "testing"), ("validation", "heldout")]
)
def test_a_list_with_a_split_keeps_it_and_knows_its_usual_names(tmp_path: Path, validating: str, test: str) -> None:
    two_labels(tmp_path, 3)
    rows = [
        (f"{label}/0{i}-0.png", label, split)
        for label in ("cup", "pen")
        for i, split in enumerate(("train", validating, test))
    ]

    assert sizes(open_dataset(manifest(tmp_path, rows))) == {
        part: {"cup": 1, "pen": 1} for part in ("train", "calibration", "heldout")
    }


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "photos holds no photos"),
        ([("a.png", "cup"), ("./a.png", "pen")], "line 3: a.png is listed before, on line 2; keep one"),
        ([("a.png", "cup", "train"), ("b.png", "pen", "")], "line 3: no split is given, and other rows have one"),
        ([("a.png", "cup", "trian")], "line 2: the split 'trian' is unknown; allowed: train, "),
        ([("a.png", " ")], "line 2: the label ' ' must consist of printable characters"),
        ([("", "cup")], "line 2: the path is empty"),
        (
            [("a.png", "cup"), ("b.png", "pen")],
            "no photo of 'cup', 'pen' in photos can be read, such as .* No such file",
        ),
    ],
)
def test_a_list_that_cannot_be_meant_is_refused(tmp_path: Path, rows: list[tuple[str, ...]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_dataset(manifest(tmp_path, rows))


def test_a_list_that_holds_nothing_out_or_lacks_its_columns_is_refused(tmp_path: Path) -> None:
    two_labels(tmp_path, 3)
    rows = [(f"{label}/0{i}-0.png", label, "train") for label in ("cup", "pen") for i in range(3)]

    with pytest.raises(UsageError, match=naming("photos", "train only", "heldout")):
        open_dataset(manifest(tmp_path, rows))
    with pytest.raises(UsageError, match=naming("columns", "path", "label", "file, class")):
        open_dataset(manifest(tmp_path, [("a.png", "cup")], header=("file", "class")))


@pytest.mark.parametrize("content", [b"path,label\n\xff\xfe,cup\n", b'path,label\n"a.png,cup\n'])
def test_a_file_that_is_no_csv_in_utf8_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "photos.csv").write_bytes(content)

    with pytest.raises(UsageError, match="cannot be read as a CSV file in UTF-8"):
        open_dataset(str(tmp_path / "photos.csv"))
