"""How many photos of no label a model file calls known. Of these every one is a mistake."""

from __future__ import annotations

from typing import Any

from vitcam.model.classifier import Classifier
from vitcam_training.data.dataset import Sample
from vitcam_training.evaluation.model_file import ask_readable
from vitcam_training.evaluation.scores import wilson


def called_known(classifier: Classifier, samples: tuple[Sample, ...]) -> dict[str, Any]:
    """`n`, the share `known` with its 95 % interval, and `mistakes`: the photos that were called known."""
    answers = list(ask_readable(classifier, samples))
    mistakes = [(sample, answer.top[0]) for sample, answer in answers if answer.known]
    low, high = wilson(len(mistakes), len(answers)) if answers else (0.0, 1.0)
    return {
        "n": len(answers), "skipped": len(samples) - len(answers),
        "known": len(mistakes) / max(1, len(answers)), "known_low": low, "known_high": high,
        "mistakes": [{"path": sample.path.name, "label": best.label, "p": best.p} for sample, best in mistakes],
    }  # fmt: skip
