"""From curves to findings: areas, differences on the same photos, and how sure they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vitcam_training.evaluation.intervals import Interval, bootstrap_means
from vitcam_training.report.faithfulness import BASELINES, CURVES, FaithfulnessFinding
from vitcam_training.study.faithfulness.curves import Floats, areas
from vitcam_training.study.faithfulness.maps import Explanation
from vitcam_training.study.faithfulness.measure import Measured


def findings(
    measured: Measured, explanations: Sequence[Explanation], seed: int
) -> dict[str, list[FaithfulnessFinding]]:
    """Neutral picture -> a finding for each explanation, best first. All intervals come from the same draws."""
    found = {}
    for neutral, curves in measured.curves.items():
        joined = _join_draws(curves, explanations)
        about = {one.name: one for one in explanations}
        rows = [_finding(about[name], joined, measured.counts, seed) for name in joined]
        found[neutral] = sorted(rows, key=lambda row: -row.spread)
    return found


def _join_draws(curves: dict[str, Floats], explanations: Sequence[Explanation]) -> dict[str, Floats]:
    """By name; several draws of one explanation become their mean, photo by photo."""
    keys: dict[str, list[str]] = {}
    for one in explanations:
        keys.setdefault(one.name, []).append(one.key)
    return {name: np.mean([curves[key] for key in group], axis=0) for name, group in keys.items()}


def _finding(one: Explanation, curves: dict[str, Floats], counts: NDArray[np.int64], seed: int) -> FaithfulnessFinding:
    own = curves[one.name]  # (n, 2, S + 1)
    area = areas(own, counts)  # (n, 2)
    others = [name for name in BASELINES if name != one.name]
    # where it was asked of the first photos only, so is the baseline
    differences = [area - areas(curves[name][: len(own)], counts) for name in others]
    intervals = iter(bootstrap_means(np.concatenate([area, *differences], axis=1), seed))
    return FaithfulnessFinding(
        name=one.name,
        about=one.description,
        given_by=one.given_by,
        photos=len(own),
        curves={curve: [float(p) for p in own[:, i].mean(0)] for i, curve in enumerate(CURVES)},
        areas=_pair(next(intervals), next(intervals)),
        against={name: _pair(next(intervals), next(intervals)) for name in others},
    )


def _pair(deletion: Interval, insertion: Interval) -> dict[str, Interval]:
    return dict(zip(CURVES, (deletion, insertion), strict=True))
