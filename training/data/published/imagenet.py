"""One photo of each ImageNet-1k class: all of them, those of CIFAR-10's labels, and halves to train on and to measure.

The photos were probably in the training set of every network that is trained on ImageNet, DeiT-Tiny among them: they
compare a network with its int8 form, and a fine-tuned network with real photos; they measure no ImageNet accuracy.
"""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path

from vitcam.errors import UsageError
from vitcam_training.data.dataset import Dataset, Sample, data_root, missing_data
from vitcam_training.data.published import cifar10 as cifar
from vitcam_training.data.published.looked_at import person_in
from vitcam_training.data.published.things import Things, read_things


def synsets(path: Path) -> dict[str, str]:
    """WordNet id -> label, in the order of ImageNet's classes; words that name two classes carry their id."""
    rows = [line.split(" ", 1) for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    words = [(synset, names.split(",")[0].strip()) for synset, names in rows]
    count = Counter(label for _, label in words)
    return {synset: label if count[label] == 1 else f"{label} ({synset})" for synset, label in words}


def imagenet() -> Dataset:
    """All photos in the part `heldout`; there is nothing to train on. Raises UsageError if they are not there."""
    labels = synsets(_words())
    return _held_out("imagenet", tuple(labels.values()), labels)


def cifar10_photos() -> Dataset:
    """Photos of a camera for CIFAR-10's labels: of the classes that `cifar10_photos.txt` gives one, and says why."""
    return _held_out("cifar10-photos", cifar.LABELS, table("cifar10_photos"))


def imagenet_things() -> Dataset:
    """Half of the photos, with the labels of `things.csv`: those that the bundled model was not trained on."""
    things = read_things()
    samples = tuple(sample_of(path, things) for path in half(trained=False))
    return Dataset("imagenet-things", things.labels, {"train": (), "heldout": samples}, things.synsets, things.groups)


def sample_of(path: Path, things: Things) -> Sample:
    """A photo whose name begins with the id of its class; a person that it shows as much is right, too."""
    label = things.synsets[path.name.split("_")[0]]
    accepted = things.right_for_label(label) - {label}
    return Sample(path, label, accepted=accepted, also=person_in(path, things) - {label})


def half(trained: bool) -> list[Path]:
    """Every second photo in the order of their names: the second, the fourth … are trained on, the others never."""
    folder = data_root() / "imagenet_samples"
    if not folder.is_dir():
        raise _missing(folder)
    return sorted(folder.glob("n*.jpg"))[int(trained) :: 2]


def table(name: str) -> dict[str, str]:
    """WordNet id -> label, from `NAME.txt` beside this file: columns with tabs between, # begins a remark."""
    text = files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return {synset: label for synset, label, *_ in rows}


def _held_out(name: str, labels: tuple[str, ...], label_of: dict[str, str]) -> Dataset:
    """The photos of the classes that have a label. Raises UsageError if they are not there."""
    folder = data_root() / "imagenet_samples"
    if not folder.is_dir():
        raise _missing(folder)
    index = {label: i for i, label in enumerate(labels)}
    photos = [(path.name.split("_")[0], path) for path in sorted(folder.glob("n*.jpg"))]
    samples = tuple(Sample(path, index[label_of[synset]]) for synset, path in photos if synset in label_of)
    return Dataset(name, labels, {"train": (), "heldout": samples})


def _words() -> Path:
    path = data_root() / "deit_tiny" / "synset_words.txt"
    if not path.is_file():
        raise _missing(path)
    return path


def _missing(path: Path) -> UsageError:
    return missing_data(path, "github.com/EliSchwartz/imagenet-sample-images")
