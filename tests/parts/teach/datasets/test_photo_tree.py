"""One reader of trees: a folder on a disk and the same one in a zip get the same labels, or the same sentences."""

import io
import zipfile
from pathlib import Path

import pytest

from vitcam.errors import UsageError
from vitcam.parts.teach.dataset import list_photos
from vitcam.parts.teach.datasets.photo_zip import PhotoZip
from vitcam.pictures.photo_tree import placed

DATED = ("cat/2024-05/1.jpg", "cat/2024-06/2.jpg", "dog/2024-05/3.jpg", "dog/2024-06/4.jpg")
CASES = {
    "plain": (("cat/1.jpg", "dog/2.jpg"), "cat dog"),
    "around": (("photos/cat/1.jpg", "photos/dog/2.jpg"), "cat dog"),
    "around twice": (("C:/photos/cat/1.jpg", "C:/photos/dog/2.jpg"), "cat dog"),
    "dates": (DATED, "cat cat dog dog"),
    "dates below all": (tuple(f"photos/{path}" for path in DATED), "cat cat dog dog"),
    "days": (("cat/2024/05/1.jpg", "cat/20240531 garden/2.jpg", "dog/31.05.2024/3.jpg"), "cat cat dog"),
    "camera": (("cat/100CANON/1.jpg", "dog/202405__/2.jpg", "dog/3.jpg"), "cat dog dog"),
    "digits": (("digits/0/1.png", "digits/1/2.png"), "0 1"),
    "splits": (("train/cat/1.jpg", "train/dog/2.jpg", "valid/cat/3.jpg", "test/dog/4.jpg"), "cat dog cat dog"),
    "splits below": (("pets/train/cat/1.jpg", "pets/train/dog/2.jpg", "pets/test/cat/3.jpg"), "cat dog cat"),
    "a label called train": (("train/1.jpg", "bus/2.jpg"), "train bus"),
    "rooms": (
        ("cat/kitchen/1.jpg", "cat/garden/2.jpg", "dog/kitchen/3.jpg", "dog/4.jpg", "cup/5.jpg"),
        "- - - dog cup",
    ),
    "loose": (("1.jpg", "cat/2.jpg", "dog/3.jpg"), "- cat dog"),
    "loose in what is around": (("photos/1.jpg", "photos/cat/2.jpg", "photos/dog/3.jpg"), "- cat dog"),
    "beside train": (("train/cat/1.jpg", "train/dog/2.jpg", "more/cat/3.jpg"), "cat dog -"),
}


@pytest.mark.parametrize(("paths", "labels"), CASES.values(), ids=CASES)
def test_each_photo_has_the_label_of_its_folder_or_a_sentence(paths: tuple[str, ...], labels: str) -> None:
    found = placed([tuple(path.split("/")) for path in paths])

    assert " ".join(each.label or "-" for each in found) == labels
    assert all(bool(each.label) != bool(each.why) for each in found)


@pytest.mark.parametrize("paths", [paths for paths, _ in CASES.values()], ids=CASES)
def test_a_zip_and_the_folder_that_it_was_made_of_are_read_alike(tmp_path: Path, paths: tuple[str, ...]) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for path in (*paths, "__MACOSX/cat/._1.jpg", ".DS_Store", "cat/.DS_Store"):
            made.writestr(path, b"")
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(b"")
    zipped = {photo.path: (photo.label, photo.why) for photo in PhotoZip(file).photos}
    found = list_photos(tmp_path)

    listed = {str(photo.path.relative_to(tmp_path)): (photo.label, "") for photo in (*found.taught, *found.held)}
    listed |= {each.path: ("", each.error) for each in found.left_out}
    assert listed == zipped


def test_a_tree_of_which_no_photo_has_a_label_is_refused_with_the_reason(tmp_path: Path) -> None:
    for path in ("animals/cat/1.jpg", "animals/dog/2.jpg", "things/cup/3.jpg"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(b"")

    with pytest.raises(UsageError, match=r"animals/cat/1\.jpg: it lies in the folder 'cat' within 'animals'"):
        list_photos(tmp_path)
