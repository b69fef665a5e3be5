"""How often a second model is right about photos of species: alone, with a list of the place, after the first look.

python -m tests.bench.species FOLDER [--graph birds.tflite --labels birds.txt] [--when bird] [--listed 60]

FOLDER holds NAME/photo.jpg, where a name is English or scientific; `ONE+OTHER` means either. The threshold of each half
of the photos is chosen by the other half. A list has the species of the photos, and others at random up to `--listed`.
The model lies below `VITCAM_DATA`.
"""

import argparse
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.needs import need_data
from vitcam.frames import Image
from vitcam.interval import wilson
from vitcam.model.classifier import Classifier
from vitcam.model.foreign_card import Given, threshold_of, write_described
from vitcam.model.labels import read_labels
from vitcam.names.species import Species
from vitcam.names.vocabulary import means_name
from vitcam.parts.second.answers import Sayable, SecondModel
from vitcam.pictures.decode import decode_image
from vitcam.pictures.photo_tree import placed
from vitcam.pictures.resize import frame_of_picture


@dataclass(frozen=True, slots=True)
class Answer:
    """Of one photo."""

    p: float
    is_right: bool
    is_named: bool
    """Whether the model may give its name at all: it is none of those that stand for nothing."""
    is_asked: bool
    """Whether the first look gives the name at which the second one is asked."""


def photos_in(folder: Path) -> list[tuple[str, Image]]:
    """Label and picture of each photo."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    found = placed([path.relative_to(folder).parts for path in paths])
    labelled = [(photo.label, path) for photo, path in zip(found, paths, strict=True) if photo.label]
    return [(label, decode_image(path.read_bytes())) for label, path in labelled]


def meant_by(label: str) -> frozenset[str]:
    """The keys of what a folder is called."""
    return frozenset[str]().union(*(Species.of(each).keys for each in label.split("+")))


def answers_of(photos: Sequence[tuple[str, Image]], first: Classifier, second: SecondModel, when: str) -> list[Answer]:
    """What a camera would be told about each photo."""
    found, meanings = [], first.vocabulary()
    for label, image in photos:
        frame = frame_of_picture(image, first.input, "photo")
        prediction = first(frame)
        shown, said = prediction.shown.label, second.ask(frame, prediction.crop)
        meant = meant_by(label)
        names = {said.label, said.scientific} - {None}
        is_right = any(Species.of(str(name)).keys & meant for name in names)
        is_asked = shown is not None and means_name(when, shown, meanings)
        found.append(Answer(said.p, is_right, said.label is not None, is_asked))
    return found


def row(name: str, answers: Sequence[Answer], threshold: float | None) -> str:
    """Of the table. threshold: None: each half of the photos gets that of the other half"""
    halves = answers[::2], answers[1::2]
    chosen = [
        threshold or threshold_of([(each.p, each.is_right) for each in other if each.is_named]) for other in halves
    ]
    pairs = [(each, least) for half, least in zip(halves, chosen, strict=True) for each in half]
    shown = [each for each, least in pairs if each.is_named and each.p >= least]
    n, right = len(answers), sum(each.is_right for each in shown)
    best = sum(each.is_right for each in answers)
    figures = " | ".join(_share(count, n) for count in (best, right, len(shown) - right))
    least = " and ".join(f"{each:.0%}" for each in dict.fromkeys(chosen))
    return f"| {name} | {n} | {figures} | {least} |"


def _share(count: int, n: int) -> str:
    low, high = wilson(count, n) if n else (0.0, 1.0)
    return f"{count / max(1, n):.1%} ({low:.0%} to {high:.0%})"


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.species")
    options.add_argument("folder", type=Path)
    options.add_argument("--graph", default="birds.tflite")
    options.add_argument("--labels", default="birds.txt")
    options.add_argument("--when", default="bird")
    options.add_argument("--listed", type=int, default=60)
    options.add_argument("--threshold", type=float, default=None)
    o = options.parse_args()
    species, photos = need_data("species"), photos_in(o.folder)
    first = Classifier("everyday")
    with tempfile.TemporaryDirectory() as folder:
        file, labels = Path(folder, "second.tflite"), read_labels(species / o.labels)
        write_described(species / o.graph, Given("second", labels), (), file)
        classifier = Classifier(file)
    known = frozenset[str]().union(*(Species.of(label).keys for label in labels))
    strange = sorted({label for label, _ in photos if not meant_by(label) & known})
    photos = [each for each in photos if each[0] not in strange]
    there = sorted({label for label, _ in photos})
    of_photos = frozenset[str]().union(*map(meant_by, there))
    own = [label for label in labels if Species.of(label).keys & of_photos]
    others = [label for label in labels if label not in own]
    listed = (*own, *random.Random(0).sample(others, max(0, o.listed - len(own))))
    print(
        f"{len(photos)} photos of {len(there)} species; the model knows none of: {', '.join(strange) or 'all known'}\n"
    )
    print("| | n | best guess right | displayed and right | displayed and wrong | displayed from |")
    print("|---|---|---|---|---|---|")
    elsewhere = tuple(random.Random(1).sample(others, o.listed))
    lists = {
        "all that it knows": (),
        f"with a list of {len(listed)}": listed,
        f"with a list of {len(elsewhere)} others": elsewhere,
    }
    for name, only in lists.items():
        found = answers_of(photos, first, SecondModel("second", classifier, 1e-9, Sayable(only)), o.when)
        print(row(name, found, o.threshold))
        asked = [each for each in found if each.is_asked]
        print(row(f"{name}, where the first look says {o.when}", asked, o.threshold), flush=True)


if __name__ == "__main__":
    main()
