"""Smooths the probabilities of labels and groups over time, for events and headlines."""

from collections.abc import Mapping
from typing import NamedTuple

from vitcam.frames import Group, Prediction

FADED = 1e-3
"""Below this smoothed probability a subject is forgotten."""


class Subject(NamedTuple):
    """What an event is about."""

    name: str
    is_group: bool = False


def subject_of(group: Group) -> Subject:
    """A group as a subject."""
    return Subject(group.name, is_group=True)


def subjects_of(prediction: Prediction) -> dict[Subject, float]:
    """The probability of each label and each group that a prediction names."""
    found = {Subject(guess.label): guess.p for guess in prediction.top}
    for group in prediction.groups:
        found[Subject(group.name, True)] = group.p
    return found


def blend(
    before: Mapping[Subject, float], fresh: Mapping[Subject, float], elapsed_ns: int, half_life_s: float
) -> dict[Subject, float]:
    """Exponential smoothing by elapsed time, so that the frame rate does not matter."""
    elapsed_s = max(0.0, elapsed_ns / 1e9)
    keep = 0.5 ** (elapsed_s / half_life_s) if half_life_s > 0 else 0.0
    more = 1 - keep
    blended = {each: keep * before.get(each, 0.0) + more * p for each, p in fresh.items()}
    for each, p in before.items():
        if each not in fresh:
            blended[each] = keep * p
    return blended
