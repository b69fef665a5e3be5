"""The data set of the bundled model: Caltech-101's things and animals plus five flowers, 104 labels.

In: the folders `caltech101/` and `flowers/` under the data root. Out: a Dataset with the parts `train`,
`calibration` (2 photos of each label, for the temperature and the threshold) and `heldout` (10 of each, for figures
only). The two small parts are lists in this folder, so they are the same everywhere. `everyday_split.py` makes them and
the list of near duplicates, which are left out of `train`.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from vitcam_training.data.dataset import Dataset, Sample, data_root, missing_data

FOLDERS = ("caltech101", "flowers/train", "flowers/val")
SOURCES = "data.caltech.edu/records/mzrjq-6wc02 (Caltech-101) and tensorflow.org/datasets/catalog/tf_flowers"

# Folder names as the publishers spell them -> what a person would say. Others: underscores become spaces.
LABELS = {
    "Faces": "face", "Faces_easy": "face", "Leopards": "leopard", "Motorbikes": "motorbike",
    "airplanes": "airplane", "roses": "rose", "sunflowers": "sunflower", "tulips": "tulip",
    "bass": "bass (fish)", "binocular": "binoculars", "buddha": "buddha statue", "car_side": "car",
    "ceiling_fan": "ceiling fan", "cellphone": "cell phone", "cougar_body": "cougar", "cougar_face": "cougar's face",
    "crocodile_head": "crocodile's head", "dollar_bill": "dollar bill", "flamingo_head": "flamingo's head",
    "garfield": "Garfield", "hawksbill": "hawksbill turtle", "headphone": "headphones",
    "inline_skate": "inline skate", "joshua_tree": "Joshua tree", "ketch": "ketch (two masts)",
    "rhino": "rhinoceros", "schooner": "schooner (sailing ship)", "sea_horse": "seahorse", "snoopy": "Snoopy",
    "water_lilly": "water lily", "wild_cat": "wild cat", "windsor_chair": "Windsor chair",
    "yin_yang": "yin and yang",
}  # fmt: skip


def label_of(path: str) -> str:
    """`"caltech101/water_lilly/image_0001.jpg"` -> `"water lily"`."""
    folder = Path(path).parent.name
    return LABELS.get(folder, folder.replace("_", " "))


def photos(root: Path) -> list[str]:
    """All photos of the set, as paths relative to `root`, in order.

    raises  UsageError if one of the three folders is not there
    """
    for folder in FOLDERS:
        if not (root / folder).is_dir():
            raise missing_data(root / folder, SOURCES)
    found = (path for folder in FOLDERS for path in (root / folder).glob("*/*.jpg"))
    return sorted(path.relative_to(root).as_posix() for path in found)


def listed(part: str) -> list[str]:
    """The paths in `everyday_PART.txt` beside this file; lines that begin with # are remarks."""
    text = files(__package__).joinpath(f"everyday_{part}.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def everyday() -> Dataset:
    """Every photo of the set in its part. Raises UsageError if the data or a listed photo is missing."""
    root = data_root()
    known = photos(root)
    labels = tuple(sorted({label_of(path) for path in known}, key=str.lower))
    parts = {part: listed(part) for part in ("heldout", "calibration")}
    for path in (path for part in parts.values() for path in part):
        if not (root / path).is_file():
            raise missing_data(root / path, SOURCES)
    taken = {*parts["heldout"], *parts["calibration"], *listed("duplicates")}
    parts["train"] = [path for path in known if path not in taken]
    index = {label: i for i, label in enumerate(labels)}
    samples = {
        part: tuple(Sample(root / path, index[label_of(path)]) for path in paths) for part, paths in parts.items()
    }
    return Dataset("everyday", labels, samples)
