"""What one run with a mistake found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MistakeResult:
    """One line. Accuracies are fractions of 1."""

    row: str
    seed: int
    settings: str
    train_losses: list[float]
    """Mean of each epoch, while it trained."""
    train_accuracies: list[float]
    accuracy: float
    """On all test photos, after the last epoch."""
    loss: float
    thousands: list[float]
    """Accuracy on each thousand of the test photos, in their order."""
    whole_batches: float
    """Accuracy without the photos of the last batch, which is not full."""
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class StepsResult:
    """One line of a training of a few steps."""

    row: str
    seed: int
    settings: str
    backend: str
    """Of Keras, on which it ran."""
    parameters: int
    losses: list[float]
    """Of each step's batch, before the step."""
    seconds: float
    cpu_seconds: float
