"""Warnings that stand before a model's figures: in its card, in its report, and when it is exported."""

from __future__ import annotations

from typing import Any

from vitcam.model.card import ModelCard
from vitcam_training.evaluation.calibration import RANGE, at_the_edge
from vitcam_training.weights.metadata import PLANNED


def card_warnings(card: ModelCard) -> list[str]:
    """A sentence or two for each; none for a model that was trained and calibrated as planned."""
    return [*_temperature(card.temperature), *_unfinished(card.provenance)]


def epochs_in_words(provenance: dict[str, Any]) -> dict[str, Any]:
    """The provenance with its epochs as people read them: `1 of 15` where the run was stopped early."""
    facts = dict(provenance)
    planned = facts.pop(PLANNED, None)
    return facts | ({"epochs": f"{facts.get('epochs', 0)} of {planned}"} if planned else {})


def _temperature(temperature: float) -> list[str]:
    if not at_the_edge(temperature):
        return []
    return [
        f"The temperature is {temperature:g}, an end of the range that was searched ({RANGE[0]:g} to {RANGE[1]:g}): "
        "the probabilities of this model do not say how often it is right. Train it longer, or give it more photos "
        "for calibration, and export it again."
    ]


def _unfinished(provenance: dict[str, Any]) -> list[str]:
    if not provenance.get(PLANNED):
        return []
    return [
        f"It was exported after {epochs_in_words(provenance)['epochs']} epochs: its training was stopped early. The "
        "same training command continues where it stopped."
    ]
