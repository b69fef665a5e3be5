"""Loss and accuracy of the averaged weights on photos that were not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam_training.data.batches import BatchPlan, plain_batches
from vitcam_training.data.dataset import Sample
from vitcam_training.fit.data_parallel import as_in_first
from vitcam_training.fit.display import Display
from vitcam_training.fit.learner import Learner
from vitcam_training.fit.session import Stop


@dataclass(frozen=True)
class Score:
    """Mean cross-entropy and share of right answers over a set of photos."""

    loss: float
    accuracy: float


def score_photos(
    learner: Learner,
    samples: Sequence[Sample],
    plan: BatchPlan,
    stop: Stop | None = None,
    display: Display | None = None,
) -> Score:
    """Score the averaged weights on photos as the shipped model will see them.

    raises  Stopped if `stop` says so in between
    """
    losses: list[float] = []
    right: list[bool] = []
    with learner.averaged(), closing(plain_batches(samples, plan)) as batches:
        for images, targets in batches:
            logits = learner.predict(images)
            losses += cross_entropy(logits, targets).tolist()
            right += (logits.argmax(-1) == targets.argmax(-1)).tolist()
            if display:
                display.scored(len(logits))
            if stop:
                stop.check(gained=False)
    return Score(*as_in_first(float(np.mean(losses)), float(np.mean(right))))


def cross_entropy(logits: NDArray[np.float32], targets: NDArray[np.float32]) -> NDArray[np.float32]:
    """Per row, for targets (B, C) whose rows sum to 1; returns (B,) float32."""
    shifted = logits - logits.max(-1, keepdims=True)
    normaliser = np.log(np.exp(shifted).sum(-1, keepdims=True))
    return np.asarray(((normaliser - shifted) * targets).sum(-1), np.float32)
