"""The same on films, frame by frame, by what is displayed over time: the headline, smoothed as the daemon does.

Besides the rule for photos there is one for scenes that stand still. The last full look counts as long as the quick
look at the new frame says nearly what the quick look beside that full one said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from vitcam.events import Rules
from vitcam.frames import Prediction
from vitcam.model.classifier import Classifier
from vitcam.pictures.resize import frame_of_picture
from vitcam.pipeline.headlines import Headlines
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.sources.film import Film
from vitcam.zones.motion import GateOptions, MotionGate
from vitcam_training.study.input_sizes.rule import SAME, Flags, Floats, RuleOutcome

Shift = float
"""A total variation distance, 0 to 1: how much probability went to other labels."""


def headlines(predictions: Sequence[Prediction]) -> list[str | None]:
    """What the daemon displays at each frame, with its default rules for events."""
    told = PlaceEvents(Rules())
    smoothed = Headlines(lambda: told.lasting)
    shown = []
    for prediction in predictions:
        shown.append(smoothed.add_to(prediction).told.label)
        told.step(prediction, lambda: "1")
    return shown


def shown_of(quick: Sequence[Prediction], full: Sequence[Prediction], looked_full: Flags) -> list[str | None]:
    """The headlines where some frames have the full look, and the others the quick one alone."""
    return headlines([b if whole else a for a, b, whole in zip(quick, full, looked_full, strict=True)])


def kept(full: Sequence[Prediction], looked_full: Flags) -> list[str | None]:
    """The headlines where a frame without a full look counts as what the last one said."""
    last, said = full[0], []
    for prediction, whole in zip(full, looked_full, strict=True):
        last = prediction if whole else replace(last, captured_ns=prediction.captured_ns)
        said.append(last)
    return headlines(said)


def compared(shown: Sequence[str | None], usual: Sequence[str | None], looked_full: Flags) -> RuleOutcome:
    """Beside the headlines of full looks alone."""
    displayed = [(a, b) for a, b in zip(shown, usual, strict=True) if a is not None or b is not None]
    return RuleOutcome(len(usual), int(looked_full.sum()), len(displayed), sum(a == b for a, b in displayed))


def still(rows: Floats, most: Shift) -> Flags:
    """(n,) which frames get a full look, if one is kept until the quick look moved by more than `most`.

    rows  (n, C) probabilities of the quick looks
    """
    looked_full = np.zeros(len(rows), bool)
    reference = rows[0]
    for i, row in enumerate(rows):
        if i == 0 or np.abs(row - reference).sum() / 2 > most:
            looked_full[i], reference = True, row
    return looked_full


SHIFTS: tuple[Shift, ...] = tuple(round(0.02 * i, 2) for i in range(51))


def fit_still(rows: Floats, full: Sequence[Prediction], level: float = SAME) -> Shift:
    """The largest shift at which this share of a film's headlines is the same, as it is at every smaller one.

    rows  (n, C) probabilities of the quick looks
    """
    usual, found = headlines(full), 0.0
    for most in SHIFTS:
        looked_full = still(rows, most)
        if compared(kept(full, looked_full), usual, looked_full).same_share.value < level:
            break
        found = most
    return found


def gated(clip: Path, classifier: Classifier) -> Flags:
    """(n,) which frames pass the daemon's motion gate, with its default options."""
    gate, passed = MotionGate(GateOptions()), []
    with Film(clip) as film:
        for shot in film:
            picture = shot.picture()
            if picture is None:
                continue
            frame = frame_of_picture(picture, classifier.input, clip.name)
            passed.append(gate(replace(frame, captured_ns=round(shot.position_s * 1e9))))
    return np.array(passed, bool)
