"""How `everyday_parts.csv` was made: a split of three collections with each scene that was found on one side.

    python -m vitcam_training.data.published.scene_split

Photos that show the same scene form a group: copies, crops, mirror images, frames of a video, bursts, also if they have
two labels. `everyday_pairs.csv` lists the pairs found among the nearest neighbours of each photo by two networks
(`everyday` of 104 labels, and DeiT-Tiny, which found 16 more), and one that shares its file's name. If a group holds a
photo that was held out before, that one stays held out. Then the groups of each label, in an order that a hash of
their names gives, choose and calibrate, one photo of each; of a household's photos some are held out in the same way.
The others are trained on. The rest of a group that is not trained on is left out. So is a photo whose scene has two
labels, or lies in a collection for measuring, too.

A household's fruit, vegetables and cartons were taken in shops, its clothes at home, all with phones: many show the
same shelf.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePath

from vitcam_training.data.dataset import data_root, missing_data
from vitcam_training.data.published.things import Things, read_things

MEASURED = ("imagenet_samples/*.jpg", "ordinary/*/*.jpg")
CHOOSE, CALIBRATION = 6, 6  # photos of each label
TRAIN = 12  # groups of each label that are trained on before others choose and calibrate
HOUSEHOLD = {"heldout": 4, "choose": 2, "calibration": 2}  # photos of each of its labels: there are about 20 in all
HOUSEHOLD_TRAIN = 5
Pair = tuple[str, str]
PAIRS, PARTS = "everyday_pairs.csv", "everyday_parts.csv"
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


def split(paths: Sequence[str], pairs: Iterable[Pair], held_out: Sequence[str]) -> dict[str, list[str]]:
    """The parts `heldout`, `choose`, `calibration` and `duplicates`; every other photo is trained on.

    paths     photos of the two collections, relative to the data root
    pairs     photos that show the same scene, also with photos of other collections
    held_out  photos that were held out before
    """
    known, before = set(paths), set(held_out)
    found: dict[str, list[str]] = {part: [] for part in ("heldout", "choose", "calibration", "duplicates")}
    by_label: dict[int, list[list[str]]] = {}
    for group in scenes(paths, pairs):
        labels = {label_of(path) for path in known.intersection(group)}
        if len(labels) > 1 or not known.issuperset(group):
            found["duplicates"] += known.intersection(group)
        elif kept := [path for path in group if path in before]:
            found["heldout"].append(kept[0])
            found["duplicates"] += [path for path in group if path != kept[0]]
        else:
            by_label.setdefault(labels.pop(), []).append(group)
    for own in by_label.values():
        own.sort(key=lambda group: rank(group[0]))
        for part, count in _counts(own).items():
            taken, own[:] = own[:count], own[count:]
            found[part] += [group[0] for group in taken]
            found["duplicates"] += [path for group in taken for path in group[1:]]
    return {part: sorted(members) for part, members in found.items()}


def _counts(groups: Sequence[Sequence[str]]) -> dict[str, int]:
    """How many groups of one label each part gets; the others are trained on."""
    if not groups[0][0].startswith("household/"):
        spare = max(0, len(groups) - TRAIN) // 2
        return {"choose": min(CHOOSE, spare), "calibration": min(CALIBRATION, spare)}
    spare, counts = max(0, len(groups) - HOUSEHOLD_TRAIN), {}
    for part, wanted in HOUSEHOLD.items():
        counts[part] = min(wanted, (spare + 1) // 2)
        spare -= counts[part]
    return counts


def scenes(paths: Sequence[str], pairs: Iterable[Pair]) -> list[list[str]]:
    """Groups of photos that show the same scene, directly or through others; each sorted by name."""
    group_of = {path: [path] for path in paths}
    for one, other in pairs:
        left, right = group_of.setdefault(one, [one]), group_of.setdefault(other, [other])
        if left is not right:
            left += right
            group_of |= dict.fromkeys(right, left)
    return [sorted(group) for group in {id(group): group for group in group_of.values()}.values()]


def label_of(path: str) -> int:
    """The label of a photo by its folder, as an index into `Things.labels`."""
    label = _label(path)
    if label is None:
        raise ValueError(f"{path} shows nothing of things.csv")
    return label


def rank(path: str) -> str:
    """A number that depends on the label and the file's stem alone, so new photos do not move old ones."""
    return hashlib.sha256(f"{_things().labels[label_of(path)]}/{PurePath(path).stem}".encode()).hexdigest()


def listed_pairs() -> list[Pair]:
    """The pairs of photos that show the same scene."""
    return [(one, other) for one, other in _table(PAIRS)]


def held_out_before() -> list[str]:
    """The photos of things in the table that the model of 104 labels had held out, before scenes were looked for."""
    return [line for line in _text(BEFORE).splitlines() if not line.startswith("#") and _label(line) is not None]


def listed_parts() -> dict[str, list[str]]:
    """The paths of each part, as the committed table has them."""
    found: dict[str, list[str]] = {}
    for part, path in _table(PARTS):
        found.setdefault(part, []).append(path)
    return found


def _label(path: str) -> int | None:
    """None: the photo shows no thing of the table."""
    return _things().label_of_folder(PurePath(path).parent.name)


@cache
def _things() -> Things:
    return read_things()


def _table(name: str) -> list[list[str]]:
    return list(csv.reader(_text(name).splitlines()))[1:]


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _write(name: str, header: Pair, rows: Iterable[Sequence[str]]) -> None:
    with Path(__file__).with_name(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


if __name__ == "__main__":
    from vitcam_training.data.published.scene_pairs import find_pairs  # it runs a model, which data sets do not need

    root = data_root()
    own = photos(root)
    others = sorted(path.relative_to(root).as_posix() for pattern in MEASURED for path in root.glob(pattern))
    _write(PAIRS, ("one", "other"), find_pairs(root, own, others))
    made = split(own, listed_pairs(), held_out_before())
    _write(PARTS, ("part", "path"), [(part, path) for part, members in made.items() for path in members])
