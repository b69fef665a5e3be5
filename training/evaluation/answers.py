"""What a model said of photos, and the figures that follow from it. NumPy only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam_training.data.dataset import Sample
from vitcam_training.evaluation.alike import Alike, alike, best_alike, probability
from vitcam_training.evaluation.calibration_error import (
    calibration_error,
    debiased_error,
    error_if_calibrated,
    error_of_same_mass,
    same_mass,
)
from vitcam_training.evaluation.displayed import SURE_FROM, Named, at_threshold, name_is_right, risk_and_coverage
from vitcam_training.evaluation.intervals import bootstrap_means

Floats = NDArray[np.float32]
MOST_GUESSES = 5
CHOSEN = "chosen"
"""Among the figures of a card: those by which one of several networks or files is chosen. They are not published."""
OTHER_DATASETS = "elsewhere"
"""Among the figures of a card: those of photos from other sources than those it was trained on."""
KEPT = "kept"
"""Among the figures of a card: what a network still knows of what it knew when its training began."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model said of n photos."""

    labels: NDArray[np.int64]
    """(n,) what the photos show."""
    probabilities: Floats
    """(n, C)."""
    attention: Floats
    """(n, h * N): where the tokens that the head reads looked in the last block, class token cut off."""
    samples: tuple[Sample, ...] = ()
    """The photos that could be read; empty where they are not needed."""
    known: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    """(n,) whether the model file calls its best guess known; empty for a float network, which has no threshold."""
    certainty: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """(n,) what decides that, see `Prediction.certainty`; empty for a float network."""
    accepted: tuple[frozenset[int], ...] = ()
    """n sets of labels that are right besides `labels`; empty where there are none."""
    also: tuple[frozenset[int], ...] = ()
    """n sets of labels of something else that the photo shows as much; empty where there are none."""
    named: tuple[frozenset[int], ...] = ()
    """n sets of labels: the group that the model names where its best guess is unsure, empty where it names none."""
    names: Named = field(default_factory=Named)
    """What is displayed."""

    @property
    def guesses(self) -> NDArray[np.int64]:
        """(n,) the most probable labels."""
        return np.asarray(self.probabilities.argmax(-1))

    @cached_property
    def same(self) -> Alike:
        """Labels that the photos do not tell apart, whose probabilities count together."""
        return alike(self.labels.tolist(), self.accepted or (frozenset(),) * len(self.labels))

    @property
    def confidence(self) -> NDArray[np.float64]:
        """(n,) the probability that `right` holds: of the best label, and of those that count as the same."""
        return np.asarray((self.probabilities * best_alike(self.probabilities, self.same)).sum(-1), np.float64)

    @property
    def names_confidence(self) -> NDArray[np.float64]:
        """(n,) the probability that `names_right` holds, in the same way."""
        return probability(self.probabilities, self.names.labels, self.same)

    @property
    def right(self) -> NDArray[np.bool_]:
        """(n,) whether the most probable label is right."""
        return self.right_among(self.guesses[:, None])

    @property
    def right_or_group(self) -> NDArray[np.bool_]:
        """(n,) the same, or whether a group is named that holds everything that the photo may show: a dog, any dog.

        Of a photo that shows something else as much, a group of either is right.
        """
        shown = [{label} for label in self.labels.tolist()]
        for label, accepted in zip(shown, self.accepted, strict=False):
            label |= accepted
        also = self.also or (frozenset(),) * len(shown)
        held = [
            all_of <= group or bool(others and others <= group)
            for all_of, others, group in zip(shown, also, self.named, strict=True)
        ]
        return np.asarray(self.right | np.array(held, bool))

    @property
    def names_right(self) -> NDArray[np.bool_]:
        """(n,) whether what is displayed is right, or the best guess where nothing is displayed."""
        return self.judge(self.names)

    def judge(self, names: Named) -> NDArray[np.bool_]:
        """(n,) whether these names are right."""
        nothing: frozenset[int] = frozenset()
        accepted, also = (each or (nothing,) * len(self.labels) for each in (self.accepted, self.also))
        every = zip(names.labels, self.labels.tolist(), accepted, also, strict=True)
        return np.array([name_is_right(named, each | {label}, other) for named, label, each, other in every], bool)

    @property
    def answered(self) -> NDArray[np.int64]:
        """(n,) the most probable labels; for a right answer, what the photo shows, also if another label is right."""
        return np.where(self.right, self.labels, self.guesses)

    def right_among(self, guesses: NDArray[np.int64]) -> NDArray[np.bool_]:
        """(n, k) labels -> (n,) whether one of each row is right."""
        found = (guesses == self.labels[:, None]).any(-1)
        for others in (self.accepted, self.also):
            if others:
                right = [not each.isdisjoint(row) for row, each in zip(guesses.tolist(), others, strict=True)]
                found |= np.array(right, bool)
        return np.asarray(found)


def figures(answers: Answers) -> dict[str, float]:
    """`n`, `top1`, `top5`, `ece` as fractions of 1."""
    order = np.argsort(-answers.probabilities, axis=-1, kind="stable")[:, :MOST_GUESSES]
    return {
        "n": len(answers.labels),
        "top1": float(answers.right.mean()),
        "top5": float(answers.right_among(order).mean()),
        "ece": calibration_error(answers.confidence, answers.right),
    }


def top5_tells(found: Mapping[str, Any]) -> bool:
    """Whether five guesses can all be wrong: of five `labels` or fewer one is always right."""
    return int(found.get("labels", MOST_GUESSES + 1)) > MOST_GUESSES  # older figures do not say how many there are


def grouped(answers: Answers) -> dict[str, float]:
    """Of a model with groups, `top1_or_group`, how often its best guess or the group that it names instead is right."""
    return {"top1_or_group": float(answers.right_or_group.mean())} if answers.named else {}


def displayed(answers: Answers) -> dict[str, Any]:
    """What is displayed, how much of it is right, see `risk_and_coverage`, and whether its probabilities say so."""
    right = answers.names_right
    return risk_and_coverage(answers.names, answers.judge) | _displayed_error(answers, right)


def _displayed_error(answers: Answers, right: NDArray[np.bool_]) -> dict[str, float | None]:
    """`displayed_ece`, how far the probabilities of what is displayed lie from how often it is right, over bins of as
    many photos each; `displayed_ece_if_calibrated`; and `displayed_p`, their mean. None where nothing is displayed.
    """
    kept = answers.names.displayed
    if not kept.any():
        return dict.fromkeys(("displayed_p", "displayed_ece", "displayed_ece_if_calibrated"))
    confidence = answers.names_confidence[kept]
    return {
        "displayed_p": float(confidence.mean()),
        "displayed_ece": error_of_same_mass(confidence, right[kept]),
        "displayed_ece_if_calibrated": error_if_calibrated(confidence, same_mass),
    }


def surely(answers: Answers, accuracy: Mapping[str, Any]) -> dict[str, Any]:
    """The same from the probability on that a card says, see `at_threshold`; nothing where it says none."""
    threshold = chosen_by(accuracy).get(SURE_FROM)
    return {} if threshold is None else at_threshold(answers.names, answers.judge, threshold)


def paired(answers: Answers, reference: Answers) -> dict[str, float]:
    """`difference`, how much more often the answers are right than others on the same photos, with its interval."""
    difference = answers.right.astype(float) - reference.right.astype(float)
    found = bootstrap_means(difference[:, None], seed=0)[0]
    return {"difference": found.value, "difference_low": found.low, "difference_high": found.high}


def calibration(answers: Answers) -> dict[str, float]:
    """What belongs beside `ece`: `ece_if_calibrated`, and `ece_debiased` from `ece_low` to `ece_high`."""
    debiased = debiased_error(answers.confidence, answers.right)
    return {
        "ece_if_calibrated": error_if_calibrated(answers.confidence),
        "ece_debiased": debiased.value,
        "ece_low": debiased.low,
        "ece_high": debiased.high,
    }


def chosen_by(accuracy: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a card by which to choose: of photos that give no published figures, if there were some."""
    return dict(accuracy.get(CHOSEN, accuracy))


def comparison(answers: Answers, reference: Answers) -> dict[str, float]:
    """How an int8 model differs from its float network on the same photos."""
    cosine = attention_cosines(answers, reference)
    return {
        "float_top1": float(reference.right.mean()),
        "agreement": float((answers.guesses == reference.guesses).mean()),
        "attention_cosine_mean": float(cosine.mean()),
        "attention_cosine_min": float(cosine.min()),
    }


def attention_cosines(answers: Answers, reference: Answers) -> Floats:
    """(n,) how alike the two looked at each photo, 1 at most."""
    products = (answers.attention * reference.attention).sum(-1)
    lengths = np.linalg.norm(answers.attention, axis=-1) * np.linalg.norm(reference.attention, axis=-1)
    return np.asarray(products / np.maximum(lengths, 1e-12))
