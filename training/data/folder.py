"""Any folder of photos as a data set: `LABEL/photo.jpg`, or the same below `train/` and `heldout/` (or `val/`)."""

from __future__ import annotations

import hashlib
from pathlib import Path

import cv2

from vitcam.errors import UsageError

from .dataset import Dataset, Sample

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp"}
HELD_OUT_SHARE = 0.2  # of each label's photos, where the folder makes no split of its own


def folder(root: Path) -> Dataset:
    """Labels are the names of the folders, in order.

    raises  UsageError if the folder is missing or has fewer than two labels with photos
    """
    if not root.is_dir():
        raise UsageError(f"no data set and no folder is called {str(root)!r}; give a folder of LABEL/photo.jpg")
    held_out = next((root / name for name in ("heldout", "val", "test") if (root / name).is_dir()), None)
    if held_out and (root / "train").is_dir():
        parts = {"train": _photos(root / "train"), "heldout": _photos(held_out)}
    else:
        parts = _split(_photos(root))
    labels = tuple(sorted({label for part in parts.values() for label, _ in part}))
    if len(labels) < 2:
        raise UsageError(f"{root} holds photos of {len(labels)} labels; at least two folders of photos are needed")
    index = {label: i for i, label in enumerate(labels)}
    samples = {name: tuple(Sample(path, index[label]) for label, path in part) for name, part in parts.items()}
    return Dataset(root.name, labels, samples)


def _photos(root: Path) -> list[tuple[str, Path]]:
    paths = sorted(path for path in root.glob("*/*") if path.suffix.lower() in SUFFIXES)
    return [(path.parent.name, path) for path in paths]


def _split(photos: list[tuple[str, Path]]) -> dict[str, list[tuple[str, Path]]]:
    """By a hash of label and file name: the same on every machine, whatever is added later."""
    parts: dict[str, list[tuple[str, Path]]] = {"train": [], "heldout": []}
    for label, path in photos:
        digest = hashlib.sha256(f"{label}/{path.name}".encode()).digest()
        chance = int.from_bytes(digest[:4], "big") / 2**32
        parts["heldout" if chance < HELD_OUT_SHARE else "train"].append((label, path))
    return parts


def lay_out(dataset: Dataset, part: str, root: Path) -> int:
    """Links `root/LABEL/photo.jpg` to the photos of one part, or writes those that have no file; returns how many.

    raises  UsageError if `root` is there and not empty: a link that was left over would be counted as data
    """
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UsageError(f"{root} is not an empty folder; name one that is new")
    samples = dataset.part(part)
    for sample in samples:
        label = dataset.labels[sample.label].replace("/", "-")
        link = root / label / sample.path.name
        if link.is_symlink():  # two folders of the data set have a photo of this name
            link = link.with_name(f"{sample.path.parent.name}-{sample.path.name}")
        link.parent.mkdir(parents=True, exist_ok=True)
        if sample.pixels is None:
            link.symlink_to(sample.path.resolve())
        else:
            cv2.imwrite(str(link), cv2.cvtColor(sample.pixels, cv2.COLOR_RGB2BGR))
    return len(samples)
