"""Figures of a model file on photos from other sources than those it was trained on: where it is right less often."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vitcam_training.evaluation.evaluate import evaluate_model

_KEPT = (
    "data", "split", "n", "top1", "top1_low", "top1_high", "top1_or_group", "known", "known_low", "known_high",
    "ece_debiased", "ece_low", "ece_high",
)  # fmt: skip


def measure_elsewhere(model: Path, sources: Sequence[str]) -> list[dict[str, Any]]:
    """For each data set, folder or list of photos, the figures that its line of a card needs; see `evaluate_model`.

    raises  UsageError as `evaluate_model` does
    """
    found = [evaluate_model(model, source) | {"data": source} for source in sources]
    return [{name: each[name] for name in _KEPT if name in each} for each in found]
