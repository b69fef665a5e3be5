"""Ordinary photos of 200 everyday words, two of each: only to choose and to measure, never to train on.

The words are above or among the labels of `things.csv`: for a photo of a dog, any breed is right. The first photo of
each word by its file name chooses, the second measures. `everyday` has photos of some words to train on; what measures
of those is in a part of its own, too.
"""

from __future__ import annotations

from pathlib import Path

from vitcam_training.data.dataset import Dataset, Sample, data_root, missing_data
from vitcam_training.data.published.scene_split import label_of, listed_parts
from vitcam_training.data.published.things import Things, read_things

SOURCE = "github.com/ajschumacher/imagen"


def ordinary() -> Dataset:
    """The parts `choose`, `heldout` and `heldout-trained`. Raises UsageError if the photos are not there."""
    folder, things = data_root() / "ordinary", read_things()
    if not folder.is_dir():
        raise missing_data(folder, SOURCE)
    words = [sorted(word.glob("n*.jpg")) for word in sorted(folder.iterdir())]
    parts = {
        part: tuple(_sample(photos[place], things) for photos in words if len(photos) > place)
        for place, part in enumerate(("choose", "heldout"))
    }
    trained = {label_of(path) for path in listed_parts()["heldout"]}
    parts["heldout-trained"] = tuple(each for each in parts["heldout"] if trained & {each.label, *each.accepted})
    return Dataset("ordinary", things.labels, {"train": (), **parts}, things.synsets, things.groups)


def _sample(path: Path, things: Things) -> Sample:
    """A photo whose name begins with the WordNet id of its word."""
    synset = path.name.split("_")[0]
    right = things.right_for_synset(synset)
    own = things.synsets.get(synset)
    label = own if own is not None else min(right)
    return Sample(path, label, accepted=right - {label})
