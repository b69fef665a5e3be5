"""One photo of each ImageNet-1k class: to compare a network with its int8 form, not to measure accuracy.

The photos were probably in the training set of every network that is trained on ImageNet.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from .dataset import Dataset, Sample, data_root, missing_data


def synsets(path: Path) -> dict[str, str]:
    """WordNet id -> label, in the order of ImageNet's classes; words that name two classes carry their id."""
    rows = [line.split(" ", 1) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    words = [(synset, names.split(",")[0].strip()) for synset, names in rows]
    count = Counter(label for _, label in words)
    return {synset: label if count[label] == 1 else f"{label} ({synset})" for synset, label in words}


def imagenet() -> Dataset:
    """All photos in the part `heldout`; there is nothing to train on. Raises UsageError if they are not there."""
    folder, words = data_root() / "imagenet_samples", data_root() / "deit_tiny" / "synset_words.txt"
    for path in (folder, words):
        if not path.exists():
            raise missing_data(path, "github.com/EliSchwartz/imagenet-sample-images")
    labels = synsets(words)
    index = {synset: i for i, synset in enumerate(labels)}
    photos = (Sample(path, index[path.name.split("_")[0]]) for path in sorted(folder.glob("n*.jpg")))
    return Dataset("imagenet", tuple(labels.values()), {"train": (), "heldout": tuple(photos)})
