"""A folder of named photos, `LABEL/photo.jpg`: which photos there are, and which were taken in one go."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.frames import Unreadable
from vitcam.parts.teach.datasets.recordings import recording_of
from vitcam.parts.teach.datasets.teachable import MOST_PHOTOS, checked_label
from vitcam.pictures.decode import IMAGE_SUFFIXES, READABLE
from vitcam.pictures.photo_tree import PlacedPhoto, is_hidden, placed, shown
from vitcam.sentence import Sentence
from vitcam.text import readable, shortened

_MOST_FILES = 10 * MOST_PHOTOS
_DEEPEST = 8  # folders


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
    left_out: tuple[Unreadable, ...] = ()
    """Photos whose place gives them no label."""

    @property
    def name(self) -> str:
        """What it is called in the model's record."""
        return shortened(readable(self.root.resolve().name))


def list_photos(root: Path, least: int = 2) -> Folder:
    """The photos of a folder, in order, with the labels that `vitcam.pictures.photo_tree` gives them.

    least   labels that there must be
    raises  UsageError if there is no such folder, it holds no photo or too many, too few labels, or a label that cannot
            be one
    """
    if not root.is_dir():
        raise UsageError(f"there is no folder {str(root)!r}; give one that holds photos as LABEL/photo.jpg")
    try:
        files = sorted(_files(root))
    except OSError as error:
        raise UsageError(f"{error.filename or root} cannot be read: {error.strerror}; allow it, or move it") from error
    places = placed([path.relative_to(root).parts for path in files])
    found = [each for each in zip(files, places, strict=True) if each[0].suffix.lower() in IMAGE_SUFFIXES]
    left_out = tuple(
        Unreadable(shown(str(path.relative_to(root))), place.why) for path, place in found if not place.label
    )
    taught, held = (tuple(_photos(found, is_held)) for is_held in (False, True))
    _check(root, taught, left_out, least)
    known = {photo.label for photo in taught}
    return Folder(root, taught, tuple(photo for photo in held if photo.label in known), left_out)


def _photos(found: Sequence[tuple[Path, PlacedPhoto]], held: bool) -> Iterator[Photo]:
    for path, place in found:
        if place.label and place.held == held:
            yield Photo(checked_label(place.label), path, recording_of(path.name))


def _files(root: Path) -> Iterator[Path]:
    """All plain files, without what is hidden. Raises OSError, and UsageError where there are too many."""
    count = 0
    for folder, folders, names in os.walk(root, onerror=_raise, followlinks=True):
        depth = len(Path(folder).relative_to(root).parts)
        folders[:] = [name for name in folders if not is_hidden([name])] if depth < _DEEPEST else []
        count += len(names)
        if count > _MOST_FILES:
            raise UsageError(f"{root} holds more than {_MOST_FILES:,} files; give a folder with the photos alone")
        paths = (Path(folder, name) for name in names if not is_hidden([name]))
        yield from (path for path in paths if path.is_file())


def _raise(error: OSError) -> None:
    raise error


def _check(root: Path, photos: Sequence[Photo], left_out: Sequence[Unreadable], least: int) -> None:
    labels = sorted({photo.label for photo in photos})
    if not photos:
        why = f"; {left_out[0].path}: {left_out[0].error}" if left_out else ""
        missing = why or f"; put {READABLE} files there, each label in a folder"
        raise UsageError(Sentence(f"{root} holds no photos as LABEL/photo.jpg{missing}", "teach.no_photos"))
    if len(photos) > MOST_PHOTOS:
        many = f"{root} holds {len(photos):,} photos; at most {MOST_PHOTOS:,} can be taught, so remove some"
        raise UsageError(Sentence(many, "teach.too_many", most=MOST_PHOTOS))
    if len(labels) < least:
        raise UsageError(
            Sentence(
                f"{root} holds photos of 1 label, {labels[0]!r}; at least two are needed: add photos of something "
                "else, or of the empty scene",
                "teach.one_label",
                label=labels[0],
            )
        )
    first: dict[str, str] = {}
    for label in labels:
        if (other := first.setdefault(label.casefold(), label)) != label:
            alike = f"{other!r} and {label!r} differ in case only; give them one name"
            raise UsageError(Sentence(alike, "teach.labels_alike", one=other, other=label))
