"""A data set: labels, and labelled photos in named parts; and photos read from files.

Files are decoded by the daemon's own reader, so that training sees what the camera program would.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vitcam.errors import UsageError
from vitcam.folders import data_folder
from vitcam.frames import Image
from vitcam.pictures.decode import decode_image

ALL = "all"
"""The part that every data set has: the photos of all its other parts."""
REPLAY = "replay"
"""The part of photos without labels, on which a network that is trained keeps to the answers of its teacher."""
BASE = "base"
"""The part of photos of labels that a network knows already, with these labels: what is added must leave them alone."""
BLANK = "blank"
"""The part of pictures in which there is nothing to see."""
CHOOSE = "choose"
"""The part on which choices are made: of the recipe, of several runs, of what stays in float."""
USUAL = "usual"
"""The part of photos such as a camera sees, of those that choose: the temperature is fitted to them."""
SHOWN = "shown"
"""The part of further photos of one label: it has more of them than the others, and its own weight."""
DARK = "dark"
"""The part of the same photos, altered as if they were taken in the dark."""
ABSENT = "absent"
"""The part of photos that teach no more than that this label is not there."""
DEPICTED = "depicted"
"""The part of pictures and figures of what this label means, which are not it."""
ALTERED = "altered"
"""The part of photos of `base`, altered as those of this label were: they teach no more than that it is not there."""
UNLABELLED = -1
"""In place of a label: nobody says what the photo shows."""
NOTHING = -2
"""In place of a label: the picture shows nothing, so every label is as wrong as any other."""


@dataclass(frozen=True)
class Sample:
    """A photo and what it shows."""

    path: Path
    label: int
    """Index into the data set's labels, or `UNLABELLED`, or `NOTHING`."""
    pixels: Image | None = field(default=None, repr=False, compare=False)
    """(H, W, 3) uint8 RGB: the photo itself, where many come in one file; `path` is then only its name."""
    render: Callable[[], Image] | None = field(default=None, repr=False, compare=False)
    """Makes the photo where none is stored; `path` is then only its name."""
    accepted: frozenset[int] = frozenset()
    """Other labels that are right, too: a photo of a dog may be called any breed."""
    also: frozenset[int] = frozenset()
    """Labels of something else that the photo shows as much, so they are right as well: the player of a cello."""

    @property
    def right(self) -> frozenset[int]:
        """All labels that are right; empty for a photo without a label."""
        return self.accepted | self.also | ({self.label} if self.label >= 0 else set())


@dataclass(frozen=True)
class Dataset:
    """Labelled photos in named parts: `train` and `heldout`, often `calibration`; or `all`, which is only measured."""

    name: str
    labels: tuple[str, ...]
    parts: dict[str, tuple[Sample, ...]]
    synsets: Mapping[str, int] = field(default_factory=dict)
    """WordNet id -> index of the label that it means, for networks whose labels have such ids."""
    groups: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """Group -> indices of its labels, the smallest group first."""

    @property
    def choosing(self) -> str:
        """The part on which choices are made; held-out photos only where there are no others."""
        return next((name for name in (CHOOSE, "calibration") if self.parts.get(name)), "heldout")

    def part(self, name: str) -> tuple[Sample, ...]:
        """The photos of a part, or of `all`. Raises UsageError if there is none of that name, or no photo in it."""
        if name == ALL and ALL not in self.parts:
            return tuple(sample for samples in self.parts.values() for sample in samples)
        if not self.parts.get(name):
            allowed = ", ".join([*(part for part, samples in self.parts.items() if samples and part != ALL), ALL])
            raise UsageError(f"the data set {self.name} has no photos in a part {name!r}; allowed: {allowed}")
        return self.parts[name]


def data_root() -> Path:
    """The folder that holds the data sets: VITCAM_DATA, or the user's folder of data, `$XDG_DATA_HOME/vitcam`.

    raises  UsageError for a user without a home, where VITCAM_DATA is not set
    """
    root = os.environ.get("VITCAM_DATA") or data_folder(os.environ)
    if root is None:
        raise UsageError("no folder of data sets is known; name one in VITCAM_DATA")
    return Path(root)


def missing_data(path: Path, source: str) -> UsageError:
    """The error for missing data. It says where to get them and how to name their folder."""
    return UsageError(f"no data at {path}: get it from {source}; then name the folder above it in VITCAM_DATA")


class BrokenPhotoError(UsageError):
    """A file that cannot be read as a photo. A loop over many photos reports it and continues."""


def photo_of(sample: Sample) -> Image:
    """A sample's photo, (H, W, 3) uint8 RGB. Raises BrokenPhotoError if its file cannot be read or is not a picture."""
    if sample.render is not None:
        return sample.render()
    return read_photo(sample.path) if sample.pixels is None else sample.pixels


def read_photo(path: Path) -> Image:
    """Decode a photo, turned upright as its EXIF says.

    returns  (H, W, 3) uint8, RGB
    raises   BrokenPhotoError, naming the file, if it cannot be read or is not a picture
    """
    try:
        return decode_image(path.read_bytes())
    except OSError as error:
        raise BrokenPhotoError(f"{path}: cannot be read: {error.strerror}") from error
    except UsageError as error:
        raise BrokenPhotoError(f"{path}: {error}") from error
