"""`python -m vitcam_training.study.everyday_split`: splits three collections, each scene that was found on one side.

It writes `everyday_pairs.csv` here, and the parts where the data set reads them.

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
from pathlib import Path, PurePath

from vitcam_training.data.dataset import data_root
from vitcam_training.data.published import everyday_photos
from vitcam_training.data.published.everyday_photos import PARTS, held_out_before, label_of, photos
from vitcam_training.data.published.things import read_things
from vitcam_training.study.everyday_split.scene_pairs import find_pairs
from vitcam_training.study.program import program, start

MEASURED = ("imagenet_samples/*.jpg", "ordinary/*/*.jpg")
CHOOSE, CALIBRATION = 6, 6  # photos of each label
TRAIN = 12  # groups of each label that are trained on before others choose and calibrate
HOUSEHOLD = {"heldout": 4, "choose": 2, "calibration": 2}  # photos of each of its labels: there are about 20 in all
HOUSEHOLD_TRAIN = 5
Pair = tuple[str, str]
PAIRS = Path(__file__).with_name("everyday_pairs.csv")


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
    names = read_things().labels
    for label, own in by_label.items():
        own.sort(key=lambda group: _rank(names[label], group[0]))
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


def _rank(label: str, path: str) -> str:
    """A number that depends on the label and the file's stem alone, so new photos do not move old ones."""
    return hashlib.sha256(f"{label}/{PurePath(path).stem}".encode()).hexdigest()


def listed_pairs() -> list[Pair]:
    """The pairs of photos that show the same scene."""
    with PAIRS.open(encoding="utf-8", newline="") as file:
        return [(one, other) for one, other in list(csv.reader(file))[1:]]


def _write(path: Path, header: Pair, rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def write_lists() -> None:
    """Find the photos of `everyday` that show the same scene, divide all into parts, and write both lists."""
    root = data_root()
    own = photos(root)
    others = sorted(path.relative_to(root).as_posix() for pattern in MEASURED for path in root.glob(pattern))
    _write(PAIRS, ("one", "other"), find_pairs(root, own, others))
    made = split(own, listed_pairs(), held_out_before())
    parts = Path(everyday_photos.__file__).with_name(PARTS)
    _write(parts, ("part", "path"), [(part, path) for part, members in made.items() for path in members])


app = program(write_lists)
if __name__ == "__main__":
    start(app, "everyday_split")
