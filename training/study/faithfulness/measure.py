"""The curves of every explanation on every photo. What was measured is kept photo by photo, so a new run continues.

A photo costs two inferences for each step of each explanation and neutral picture: 500 photos, 14 steps and 20
explanations are 260,000 inferences, half an hour on two cores that do nothing else.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.model.classifier import Classifier
from vitcam.pictures.resize import to_model_size
from vitcam_training.data.dataset import BrokenPhotoError, Sample, photo_of
from vitcam_training.progress import with_progress
from vitcam_training.study.faithfulness.curves import NEUTRAL, Floats, counts_of, curves, ranks_of, with_ends
from vitcam_training.study.faithfulness.maps import Explanation, MapInputs, MapSource
from vitcam_training.study.faithfulness.model_file import ask_once, follow

ENDS, MS = "ends", "ms"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """How it is measured."""

    photos: int = 500
    seed: int = 0
    steps: int = 8
    neutral: tuple[str, ...] = ("blur",)
    """Keys of NEUTRAL; the first is what is decided by."""
    orders: int = 2
    """Draws of `random` for each photo."""


@dataclass(frozen=True, eq=False)
class Bench:
    """What is measured, with what."""

    classifier: Classifier
    explanations: Sequence[Explanation]
    plan: Plan
    folder: Path
    """Of what was measured, with the same model file, seed and steps."""
    prior: Floats
    network: MapSource | None = None

    @property
    def counts(self) -> NDArray[np.int64]:
        """(S + 1,) patches changed at each point of a curve."""
        return counts_of(math.prod(self.classifier.card.grid), self.plan.steps)


@dataclass(frozen=True, eq=False)
class Measured:
    """The curves of all explanations."""

    counts: NDArray[np.int64]
    """(S + 1,)."""
    curves: dict[str, dict[str, Floats]]
    """Neutral picture -> key of an explanation -> (n, 2, S + 1): for each photo deletion and insertion, with ends."""
    ms: Floats
    """(n, 2): what `classify` and `explain` took, one after the other."""


def measure(bench: Bench, samples: Sequence[Sample]) -> Measured:
    """Measure what the folder does not hold yet. A photo that cannot be read is left out with a warning."""
    bench.folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, dict[str, list[Floats]]] = {neutral: defaultdict(list) for neutral in bench.plan.neutral}
    times = []
    for place, sample in enumerate(with_progress(samples, "photos")):
        wanted = [one for one in bench.explanations if one.photos is None or place < one.photos]
        try:
            kept = _photo(bench, sample, wanted)
        except BrokenPhotoError as error:
            log.warning("skipped %s", error)
            continue
        times.append(kept[MS])
        for neutral, group in found.items():
            for one in wanted:
                ends = kept[f"{neutral}/{ENDS}"]
                group[one.key].append(with_ends(kept[f"{neutral}/{one.key}"], *map(float, ends)))
    stacked = {neutral: {key: np.stack(rows) for key, rows in group.items()} for neutral, group in found.items()}
    return Measured(bench.counts, stacked, np.array(times))


def _photo(bench: Bench, sample: Sample, wanted: Sequence[Explanation]) -> dict[str, Floats]:
    """All curves of one photo: those kept, and those measured now, which are kept at once."""
    path = bench.folder / file_name(sample)
    kept = _read(path)
    missing = {neutral: [one for one in wanted if f"{neutral}/{one.key}" not in kept] for neutral in bench.plan.neutral}
    if any(missing.values()):
        image = to_model_size(photo_of(sample), bench.classifier.input)
        kept |= _ask(bench, image, missing)
        _write(path, kept)
    return kept


def _ask(bench: Bench, image: Image, missing: dict[str, list[Explanation]]) -> dict[str, Floats]:
    classifier, plan = bench.classifier, bench.plan
    plain, explained = ask_once(classifier, image, explain=False), ask_once(classifier, image, explain=True)
    ask = follow(classifier, plain.top[0].label)
    found = {MS: np.array([plain.ms.infer, explained.ms.infer])}
    for neutral, group in missing.items():
        blank = NEUTRAL[neutral](image, classifier.card.patch_size)
        found[f"{neutral}/{ENDS}"] = np.array([ask(image), ask(blank)])
        inputs = MapInputs(image, blank, explained, ask, bench.prior, bench.network, _seed_of(image, plan.seed))
        for one in group:
            ranks = ranks_of(one.make(inputs), inputs.seed)
            found[f"{neutral}/{one.key}"] = curves(ask, image, blank, ranks, bench.counts)
    return found


def mean_attention(classifier: Classifier, samples: Sequence[Sample]) -> Floats:
    """Where a model looks whatever it is shown, (gh, gw): the last block's attention, mean over heads and photos."""
    total = np.zeros(classifier.card.grid)
    for sample in samples:
        attention = classifier.classify_image(photo_of(sample)).attention
        total += 0 if attention is None else attention.mean(0)
    return total / max(1, len(samples))


def file_name(sample: Sample) -> str:
    """What a photo's curves are kept under, by its path and what it shows."""
    return hashlib.sha256(f"{sample.label}/{sample.path}".encode()).hexdigest()[:16] + ".npz"


def _seed_of(image: Image, seed: int) -> int:
    """Other lots for each photo, the same for a photo wherever it stands in the list."""
    return int.from_bytes(hashlib.sha256(image.tobytes() + seed.to_bytes(8)).digest()[:8])


def _read(path: Path) -> dict[str, Floats]:
    if not path.is_file():
        return {}
    with np.load(path) as archive:
        return {name: archive[name] for name in archive.files}


def _write(path: Path, found: dict[str, Floats]) -> None:
    """As a whole: an interruption loses this photo at most."""
    partial = path.with_name(f".{path.name}")
    with partial.open("wb") as file:
        np.savez(file, **found)  # type: ignore[arg-type]
    partial.replace(path)
