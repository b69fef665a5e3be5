"""What a training would take on this machine, by a few of its own steps."""

from __future__ import annotations

import resource
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.prepare import prepare
from vitcam_training.fit.remaining import StageWork
from vitcam_training.fit.stage import tested, work
from vitcam_training.fit.state import RunPosition
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.weights.normalisation import Normalisation

TRIED_STEPS = 3
"""Of an epoch, to measure them; the one that compiles comes before."""


@dataclass(frozen=True)
class MeasuredPace:
    """How fast a training is on this machine."""

    begin_s: float
    """Until the first step is done: the network is made and compiled."""
    step_s: float
    score_s: float
    """A photo of a scoring."""

    def epoch_s(self, stage: StageWork) -> float:
        """Seconds of an epoch, with its share of the scorings."""
        return stage.steps * self.step_s + stage.scored * self.score_s / stage.score_every


@dataclass(frozen=True)
class Effort:
    """What a training would take on this machine."""

    stages: tuple[tuple[MeasuredPace, StageWork], ...]
    memory_bytes: int
    """The most that this process has had in memory."""

    @property
    def seconds(self) -> float:
        """Of all stages."""
        return sum(pace.begin_s + stage.epochs * pace.epoch_s(stage) for pace, stage in self.stages)

    @property
    def text(self) -> str:
        """A line for each stage, and one for all."""
        lines = [
            f"{pace.step_s:.2f} s a step of {stage.photos} photos, {pace.epoch_s(stage) / 60:.1f} minutes an epoch "
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
    """Try a few steps of every stage, and say what all of it would take. Raises what `prepare` raises."""
    stages = [*(replace(stage, data=recipe.data) for stage in recipe.before), replace(recipe, before=())]
    found = tuple(_measured(stage, weights, dataset, teacher, normalisation) for stage in stages)
    return Effort(found, 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # which Linux gives in KiB


def _measured(
    recipe: Recipe, weights: Path | None, dataset: Dataset, teacher: Path | None, normalisation: Normalisation | None
) -> tuple[MeasuredPace, StageWork]:
    """Train and score a little in a folder that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        started_s = time.monotonic()
        run = prepare(recipe, weights, Path(folder), dataset, teacher=teacher, normalisation=normalisation)
        run.stage.check_photos()
        with closing(run.epoch_steps()) as steps:
            next(steps)
        begun_s = time.monotonic()
        run.position = RunPosition()  # the epoch begins again: it may have no second step
        with closing(run.epoch_steps()) as steps:
            for _ in islice(steps, TRIED_STEPS):
                pass
        step_s = (time.monotonic() - begun_s) / run.position.step
        scored = dataset.parts[tested(dataset)][: recipe.train.batch_size]
        run.score(scored)  # compiles
        before_s = time.monotonic()
        run.score(scored)
        score_s = (time.monotonic() - before_s) / max(1, len(scored))
    return MeasuredPace(begun_s - started_s, step_s, score_s), work(recipe, dataset)
