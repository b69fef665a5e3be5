"""Folders of named photos, whatever they hold."""

from pathlib import Path

import pytest

from tests.refusals import naming
from vitcam.errors import UsageError
from vitcam.parts.teach import dataset
from vitcam.parts.teach.dataset import list_photos
from vitcam.parts.teach.datasets.recordings import recording_of


def make(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    return root


def test_folders_are_labels_and_hidden_files_are_not_there(tmp_path: Path) -> None:
    root = make(tmp_path, "Mia/1.jpg", "Mia/.2.jpg", "Mia/notes.txt", "no one/3.PNG", ".cache/4.jpg", "__MACOSX/5.jpg")

    assert [(photo.label, photo.path.name) for photo in list_photos(root).taught] == [
        ("Mia", "1.jpg"),
        ("no one", "3.PNG"),
    ]


def test_of_a_data_set_in_parts_only_train_is_taught(tmp_path: Path) -> None:
    found = list_photos(make(tmp_path, "train/a/1.jpg", "train/b/2.jpg", "val/a/3.jpg", "val/stranger/4.jpg"))

    assert [photo.path.name for photo in found.taught] == ["1.jpg", "2.jpg"]
    assert [photo.path.name for photo in found.held] == ["3.jpg"]


def test_a_label_may_be_called_train(tmp_path: Path) -> None:
    found = list_photos(make(tmp_path, "train/1.jpg", "bus/2.jpg"))

    assert {photo.label for photo in found.taught} == {"train", "bus"}


@pytest.mark.parametrize(
    ("name", "recording"),
    [
        ("20260102T030405-007.jpg", "20260102T030405"),
        ("front door-20260102T030405-1.jpg", "front door-20260102T030405"),
        ("IMG-20231201-WA0001.jpg", ""),
        ("photo-12.jpg", ""),
        ("20260102.jpg", ""),
    ],
)
def test_pictures_of_a_recording_say_so_in_their_names(name: str, recording: str) -> None:
    assert recording_of(name) == recording


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ((), ("holds no photos", "JPEG")),
        (("1.jpg",), ("holds no photos", "LABEL/photo.jpg")),
        (("a/1.jpg", "a/2.jpg"), ("1 label", "'a'", "two")),
        (("a/1.jpg", "A/2.jpg"), ("'A'", "'a'", "case")),
        (("A/1.jpg", "B/2.jpg", "a/3.jpg", "b/4.jpg"), ("'A' and 'a'", "case")),
        (("a/1.jpg", "unknown/2.jpg"), ("'unknown'",)),
        (("a/1.jpg", "none of these/2.jpg"), ("'none of these'",)),
        (("a/1.jpg", "b\x1b[2J/2.jpg"), ("b\\x1b[2J", "printable")),
        (("a/1.jpg", "b\u202etxt/2.jpg"), ("b\\u202etxt", "printable")),
        (("a/1.jpg", "b" * 61 + "/2.jpg"), ("60",)),
    ],
)
def test_what_cannot_be_taught_gets_one_sentence(
    tmp_path: Path, names: tuple[str, ...], words: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError, match=naming(*words)):
        list_photos(make(tmp_path, *names))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=naming("no-such", "LABEL/photo.jpg")):
        list_photos(tmp_path / "no-such")


def test_too_many_photos_are_refused_before_any_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "MOST_PHOTOS", 2)

    with pytest.raises(UsageError, match=naming("3 photos", "at most 2")):
        list_photos(make(tmp_path, "a/1.jpg", "a/2.jpg", "b/3.jpg"))
