"""Which photos are asked: as many of each label as of any other, and the same ones for the same seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vitcam_training.data.dataset import Sample


def stratified(samples: Sequence[Sample], count: int, seed: int) -> list[Sample]:
    """At most `count` photos, taken from the labels by turns, each label's in random order.

    A smaller count gives the beginning of a larger one's list, so what was measured for it holds on.
    """
    rng = np.random.default_rng(seed)
    by_label: dict[int, list[Sample]] = {}
    for sample in samples:
        by_label.setdefault(sample.label, []).append(sample)
    labels = rng.permutation(sorted(by_label))
    piles = [[by_label[label][i] for i in rng.permutation(len(by_label[label]))] for label in labels]
    rounds = range(max(map(len, piles), default=0))
    return [pile[turn] for turn in rounds for pile in piles if turn < len(pile)][:count]
