"""`everyday` with 100 of its labels left out, in three draws.

A network that is trained on such a data set has no output for these labels, so their photos are unknown to it. Known
and unknown photos come from the same source, so nothing but what they show tells them apart. What the network begins
with may have seen the labels when it was pretrained.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from vitcam_training.data.dataset import REPLAY, Dataset, Sample
from vitcam_training.data.published.everyday import everyday
from vitcam_training.data.published.imagenet import half, imagenet_things
from vitcam_training.data.published.things import Things, read_things

COUNT = 100
DRAWS = (1, 2, 3)


def left_out(draw: int, labels: int) -> frozenset[int]:
    """The labels of a draw, as indices among all."""
    return frozenset(np.random.default_rng(draw).permutation(labels)[:COUNT].tolist())


def everyday_left_out(draw: int) -> Dataset:
    """What a network of a draw is trained on, and known photos of ImageNet's classes in the part `heldout`."""
    whole = everyday()
    dropped = left_out(draw, len(whole.labels))
    replay = tuple(sample for sample in whole.parts[REPLAY] if _label(sample, read_things()) not in dropped)
    parts = whole.parts | {REPLAY: replay, "heldout": imagenet_things().parts["heldout"]}
    return without(replace(whole, name=f"everyday-left-out-{draw}", parts=parts), dropped)


def unknown_things(draw: int) -> Dataset:
    """Photos of ImageNet's classes that show a label which the draw leaves out, and none that it keeps."""
    things = read_things()
    dropped = left_out(draw, len(things.labels))
    labels = [(path, things.synsets[path.name.split("_")[0]]) for trained in (True, False) for path in half(trained)]
    unknown = [Sample(path, label) for path, label in labels if things.right_for_label(label) <= dropped]
    return Dataset(f"everyday-left-out-{draw}-unknown", things.labels, {"train": (), "heldout": tuple(unknown)})


def without(dataset: Dataset, dropped: frozenset[int]) -> Dataset:
    """A data set without some labels, and without the photos that show one of them."""
    kept = [label for label in range(len(dataset.labels)) if label not in dropped]
    place = {label: i for i, label in enumerate(kept)}

    def moved(sample: Sample) -> Sample:
        accepted, also = (
            frozenset(place[label] for label in labels if label in place) for labels in (sample.accepted, sample.also)
        )
        return replace(sample, label=place.get(sample.label, sample.label), accepted=accepted, also=also)

    return Dataset(
        dataset.name,
        tuple(dataset.labels[label] for label in kept),
        {
            name: tuple(moved(sample) for sample in samples if sample.label not in dropped)
            for name, samples in dataset.parts.items()
        },
        {synset: place[label] for synset, label in dataset.synsets.items() if label in place},
        {
            group: places
            for group, members in dataset.groups.items()
            if (places := tuple(place[label] for label in members if label in place))
        },
    )


def draws() -> dict[str, Callable[[], Dataset]]:
    """The data sets of all draws by their names."""
    found: dict[str, Callable[[], Dataset]] = {}
    for draw in DRAWS:
        found[f"everyday-left-out-{draw}"] = partial(everyday_left_out, draw)
        found[f"everyday-left-out-{draw}-unknown"] = partial(unknown_things, draw)
    return found


def _label(sample: Sample, things: Things) -> int:
    return things.synsets[sample.path.name.split("_")[0]]
