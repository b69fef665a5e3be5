"""One network in different numbers, each tried on the same photos beside the float network it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam.model import bundle
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.data.dataset import BrokenPhotoError, Dataset, Sample, photo_of
from vitcam_training.evaluation.answers import Answers, comparison, figures
from vitcam_training.evaluation.calibration import scaled
from vitcam_training.evaluation.float_network import ask_float
from vitcam_training.evaluation.model_file import ask_model, open_model
from vitcam_training.export.layers import ALWAYS_FLOAT, matching
from vitcam_training.export.network import Pieces, TrainedNetwork, pieces_of
from vitcam_training.export.quantise import Quantisation, find_scheme
from vitcam_training.weights.checkpoints import read_network
from vitcam_training.weights.metadata import read_metadata

REPRESENTATIVE = 200
"""Photos that show a static scheme what activations are like."""


@dataclass(frozen=True)
class TrialOutcome:
    """What one file did."""

    path: Path
    pieces: Pieces
    found: dict[str, float]
    """`top1`, `ece`, `float_top1`, `agreement`, `attention_cosine_mean` … as fractions of 1, and `shift`."""

    @property
    def size_mb(self) -> float:
        """Of the file."""
        return self.path.stat().st_size / 1e6

    @property
    def lost(self) -> float:
        """Top-1 of the float network minus that of the file, as a fraction."""
        return self.found["float_top1"] - self.found["top1"]


@dataclass(frozen=True, eq=False)
class Trial:
    """Where files are made and asked."""

    network: TrainedNetwork
    checkpoint: Path
    dataset: Dataset
    part: str
    folder: Path

    def run(self, name: str, how: Quantisation) -> TrialOutcome:
        """Make a file and ask it everything."""
        path = self.write(name, how)
        answers = ask_model(open_model(path, self.dataset), self.dataset, self.part)
        found = {**figures(answers), **comparison(answers, self._exact), "shift": shift(answers, self._exact)}
        return TrialOutcome(path, pieces_of(path.read_bytes()), found)

    def write(self, name: str, how: Quantisation) -> Path:
        """Only make it."""
        tflite, path = self.network.tflite(how), self.folder / f"{name}.tflite"
        bundle.write(path, tflite, self.network.card(tflite, how), list(self.network.about.labels), [])
        return path

    @cached_property
    def _exact(self) -> Answers:
        raw = ask_float(self.checkpoint, self.dataset, self.part)  # at temperature 1, which no file computes
        calibrated = scaled(raw.probabilities, self.network.temperature)
        return replace(raw, probabilities=calibrated.astype(np.float32))


def shift(answers: Answers, reference: Answers) -> float:
    """How much probability moved to other labels: half the sum of the differences, mean over the photos, 0 to 1."""
    return float(np.abs(answers.probabilities - reference.probabilities).sum(-1).mean() / 2)


def some_of(samples: Sequence[Sample], count: int) -> tuple[Sample, ...]:
    """This many of the photos, always the same."""
    return tuple(samples[i] for i in np.random.default_rng(0).permutation(len(samples))[:count])


def representative(dataset: Dataset, spec: InputSpec, count: int = REPRESENTATIVE) -> tuple[Image, ...]:
    """Photos of the part `train` at the model's size, (h, w, 3) uint8 each. Raises UsageError if it has none."""
    photos = []
    for sample in some_of(dataset.part("train"), count):
        try:
            photos.append(to_model_size(photo_of(sample), spec))
        except BrokenPhotoError:
            continue  # reported where it is trained on
    return tuple(photos)


def wanted(
    checkpoint: Path, scheme: str, keep: Sequence[str], shown: Dataset | None, side_px: int | None = None
) -> Quantisation:
    """The quantisation that the options describe.

    keep    patterns of layers that are to stay in float
    shown   its part `train` shows a static scheme what activations are like
    side_px height and width of the input; None: as it was trained
    raises  UsageError for words that say nothing here, or where photos are wanted and there are none
    """
    floats = ALWAYS_FLOAT | matching(read_network(checkpoint)[0], keep) if keep else ALWAYS_FLOAT
    if not find_scheme(scheme).needs_photos:
        return Quantisation(scheme, floats)
    if shown is None:
        raise UsageError(f"--quantise {scheme} measures activations on photos; give --data or --representative")
    spec = read_metadata(checkpoint).input
    spec = spec if side_px is None else replace(spec, height=side_px, width=side_px)
    return Quantisation(scheme, floats, representative(shown, spec))
