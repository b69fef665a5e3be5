"""How sure a model may be: a temperature for its probabilities, and the confidence from which a guess counts as known.

Both are fitted on photos that are neither trained on nor used for figures.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

KEPT = 0.98  # share of the right answers that stay above the threshold


def scaled(probabilities: NDArray[np.float32], temperature: float) -> NDArray[np.float64]:
    """Probabilities (n, C) as they would be with the logits divided by `temperature`."""
    logits = np.log(np.maximum(probabilities.astype(np.float64), 1e-12)) / temperature
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def fit_temperature(probabilities: NDArray[np.float32], labels: NDArray[np.int64]) -> float:
    """The temperature at which the labels are most probable, to 1 %.

    probabilities  (n, C), at temperature 1; labels (n,)
    source         Guo et al. 2017 (arXiv 1706.04599)
    """
    candidates = np.geomspace(0.2, 5.0, 324)  # steps of 1 %
    rows = np.arange(len(labels))
    losses = [-np.log(scaled(probabilities, t)[rows, labels] + 1e-12).mean() for t in candidates]
    return round(float(candidates[int(np.argmin(losses))]), 3)


def fit_threshold(probabilities: NDArray[np.float64], labels: NDArray[np.int64]) -> float:
    """The confidence that 98 % of the right answers reach; below it the best guess is called unknown.

    probabilities  (n, C), calibrated; labels (n,)
    """
    right = probabilities.argmax(-1) == labels
    confidence = probabilities.max(-1)[right]
    return round(float(np.quantile(confidence, 1 - KEPT)), 2) if len(confidence) else 0.0
