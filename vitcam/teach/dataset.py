"""A folder of named photos, `LABEL/photo.jpg`: which photos there are, and which were taken in one go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vitcam.datasets.recordings import recording_of
from vitcam.datasets.teachable import MOST_PHOTOS, checked_label
from vitcam.errors import UsageError
from vitcam.pictures.decode import IMAGE_SUFFIXES, READABLE
from vitcam.text import readable, shortened

_TAUGHT, _HELD = ("train", "training"), ("val", "valid", "validation", "test", "testing", "heldout", "calibration")


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo as its owner named it."""

    label: str
    path: Path
    recording: str = ""
    """Pictures of one recording look alike; empty: it was taken by itself."""


@dataclass(frozen=True, slots=True)
class Folder:
    """What a data set holds."""

    root: Path
    taught: tuple[Photo, ...]
    held: tuple[Photo, ...] = ()
    """Those in folders such as `val` and `test`: the model is measured on them and not taught with them."""

    @property
    def name(self) -> str:
        """What it is called in the model's record."""
        return shortened(readable(self.root.resolve().name))


def list_photos(root: Path) -> Folder:
    """The photos of a folder, in order. The names of the folders are the labels.

    Where folders `train` and, for example, `val` hold the folders of labels, only those of `train` are taught.

    raises  UsageError if there is no such folder, it holds no photo or too many, fewer than two labels, or a label that
            cannot be one
    """
    if not root.is_dir():
        raise UsageError(f"there is no folder {str(root)!r}; give one that holds photos as LABEL/photo.jpg")
    try:
        parts = _parts(root)
        taught = tuple(photo for part, is_taught in parts.items() if is_taught for photo in _photos(part))
        held = tuple(photo for part, is_taught in parts.items() if not is_taught for photo in _photos(part))
    except OSError as error:
        raise UsageError(f"{error.filename or root} cannot be read: {error.strerror}; allow it, or move it") from error
    _check(root, taught)
    known = {photo.label for photo in taught}
    return Folder(root, taught, tuple(photo for photo in held if photo.label in known))


def _parts(root: Path) -> dict[Path, bool]:
    """Folders that hold folders of labels, and whether their photos are taught."""
    inner = [path for path in _seen(root) if path.is_dir() and any(each.is_dir() for each in _seen(path))]
    parts = {path: path.name.casefold() in _TAUGHT for path in inner if path.name.casefold() in (*_TAUGHT, *_HELD)}
    return parts if any(parts.values()) else {root: True}


def _photos(part: Path) -> Iterator[Photo]:
    for folder in _seen(part):
        if folder.is_dir():
            paths = [path for path in _seen(folder) if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file()]
            label = checked_label(readable(folder.name)) if paths else ""
            yield from (Photo(label, path, recording_of(path.name)) for path in paths)


def _seen(folder: Path) -> list[Path]:
    """What a folder holds, in order, without what is hidden."""
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".") and path.name != "__MACOSX")


def _check(root: Path, photos: Sequence[Photo]) -> None:
    labels = sorted({photo.label for photo in photos})
    if not photos:
        raise UsageError(
            f"{root} holds no photos as LABEL/photo.jpg; put {READABLE} files there, each label in a folder"
        )
    if len(photos) > MOST_PHOTOS:
        raise UsageError(f"{root} holds {len(photos):,} photos; at most {MOST_PHOTOS:,} can be taught, so remove some")
    if len(labels) < 2:
        raise UsageError(
            f"{root} holds photos of 1 label, {labels[0]!r}; at least two are needed: add photos of something else, "
            "or of the empty scene"
        )
    first: dict[str, str] = {}
    for label in labels:
        if (other := first.setdefault(label.casefold(), label)) != label:
            raise UsageError(f"{other!r} and {label!r} differ in case only; give them one name")
