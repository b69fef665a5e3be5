"""The user's own photos, from a folder tree or a CSV file, as a data set: checked, and split if they have no split.

In: photos with their labels, and their parts where those are given. Out: a Dataset. Blocks on the disk: to be trained
on, every photo is read once, so that unreadable photos are reported and left out, and near duplicates stay together.
"""

from __future__ import annotations

import logging
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from vitcam.errors import UsageError
from vitcam.pictures.decode import READABLE
from vitcam_training.data.dataset import ALL, BrokenPhotoError, Dataset, Sample, read_photo
from vitcam_training.data.stratified_split import Shares, Thumbnails, divide, thumbnail
from vitcam_training.progress import with_progress

MADE = Shares(heldout=0.2, calibration=0.1)
CALIBRATION_ONLY = Shares(heldout=0.0, calibration=0.1)  # where what is held out is given, and nothing calibrates
ENOUGH = 10  # photos of a label, for one of them to calibrate where the split is given

MOST_NAMED = 10  # labels

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ListedPhoto:
    """A photo as its owner lists it."""

    label: str
    path: Path
    part: str = ""
    """`train`, `calibration` or `heldout`; empty where the owner made no split."""
    written: str = ""
    """The label as it is written there; empty: as it is here."""


def to_measure(name: str, photos: Sequence[ListedPhoto]) -> Dataset:
    """The photos in the parts that were given, or all in the part `all`; none is opened."""
    _check_labels(name, photos)
    return _dataset(name, [replace(photo, part=photo.part or ALL) for photo in photos])


def to_train(name: str, photos: Sequence[ListedPhoto]) -> Dataset:
    """The photos that can be read, in parts; a split that is not given is made, the same every time.

    raises  UsageError if they are too few: two labels are needed, and two photos of each, or one to train on
    """
    _check_labels(name, photos)
    readable, rows = _read_all(name, photos)
    _check_enough(name, readable)
    if not readable[0].part:
        return _dataset(name, _split(readable, rows, MADE))
    if not any(photo.part == "calibration" for photo in readable):
        readable = _give_some_to_calibration(readable, rows)
    return _dataset(name, readable)


def clean_label(text: str, where: str) -> str:
    """A label in one spelling: accents composed, as not every file system writes them.

    raises  UsageError if it is empty, or could not stand on a line of its own in the model file
    """
    label = unicodedata.normalize("NFC", text).strip()
    if not label or not label.isprintable():
        raise UsageError(f"{where}: the label {text!r} must consist of printable characters; rename it")
    return label


def _read_all(name: str, photos: Sequence[ListedPhoto]) -> tuple[list[ListedPhoto], Thumbnails]:
    """The photos that can be read, and their thumbnails; the others are reported.

    raises  UsageError for a label of which none can be read
    """
    with ThreadPoolExecutor(len(os.sched_getaffinity(0)), thread_name_prefix="photos") as pool:
        found = pool.map(_thumbnail, [photo.path for photo in photos])
        rows = list(with_progress(found, f"reading {name}", len(photos)))
    for row in rows:
        if isinstance(row, BrokenPhotoError):
            log.warning("skipped %s", row)
    kept = [(photo, row) for photo, row in zip(photos, rows, strict=True) if not isinstance(row, BrokenPhotoError)]
    _check_lost(name, [photo for photo, _ in kept], photos, rows)
    return [photo for photo, _ in kept], np.stack([row for _, row in kept])


def _check_lost(
    name: str, kept: Sequence[ListedPhoto], photos: Sequence[ListedPhoto], rows: Sequence[Thumbnails | BrokenPhotoError]
) -> None:
    """Raise UsageError if of a label no photo is left."""
    left = {photo.label for photo in kept}
    lost = {photo.label: row for photo, row in zip(photos, rows, strict=True) if photo.label not in left}
    if not lost:
        return
    names = ", ".join(map(repr, sorted(lost)[:MOST_NAMED]))
    more = f" and {len(lost) - MOST_NAMED} more labels" if len(lost) > MOST_NAMED else ""
    raise UsageError(
        f"no photo of {names}{more} in {name} can be read, such as {lost[min(lost)]}; replace the photos, or remove "
        "the label"
    )


def _thumbnail(path: Path) -> Thumbnails | BrokenPhotoError:
    try:
        return thumbnail(read_photo(path))
    except BrokenPhotoError as error:
        return error


def _split(photos: Sequence[ListedPhoto], rows: Thumbnails, shares: Shares) -> list[ListedPhoto]:
    parts = divide([(photo.label, photo.path.name) for photo in photos], rows, shares)
    return [replace(photo, part=part) for photo, part in zip(photos, parts, strict=True)]


def _give_some_to_calibration(photos: Sequence[ListedPhoto], rows: Thumbnails) -> list[ListedPhoto]:
    """A tenth of the photos to train on, of labels that have enough of them."""
    count = Counter(photo.label for photo in photos if photo.part == "train")
    chosen = [i for i, photo in enumerate(photos) if photo.part == "train" and count[photo.label] >= ENOUGH]
    if not chosen:
        return list(photos)
    divided = dict(zip(chosen, _split([photos[i] for i in chosen], rows[chosen], CALIBRATION_ONLY), strict=True))
    return [divided.get(i, photo) for i, photo in enumerate(photos)]


def _dataset(name: str, photos: Sequence[ListedPhoto]) -> Dataset:
    labels = tuple(sorted({photo.label for photo in photos}))
    index = {label: i for i, label in enumerate(labels)}
    order = [part for part in ("train", "calibration", "heldout", ALL) if any(p.part == part for p in photos)]
    parts = {part: tuple(Sample(p.path, index[p.label]) for p in photos if p.part == part) for part in order}
    return Dataset(name, labels, parts)


def _check_labels(name: str, photos: Sequence[ListedPhoto]) -> None:
    """Raise UsageError if there is none, and warn of labels that are easily taken for one another."""
    if not photos:
        raise UsageError(f"{name} holds no photos; give {READABLE} files")
    spellings: dict[str, set[str]] = {}
    alike: dict[str, set[str]] = {}
    for photo in photos:
        spellings.setdefault(photo.label, set()).add(photo.written or photo.label)
        alike.setdefault(_folded(photo.label), set()).add(photo.label)
    for label, written in sorted(spellings.items()):
        if len(written) > 1:
            log.warning("%s: %s are one label, %r", name, " and ".join(map(ascii, sorted(written))), label)
    for labels in sorted(alike.values(), key=min):
        if len(labels) > 1:
            several = " and ".join(map(repr, sorted(labels)))
            log.warning("%s: %s are %d labels; if they mean the same, give them one name", name, several, len(labels))


def _folded(label: str) -> str:
    """Without case, width and spaces, by which people do not tell labels apart."""
    return "".join(unicodedata.normalize("NFKC", label).casefold().split())


def _check_enough(name: str, photos: Sequence[ListedPhoto]) -> None:
    """Raise UsageError unless there is something to tell apart, and of each label something to learn from."""
    labels = sorted({photo.label for photo in photos})
    if len(labels) < 2:
        raise UsageError(f"{name} holds photos of 1 label, {labels[0]!r}; at least two labels are needed")
    parts = {photo.part for photo in photos}
    if "" not in parts and not {"train", "heldout"} <= parts:
        raise UsageError(f"{name} has photos for {', '.join(sorted(parts))} only; give train and heldout, or no split")
    count = Counter(photo.label for photo in photos if photo.part in ("", "train"))
    needed = 2 if "" in parts else 1  # a split that is made takes one to measure with
    short = [label for label in labels if count[label] < needed]
    if short:
        others = f" (and {len(short) - 1} more labels too few)" if len(short) > 1 else ""
        raise UsageError(
            f"the label {short[0]!r} of {name} has {count[short[0]]} to train on of the photos that can be read"
            f"{others}; {needed} are needed at least: add some, or remove the label"
        )


_KINDS = {
    "train": ("train", "training"),
    "calibration": ("calibration", "calib"),
    "heldout": ("heldout", "holdout", "test", "testing", "eval", "evaluation"),
    "validation": ("val", "valid", "validation", "validate", "dev", "development"),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}
_ENDING = re.compile(r"(set|data|split|images?|photos?)?([12]\d{3})?$")  # `testing_set`, `Train Data`, `val2017`
USUAL = tuple(name for names in _KINDS.values() for name in names)


def parts_of(names: Iterable[str]) -> dict[str, str]:
    """Name -> part, `train`, `calibration` or `heldout`, of those that are usual names of parts, in any case.

    What validates is held out, unless something else is: then it calibrates.
    """
    kinds = {name: kind for name in names if (kind := _kind(name))}
    validating = "calibration" if "heldout" in kinds.values() else "heldout"
    return {name: validating if kind == "validation" else kind for name, kind in kinds.items()}


def _kind(name: str) -> str | None:
    plain = re.sub(r"[\W_]", "", name.casefold())
    return _KIND_OF.get(plain) or _KIND_OF.get(_ENDING.sub("", plain))
