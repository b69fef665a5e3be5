"""What was found, as the JSON file `MODEL.overlays.json` beside a model holds it; small enough to be committed.

The study `faithfulness` writes it, and the report of a model shows it. The file is `FaithfulnessResult` field by field;
an `Interval` is written as [value, low, high]. All curves and areas are probabilities of the first guess, 0 to 1. A
difference is the explanation's area less the baseline's on the same photos: below zero is good in deletion, above zero
in insertion.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from vitcam.errors import UsageError
from vitcam.model import bundle
from vitcam_training.evaluation.intervals import Interval

SCHEMA = 1
CURVES = ("deletion", "insertion")
BASELINES = ("random", "centre", "mean map")
"""What every explanation is held against; they are explanations, too."""

GivenBy = Literal["classify", "explain", "network", "asking", "nothing"]
"""Who can give a map: every inference, the signature `explain`, only the float network, many inferences more, or
nobody, because it needs no look at the photo."""


@dataclass(frozen=True)
class FaithfulnessFinding:
    """One explanation on one kind of neutral picture."""

    name: str
    about: str
    given_by: GivenBy
    photos: int
    curves: dict[str, list[float]]
    """`deletion`, `insertion` -> mean over the photos at each of the verdict's steps."""
    areas: dict[str, Interval]
    """`deletion`, `insertion` -> area under the curve."""
    against: dict[str, dict[str, Interval]]
    """Baseline -> `deletion`, `insertion` -> difference of the areas, photo by photo."""

    def beats(self, baseline: str, curve: str) -> bool:
        """Whether it is better than a baseline on one curve, with a confidence of 95 %."""
        difference = self.against[baseline][curve]
        return difference.below_zero if curve == "deletion" else difference.above_zero

    @property
    def spread(self) -> float:
        """Insertion less deletion: one figure to order explanations by, the larger the better."""
        return self.areas["insertion"].value - self.areas["deletion"].value


@dataclass(frozen=True)
class FaithfulnessResult:
    """All that was measured of one model file."""

    model: str
    digest: str
    """First 12 digits of the file's SHA-256."""
    revision: str
    """Of the sources it was trained with."""
    data: str
    split: str
    photos: int
    seed: int
    draws: int
    """Of the bootstrap."""
    random_orders: int
    """Draws of the baseline `random` for each photo, of which the mean is taken."""
    steps: list[int]
    """Patches changed at each point of a curve."""
    shown: str
    """The explanation that vitcam draws by default."""
    ms: dict[str, float]
    """Signature -> median time of an inference while this was measured."""
    whole: float
    """Mean probability of the first guess on the photos as they are."""
    nothing: dict[str, float]
    """Neutral picture -> the same on nothing but it."""
    findings: dict[str, list[FaithfulnessFinding]]
    """Neutral picture -> one for each explanation, best first; what is decided by comes first."""
    command: str
    machine: str
    date: str
    schema: int = SCHEMA

    @property
    def neutral(self) -> str:
        """The neutral picture that is decided by."""
        return next(iter(self.findings))

    def finding(self, name: str, neutral: str | None = None) -> FaithfulnessFinding:
        """Raises KeyError if there is no such explanation."""
        return {finding.name: finding for finding in self.findings[neutral or self.neutral]}[name]

    def beats_baselines(self) -> dict[str, bool]:
        """Curve -> whether what vitcam draws beats random and the centre prior on it, with a confidence of 95 %."""
        shown = self.finding(self.shown)
        return {curve: all(shown.beats(baseline, curve) for baseline in ("random", "centre")) for curve in CURVES}


def path_of(model: Path) -> Path:
    """Where the verdict of a model file lies: `everyday.tflite` -> `everyday.overlays.json`."""
    return model.with_suffix(".overlays.json")


def digest(path: Path) -> str:
    """Which graph it was: the first 12 digits of its SHA-256; what a card says beside it may change."""
    return hashlib.sha256(bundle.flatbuffer(path)).hexdigest()[:12]


def read_result(path: Path) -> FaithfulnessResult | None:
    """What was found of a model; None where nothing was measured.

    raises  UsageError if the file is there and holds no verdict
    """
    if not path.is_file():
        return None
    try:
        raw = json.loads(path.read_text("utf-8"))
        if raw["schema"] != SCHEMA:
            raise ValueError(f"its schema is {raw['schema']}; this program reads {SCHEMA}")
        raw["findings"] = {neutral: [_finding(one) for one in group] for neutral, group in raw["findings"].items()}
        return FaithfulnessResult(**raw)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} does not hold figures of overlays ({error}); make it again with "
            "python -m vitcam_training.study.faithfulness"
        ) from error


def _finding(raw: dict[str, Any]) -> FaithfulnessFinding:
    values = {field.name: raw[field.name] for field in fields(FaithfulnessFinding)}
    values["areas"] = {curve: Interval(*area) for curve, area in raw["areas"].items()}
    values["against"] = {
        baseline: {curve: Interval(*difference) for curve, difference in row.items()}
        for baseline, row in raw["against"].items()
    }
    return FaithfulnessFinding(**values)
