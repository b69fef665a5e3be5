"""The photos of three collections that `everyday` is made of, and the parts that they are in.

`everyday_parts.csv` lists the parts; `training/study/everyday_split/` in a checkout is how it was made.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePath

from vitcam_training.data.dataset import missing_data
from vitcam_training.data.published.things import Things, read_things

PARTS = "everyday_parts.csv"
BEFORE = "everyday_heldout_before.txt"
FOLDERS = ("caltech101", "flowers/train", "flowers/val", "household")
SOURCES = (
    "data.caltech.edu/records/mzrjq-6wc02 (Caltech-101), tensorflow.org/datasets/catalog/tf_flowers, and "
    "github.com/marcusklasson/GroceryStoreDataset with alexeygrigorev/clothing-dataset-small (household)"
)


def photos(root: Path) -> list[str]:
    """All photos of the collections that show a thing of the table, as paths relative to the data root, in order.

    raises  UsageError if one of the folders is not there
    """
    for folder in FOLDERS:
        if not (root / folder).is_dir():
            raise missing_data(root / folder, SOURCES)
    found = (path.relative_to(root).as_posix() for folder in FOLDERS for path in (root / folder).glob("*/*.jpg"))
    return sorted(path for path in found if _label(path) is not None)


def label_of(path: str) -> int:
    """The label of a photo by its folder, as an index into `Things.labels`."""
    label = _label(path)
    if label is None:
        raise ValueError(f"{path} shows nothing of things.csv")
    return label


def held_out_before() -> list[str]:
    """The photos of things in the table that the model of 104 labels had held out, before scenes were looked for."""
    return [line for line in _text(BEFORE).splitlines() if not line.startswith("#") and _label(line) is not None]


def listed_parts() -> dict[str, list[str]]:
    """The paths of each part, as the committed table has them."""
    found: dict[str, list[str]] = {}
    for part, path in list(csv.reader(_text(PARTS).splitlines()))[1:]:
        found.setdefault(part, []).append(path)
    return found


def _label(path: str) -> int | None:
    """None: the photo shows no thing of the table."""
    return _things().label_of_folder(PurePath(path).parent.name)


@cache
def _things() -> Things:
    return read_things()


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
