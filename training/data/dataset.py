"""What a data set is to the rest of the training: labels, and lists of labelled files in named parts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError


@dataclass(frozen=True)
class Sample:
    """A photo and what it shows."""

    path: Path
    label: int
    """Index into the data set's labels."""


@dataclass(frozen=True)
class Dataset:
    """Labelled photos in named parts, of which `train` and `heldout` are always there."""

    name: str
    labels: tuple[str, ...]
    parts: dict[str, tuple[Sample, ...]]


def data_root() -> Path:
    """The folder that holds the data sets: VITCAM_DATA, or `../shared/data`."""
    return Path(os.environ.get("VITCAM_DATA", "../shared/data"))


def missing_data(path: Path) -> UsageError:
    """The error for data that is not there: where to get it, and how to say where it is."""
    return UsageError(
        f"no data at {path}: unpack Caltech-101 (data.caltech.edu/records/mzrjq-6wc02) as caltech101/CLASS/*.jpg and "
        "the flower photos (tensorflow.org/datasets/catalog/tf_flowers) as flowers/{train,val}/CLASS/*.jpg "
        "into one folder and name that folder in VITCAM_DATA"
    )
