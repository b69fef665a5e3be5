"""How well a model rejects out-of-distribution photos, which show none of its labels.

Each measurement chooses a threshold of its own: on the calibration photos of half of the labels, drawn by a seed, for
5 % false rejection. It is measured on held-out photos of the other labels and on photos of none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam_training.data.catalogue import open_dataset, open_to_measure
from vitcam_training.evaluation.answers import Answers
from vitcam_training.evaluation.calibration import fit_threshold
from vitcam_training.evaluation.intervals import bootstrap_pair
from vitcam_training.evaluation.model_file import ask_certainty, ask_model, open_model

SEEDS = 3

Floats = NDArray[np.float64]
Figure = Callable[[Floats, Floats], float]


def rejection(model: str | Path, data: str, strange: str, threads: int | None = None) -> dict[str, Any]:
    """Share of the unknown photos that are called unknown, by thresholds chosen on other labels and by the file's own.

    data     what the model was trained on, with a part that calibrates
    strange  photos of none of the model's labels: a data set, a folder or a list
    raises   UsageError if the data have no photos that calibrate
    """
    dataset = open_dataset(data)
    if not dataset.parts.get("calibration"):
        raise UsageError(
            f"{data} has no part `calibration` to choose a threshold on; give what the model was trained on"
        )
    photos, part = open_to_measure(strange)
    classifier = open_model(model, dataset, threads)
    calibration, held_out = (ask_model(classifier, dataset, name) for name in ("calibration", "heldout"))
    unknown = ask_certainty(classifier, photos.part(part))
    found = disjoint(calibration, held_out, unknown, range(SEEDS))
    return {
        "data": photos.name, "n": len(unknown), "seeds": SEEDS, **found,
        **apart(held_out.certainty, unknown),
        "own_rejected": float((unknown < classifier.threshold).mean()),
        "own_false_rejection": float((held_out.certainty < classifier.threshold).mean()),
    }  # fmt: skip


def disjoint(calibration: Answers, held_out: Answers, unknown: Floats, seeds: Sequence[int]) -> dict[str, float]:
    """Mean over the seeds, and their standard deviation, of rejection and false rejection.

    unknown  (n,) certainties of photos of no label
    """
    rejected, falsely = [], []
    for seed in seeds:
        labels = np.random.default_rng(seed).permutation(np.unique(calibration.labels))
        chosen = np.isin(calibration.labels, labels[: len(labels) // 2])
        measured = np.isin(held_out.labels, labels[len(labels) // 2 :])
        threshold = fit_threshold(calibration.certainty[chosen])
        rejected.append(float((unknown < threshold).mean()))
        falsely.append(float((held_out.certainty[measured] < threshold).mean()))
    return {
        "rejected": float(np.mean(rejected)), "rejected_sd": float(np.std(rejected, ddof=1)),
        "false_rejection": float(np.mean(falsely)), "false_rejection_sd": float(np.std(falsely, ddof=1)),
    }  # fmt: skip


def apart(known: Floats, unknown: Floats) -> dict[str, float]:
    """How well a score tells the two apart, whatever the threshold: `auroc`, and what is rejected at exactly 5 %.

    known, unknown  (n,) and (m,) scores; the intervals are those of photos drawn again from each
    """
    both, n = np.concatenate([known, unknown]), len(known)
    found: dict[str, float] = {}
    for name, figure in {"auroc": auroc, "rejected_at_5": rejected_at_5}.items():

        def resampled(drawn: NDArray[np.int64], figure: Figure = figure) -> float:
            return figure(both[drawn[:n]], both[drawn[n:]])

        interval = bootstrap_pair(resampled, n, len(unknown))
        found |= {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}
    return found


def rejected_at_5(known: Floats, unknown: Floats) -> float:
    """The share of unknown photos below the score that 95 % of the known ones reach.

    known, unknown  (n,) and (m,) scores
    """
    return float((unknown < fit_threshold(known)).mean())


def auroc(known: Floats, unknown: Floats) -> float:
    """The chance that a known photo scores higher than an unknown one. Ties count half; 0.5 is guessing.

    known, unknown  (n,) and (m,) scores
    """
    above = np.searchsorted(np.sort(unknown), known, "left") + np.searchsorted(np.sort(unknown), known, "right")
    return float(above.mean() / (2 * len(unknown)))
