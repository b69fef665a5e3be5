"""Any folder of photos as a data set: `LABEL/photo.jpg`, or the same below `train/` and `heldout/` (or `val/`)."""

from __future__ import annotations

import logging
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.pictures.decode import IMAGE_SUFFIXES
from vitcam.pictures.encode import encode_by_ending
from vitcam_training.data.dataset import Dataset
from vitcam_training.data.photos import photo_of
from vitcam_training.data.user_photos import ListedPhoto, clean_label

HELD_OUT = ("heldout", "test", "val")  # names of the folder whose photos give the figures; the first that there is
CALIBRATION = ("calibration", "val")
SYSTEM = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})  # what zip programs and file managers leave behind

log = logging.getLogger(__name__)


def list_folder(root: Path) -> list[ListedPhoto]:
    """Every photo of a folder, in order. Labels are the names of the folders in it; what is hidden is left out.

    A split is given by folders `train` and `heldout`, `test` or `val`; `calibration`, or a `val` beside `test`, gives
    the photos that temperature and threshold are fitted on.

    raises  UsageError if the folder is missing, cannot be read, or holds no photo where photos should lie
    """
    if not root.is_dir():
        raise UsageError(f"no data set and no folder is called {str(root)!r}; give a folder of LABEL/photo.jpg")
    try:
        parts = _parts(root)
        photos = [photo for part, folder in parts.items() for photo in _photos(folder, part)]
        loose = unlabelled_photos(root)
    except OSError as error:
        raise UsageError(f"{error.filename or root} cannot be read: {error.strerror}; allow it, or move it") from error
    if not photos:
        found = f"photos beside one another, such as {loose[0].name}" if loose else "none"
        raise UsageError(
            f"{root} should hold photos as LABEL/photo.jpg, and holds {found}; give each label a folder, or a teacher "
            "that knows labels (--teacher)"
        )
    return photos


def unlabelled_photos(root: Path) -> list[Path]:
    """The photos beside one another in a folder, in order. Raises OSError if the folder cannot be read."""
    return [path for path in _seen(root) if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file()]


def _parts(root: Path) -> dict[str, Path]:
    """Name of each part -> its folder; only one, of no name, where there is no split."""
    held_out = next((root / name for name in HELD_OUT if (root / name).is_dir()), None)
    if held_out is None or not (root / "train").is_dir():
        return {"": root}
    parts = {"train": root / "train", "heldout": held_out}
    calibration = [root / name for name in CALIBRATION if (root / name).is_dir() and root / name != held_out]
    return parts | ({"calibration": calibration[0]} if calibration else {})


def _photos(root: Path, part: str) -> list[ListedPhoto]:
    found = [path for folder in _seen(root) if folder.is_dir() for path in _seen(folder)]
    photos = [path for path in found if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file()]
    others = len(found) - len(photos)
    if others:
        odd = next(path for path in found if path not in set(photos))
        log.warning("ignored %d files without the name of a photo, such as %s", others, odd)
    return [ListedPhoto(clean_label(path.parent.name, str(root)), path, part) for path in photos]


def _seen(folder: Path) -> list[Path]:
    """What a folder holds, in order, without what is hidden."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".") and path.name not in SYSTEM)


def lay_out(dataset: Dataset, part: str, root: Path) -> int:
    """Links `root/LABEL/photo.jpg` to the photos of one part, or writes those that have no file; returns how many.

    raises  UsageError if `root` is there and not empty: a link that was left over would be counted as data
    """
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UsageError(f"{root} is not an empty folder; name a new one")
    samples = dataset.part(part)
    for sample in samples:
        label = dataset.labels[sample.label].replace("/", "-") if dataset.labels else dataset.name
        link = root / label / sample.path.name
        if link.is_symlink():  # two folders of the data set have a photo of this name
            link = link.with_name(f"{sample.path.parent.name}-{sample.path.name}")
        link.parent.mkdir(parents=True, exist_ok=True)
        if sample.pixels is None and sample.render is None:
            link.symlink_to(sample.path.resolve())
        else:
            link.write_bytes(encode_by_ending(photo_of(sample), link.name))
    return len(samples)
