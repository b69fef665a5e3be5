"""The two collections of labelled photos that the bundled model is trained on: Caltech-101 and tf_flowers."""

from __future__ import annotations

from pathlib import Path

from vitcam_training.data.dataset import missing_data

FOLDERS = ("caltech101", "flowers/train", "flowers/val")
SOURCES = "data.caltech.edu/records/mzrjq-6wc02 (Caltech-101) and tensorflow.org/datasets/catalog/tf_flowers"


def photos(root: Path) -> list[str]:
    """All photos of both, as paths relative to the data root, in order.

    raises  UsageError if one of the three folders is not there
    """
    for folder in FOLDERS:
        if not (root / folder).is_dir():
            raise missing_data(root / folder, SOURCES)
    found = (path for folder in FOLDERS for path in (root / folder).glob("*/*.jpg"))
    return sorted(path.relative_to(root).as_posix() for path in found)
