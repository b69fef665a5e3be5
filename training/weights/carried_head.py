"""A head for other labels, made of the rows of the one that a network came with."""

from __future__ import annotations

import numpy as np

from vitcam_training.data.dataset import Dataset
from vitcam_training.weights.checkpoints import Weights


def carried_head(given: Weights, synsets: tuple[str, ...], dataset: Dataset) -> Weights:
    """A head for the labels of a data set from one for other labels, matched by their WordNet ids.

    Labels of the old head that mean the same become one, by the mean of their rows. A label that it lacks begins with
    a row of zeros and the lowest bias of the old head: less likely than any that it knows.

    given    `head.weight` (C', D) and `head.bias` (C',) of the old head
    returns  `head.weight` (C, D) and `head.bias` (C,)
    """
    columns = np.array([dataset.synsets.get(synset, -1) for synset in synsets])
    weight = np.zeros((len(dataset.labels), given["head.weight"].shape[1]), np.float32)
    bias = np.full(len(dataset.labels), given["head.bias"].min(), np.float32)
    for label in np.unique(columns[columns >= 0]):
        rows = columns == label
        weight[label], bias[label] = given["head.weight"][rows].mean(axis=0), given["head.bias"][rows].mean()
    return {"head.weight": weight, "head.bias": bias}
