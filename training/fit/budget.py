"""How many epochs fit into a time on this machine, by a few steps of the training itself."""

from __future__ import annotations

import json
import logging
import math
import resource
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from vitcam.errors import UsageError
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.fit.progress.remaining import StageWork
from vitcam_training.fit.session import Session, Stop
from vitcam_training.fit.stage import work
from vitcam_training.fit.start import prepare
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.weights.normalisation import Normalisation

log = logging.getLogger(__name__)

PLAN = "budget.json"
"""In the folder of a run: what was measured when it began, so that the same command continues it."""
RESERVE = 0.1
"""Share of the time that is kept back: steps are not all alike, and at the end weights are written."""
TRIED_STEPS = 12
"""Of an epoch, to measure them."""
WARMUP = 0.1
"""Most of the epochs in which the learning rate rises."""
SCORING = 0.1
"""Most of the time that scorings take, where a photo of a scoring could have been one of a step."""


@dataclass(frozen=True)
class MeasuredPace:
    """How fast a training is on this machine."""

    begin_s: float
    """Until the first step is done: the network is made and compiled."""
    step_s: float
    score_s: float
    """A photo of a scoring."""
    save_s: float
    """The rest of an epoch: the first photos are read, the run is saved."""


def within_budget(
    recipe: Recipe,
    weights: Path | None,
    folder: Path,
    dataset: Dataset,
    deadline_s: float,
    teacher: Path | None = None,
    normalisation: Normalisation | None = None,
) -> Recipe:
    """The recipe with as many epochs as fit. A run in `folder` that had a budget keeps its epochs.

    deadline_s  on the clock of `time.monotonic`: when the training shall be over
    raises      UsageError for a recipe of several stages, and if not even one epoch fits; what `prepare` raises
    """
    if recipe.before:
        raise UsageError(f"the recipe {recipe.name} has several stages; --budget is for recipes of one stage")
    known = folder / PLAN
    if known.is_file():
        epochs, score_every = _planned(known)
    else:
        pace, stage = measured(recipe, weights, dataset, teacher, normalisation)
        score_every = stage.score_every if recipe.train.patience else seldom_scored(pace, stage)
        stage = replace(stage, score_every=score_every)
        left_s = deadline_s - time.monotonic()
        epochs = epochs_within(left_s, pace, stage)
        if epochs < 1:
            needed = pace.begin_s + _epoch_s(pace, stage)
            raise UsageError(
                f"one epoch of {recipe.name} takes about {needed / 60:.1f} minutes here, and "
                f"{max(0.0, left_s) / 60:.1f} are left; give a longer --budget, fewer photos or a smaller network"
            )
        log.info("%.2f s a step here: %d epochs of %d steps fit", pace.step_s, epochs, stage.steps)
        folder.mkdir(parents=True, exist_ok=True)
        known.write_text(json.dumps({"epochs": epochs, "score_every": score_every}) + "\n")
    warmup = min(recipe.train.warmup_epochs, WARMUP * epochs)
    train = replace(recipe.train, epochs=epochs, warmup_epochs=warmup, score_every=score_every)
    return replace(recipe, train=train)


@dataclass(frozen=True)
class Effort:
    """What a training would take on this machine."""

    stages: tuple[tuple[MeasuredPace, StageWork], ...]
    memory_bytes: int
    """The most that this process has had in memory."""

    @property
    def seconds(self) -> float:
        """Of all stages."""
        return sum(pace.begin_s + stage.epochs * _epoch_s(pace, stage) for pace, stage in self.stages)

    @property
    def text(self) -> str:
        """A line for each stage, and one for all."""
        lines = [
            f"{pace.step_s:.2f} s a step of {stage.photos} photos, {_epoch_s(pace, stage) / 60:.1f} minutes an epoch "
            f"of {stage.steps:,} steps, {stage.epochs} epochs"
            for pace, stage in self.stages
        ]
        hours = f"{self.seconds / 3600:.1f} hours" if self.seconds >= 3600 else f"{self.seconds / 60:.1f} minutes"
        return "\n".join([*lines, f"about {hours} in all, {self.memory_bytes / 1e9:.1f} GB of memory"])


def effort(
    recipe: Recipe,
    weights: Path | None,
    dataset: Dataset,
    teacher: Path | None = None,
    normalisation: Normalisation | None = None,
) -> Effort:
    """Try two steps of every stage, and say what all of it would take. Raises what `prepare` raises."""
    stages = [*(replace(stage, data=recipe.data) for stage in recipe.before), replace(recipe, before=())]
    found = tuple(measured(stage, weights, dataset, teacher, normalisation, tried=2) for stage in stages)
    return Effort(found, 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # which Linux gives in KiB


def epochs_within(left_s: float, pace: MeasuredPace, stage: StageWork) -> int:
    """How many epochs fit into the time that is left, what is kept back not counted."""
    return max(0, math.floor((left_s * (1 - RESERVE) - pace.begin_s) / _epoch_s(pace, stage)))


def seldom_scored(pace: MeasuredPace, stage: StageWork) -> int:
    """Epochs from one scoring to the next: as the recipe says, or more where that would take much of the time."""
    ratio = stage.scored * pace.score_s / (SCORING * stage.steps * pace.step_s)
    return max(stage.score_every, math.ceil(ratio))


def measured(
    recipe: Recipe,
    weights: Path | None,
    dataset: Dataset,
    teacher: Path | None = None,
    normalisation: Normalisation | None = None,
    tried: int = TRIED_STEPS,
) -> tuple[MeasuredPace, StageWork]:
    """Train two epochs of a few steps in a folder that is thrown away. Raises what `prepare` raises."""
    started_s, count = time.monotonic(), recipe.train.batch_size
    with tempfile.TemporaryDirectory() as folder:
        whole = work(recipe, dataset)
        photos = min(tried, whole.steps) * count
        parts = {name: _cut(samples, photos) for name, samples in dataset.parts.items()}
        short = replace(recipe, train=replace(recipe.train, epochs=2, per_label=0, warmup_epochs=0.0, score_every=1))
        few = replace(dataset, parts=parts)
        run = prepare(short, weights, Path(folder), few, teacher=teacher, normalisation=normalisation)
        run.stage.check_photos()
        watch = _Watch()
        run.train(Session(quiet=True, stop=watch))
        return watch.pace(started_s, time.monotonic(), count), whole


def _planned(path: Path) -> tuple[int, int]:
    try:
        plan = json.loads(path.read_text())
        return int(plan["epochs"]), int(plan["score_every"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UsageError(f"{path} cannot be read ({error}); delete it, and the epochs are planned again") from error


def _cut(samples: tuple[Sample, ...], count: int) -> tuple[Sample, ...]:
    """`count` from all of them, some several times if they are fewer; 0: all."""
    if not samples or not count:
        return samples
    return tuple(samples[i * len(samples) // count] for i in range(count))


class _Watch(Stop):
    """Never stops, and notes when it is asked: once before an epoch, after each step, after each scored batch."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: list[tuple[bool, float]] = []

    def check(self, gained: bool) -> None:
        """See `Stop`."""
        self._asked.append((gained, time.monotonic()))
        super().check(gained)

    def pace(self, started_s: float, ended_s: float, batch: int) -> MeasuredPace:
        """From the second of two epochs; the first one compiles."""
        kinds = [gained for gained, _ in self._asked]
        times_s = np.array([when_s for _, when_s in self._asked])
        first = kinds.index(True)
        second = kinds.index(True, kinds.index(False, first))  # the first step of the second epoch
        end = kinds.index(False, second)
        step_s = float(np.mean(np.diff(times_s[second:end]))) if end - second > 1 else 0.0
        scored_s = float(np.mean(np.diff(times_s[end - 1 :])))
        epoch_s = ended_s - times_s[second - 1]
        rest_s = epoch_s - (end - second) * step_s - (len(kinds) - end) * scored_s
        return MeasuredPace(
            float(times_s[first] - started_s), step_s or epoch_s, scored_s / batch, max(0.0, float(rest_s))
        )


def _epoch_s(pace: MeasuredPace, stage: StageWork) -> float:
    return stage.steps * pace.step_s + stage.scored * pace.score_s / stage.score_every + pace.save_s
