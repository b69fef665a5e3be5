"""Calibration: a temperature for the probabilities, and the score from which a guess counts as known.

Both are fitted on photos that are neither trained on nor used for figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam_training.evaluation.alike import best_alike

FALSE_REJECTION = 0.05  # share of the known photos that stay below the threshold
PRIOR = 0.5  # scale of the temperature's logarithm about 0, before any photo is seen: Student's t of 3 degrees
Confidence = NDArray[np.floating[Any]]
RANGE = (0.01, 100.0)
"""Temperatures that are searched. One at an end says that the photos did not decide it."""


def scaled(probabilities: NDArray[np.float32], temperature: float) -> NDArray[np.float64]:
    """Probabilities (n, C) as they would be with the logits divided by `temperature`."""
    logits = np.log(np.maximum(probabilities.astype(np.float64), 1e-12)) / temperature
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def fit_temperature(
    probabilities: NDArray[np.float32], right: NDArray[np.bool_], counted: NDArray[np.bool_] | None = None
) -> float:
    """The temperature in `RANGE` at which it is least surprising which of the best guesses are right.

    Only the probability of the best guess is displayed and counted in the calibration error, so only it is fitted: the
    usual likelihood of the right label also weighs how improbable the others are, and leaves a network that was trained
    with smoothed labels too sure. A weak prior about 1 keeps few photos, all answered rightly, from making it certain;
    its tails are heavy, for after a short training a temperature of 0.1 may be right.

    What is displayed may be a group instead, and another one at another temperature. It is not fitted: a temperature
    would win that displays other names, not one at which probabilities are right.

    probabilities  (n, C), at temperature 1
    right          (n,) whether the best guess is a label that the photo shows
    counted        (n, C) the labels whose probabilities count for the best guess; None: it alone
    source         Guo et al. 2017 (arXiv 1706.04599); of the best guess alone: Gupta & Ramdas 2022 (arXiv 2107.08353)
    """
    if counted is None:
        counted = best_alike(probabilities, {})
    return _least_surprising(
        lambda temperature: _surprise((scaled(probabilities, temperature) * counted).sum(-1), right)
    )


def _least_surprising(surprise: Callable[[float], float]) -> float:
    """The temperature at which a surprise, plus that of the prior, is least."""
    from scipy.optimize import minimize_scalar  # imported late: reports read this module, too, and need no optimiser

    def loss(log_t: float) -> float:
        return surprise(math.exp(log_t)) + 2 * math.log1p((log_t / PRIOR) ** 2 / 3)

    coarse = np.linspace(math.log(RANGE[0]), math.log(RANGE[1]), 47)  # wrong answers can make a second valley
    lowest = int(np.argmin([loss(log_t) for log_t in coarse]))
    between = coarse[max(lowest - 1, 0)], coarse[min(lowest + 1, len(coarse) - 1)]
    found = minimize_scalar(loss, bounds=between, method="bounded", options={"xatol": 1e-4})
    return float(f"{math.exp(found.x):.4g}")


def at_the_edge(temperature: float) -> bool:
    """Whether the search for a temperature ended at an end of its range, to 1 %."""
    return not 1.01 * RANGE[0] < temperature < RANGE[1] / 1.01


def fit_threshold(scores: NDArray[np.floating[Any]], rejected: float = FALSE_REJECTION) -> float:
    """The score that 95 % of known photos reach, answered rightly or not; below it a guess is called unknown.

    It is the score of one of the photos: a blank picture scores minus infinity, which cannot be interpolated.

    scores    (n,) of photos that show one of the labels: a probability, or anything else that grows with being known
    rejected  the share that may stay below it
    """
    return float(np.quantile(scores, rejected, method="higher"))


def fit_gate(scores: NDArray[np.floating[Any]], wrong: NDArray[np.bool_]) -> float:
    """The score below which hiding names is right more often than not: most wrong ones, less the right ones, lie below.

    scores  (n,) of pictures with a name
    wrong   (n,) whether that name is wrong
    returns one of the scores; the highest, where several gain as much
    """
    order = np.argsort(scores, kind="stable")
    gained = np.concatenate([[0], np.cumsum(np.where(wrong[order], 1, -1))[:-1]])
    return float(scores[order][int(np.flatnonzero(gained == gained.max())[-1])])


def _surprise(confidence: Confidence, right: NDArray[np.bool_]) -> float:
    """-Σ log p of what came true: the best guess being right, or not."""
    sure = np.clip(confidence, 1e-12, 1 - 1e-12)
    return float(-np.log(np.where(right, sure, 1 - sure)).sum())
