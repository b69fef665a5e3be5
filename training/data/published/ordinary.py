"""Ordinary photos of 200 everyday words, two of each: only to choose and to measure, never to train on.

The words are above or among the labels of `things.csv`: for a photo of a dog, any breed is right. The first photo of
each word by its file name chooses, the second measures.
"""

from __future__ import annotations

from pathlib import Path

from vitcam_training.data.dataset import Dataset, Sample, data_root, missing_data
from vitcam_training.data.published.things import Things, read_things

SOURCE = "github.com/ajschumacher/imagen"


def ordinary() -> Dataset:
    """The parts `choose` and `heldout`. Raises UsageError if the photos are not there."""
    folder, things = data_root() / "ordinary", read_things()
    if not folder.is_dir():
        raise missing_data(folder, SOURCE)
    words = [sorted(word.glob("n*.jpg")) for word in sorted(folder.iterdir())]
    parts = {
        part: tuple(_sample(photos[place], things) for photos in words if len(photos) > place)
        for place, part in enumerate(("choose", "heldout"))
    }
    return Dataset("ordinary", things.labels, {"train": (), **parts}, things.synsets, things.groups)


def _sample(path: Path, things: Things) -> Sample:
    """A photo whose name begins with the WordNet id of its word."""
    synset = path.name.split("_")[0]
    right = things.right_for_synset(synset)
    own = things.synsets.get(synset)
    label = own if own is not None else min(right)
    return Sample(path, label, accepted=right - {label})
