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
from typing import Any

import numpy as np

from vitcam.errors import UsageError, VitcamError
from vitcam.storage.files import write_atomically
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.fit.prepare import last_blocks, prepare
from vitcam_training.fit.remaining import FORWARD, StageWork
from vitcam_training.fit.session import Deadline, Session, Stop, Stopped
from vitcam_training.fit.stage import work
from vitcam_training.recipes.recipe import Recipe, TrainRecipe
from vitcam_training.weights.normalisation import Normalisation

log = logging.getLogger(__name__)

PLAN = "budget.json"
"""In the folder of a run: what was measured when it began, so that the same command continues it."""
RESERVE = 0.1
"""Share of the time that is kept back: steps are not all alike, and at the end weights are written."""
MEASURING = 0.5
"""Most of the time that measuring takes."""
WARMUP = 0.1
"""Most of the epochs in which the learning rate rises."""
SCORING = 0.1
"""Most of the time that scorings take, where a photo of a scoring could have been one of a step."""
TRIED_STEPS = 12
"""Of an epoch, to measure them."""


class TooSlow(Exception):
    """A training did not come as far as to be measured."""


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

    def epoch_s(self, stage: StageWork) -> float:
        """Seconds of an epoch, with its share of the scorings."""
        return stage.steps * self.step_s + stage.scored * self.score_s / stage.score_every + self.save_s


def within_budget(
    recipe: Recipe,
    weights: Path | None,
    folder: Path,
    dataset: Dataset,
    deadline_s: float,
    teacher: Path | None = None,
    normalisation: Normalisation | None = None,
) -> tuple[Recipe, Deadline]:
    """The recipe with as many epochs as fit, and what plans them again while it runs. A run in `folder` keeps its plan.

    Where not even one epoch fits, pretrained weights get a new head alone. The last epoch may end early, so whatever
    the time, something is trained.

    deadline_s  on the clock of `time.monotonic`: when the training shall be over
    raises      UsageError for a recipe of several stages; VitcamError if it is interrupted; what `prepare` raises
    """
    if recipe.before:
        raise UsageError(f"the recipe {recipe.name} has several stages; --budget is for recipes of one stage")
    path = folder / PLAN
    finish_s = RESERVE * max(0.0, deadline_s - time.monotonic())
    if not path.is_file():
        plan, pace = _plan(recipe, weights, dataset, deadline_s, teacher, normalisation)
        folder.mkdir(parents=True, exist_ok=True)
        _write(path, plan)
        finish_s = pace or finish_s
    found = _planned(path, recipe)
    return replace(recipe, train=replace(recipe.train, **found)), Deadline(
        deadline_s, finish_s, lambda epochs: _write(path, found | {"epochs": epochs})
    )


def _plan(
    recipe: Recipe,
    weights: Path | None,
    dataset: Dataset,
    deadline_s: float,
    teacher: Path | None,
    normalisation: Normalisation | None,
) -> tuple[dict[str, Any], float | None]:
    """Fields of the recipe's training, and the seconds that its end takes; None: they were not measured."""
    train, started_s = recipe.train, time.monotonic()
    head = last_blocks(recipe, weights, 0, normalisation).train.frozen_blocks if weights else train.frozen_blocks
    alone = {"frozen_blocks": head}
    try:
        limit_s = started_s + MEASURING * (deadline_s - started_s)
        pace, stage = measured(recipe, weights, dataset, teacher, normalisation, limit_s=limit_s)
    except TooSlow:
        log.warning("%s is too slow to be measured in this time: %s", recipe.name, _instead(weights))
        return alone | _epochs(train, train.epochs, train.score_every) | {"warmup_epochs": WARMUP}, None
    score_every = stage.score_every if train.patience else seldom_scored(pace, stage)
    stage, left_s = replace(stage, score_every=score_every), deadline_s - time.monotonic()
    finish_s = stage.scored * pace.score_s + pace.save_s
    count = epochs_within(left_s, pace, stage)
    if count:
        log.info("%.2f s a step here: %d epochs of %d steps fit", pace.step_s, count, stage.steps)
        return _epochs(train, count, score_every), finish_s
    log.warning(
        "one epoch of %s takes about %.1f minutes here, and %.1f are left: %s", recipe.name,
        (pace.begin_s + pace.epoch_s(stage)) / 60, max(0.0, left_s) / 60, _instead(weights),
    )  # fmt: skip
    count = epochs_within(left_s, replace(pace, step_s=FORWARD * pace.step_s), stage) if weights else 0
    return alone | _epochs(train, max(1, count), score_every), finish_s


def _instead(weights: Path | None) -> str:
    return "the head alone is trained" if weights else "it is trained on as many photos as there is time for"


def _epochs(train: TrainRecipe, epochs: int, score_every: int) -> dict[str, Any]:
    return {
        "epochs": epochs,
        "score_every": score_every,
        "warmup_epochs": min(train.warmup_epochs, WARMUP * epochs),
    }


def _write(path: Path, plan: dict[str, Any]) -> None:
    write_atomically(path, json.dumps(plan) + "\n")


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
    """Try two steps of every stage, and say what all of it would take. Raises what `measured` raises."""
    stages = [*(replace(stage, data=recipe.data) for stage in recipe.before), replace(recipe, before=())]
    found = tuple(measured(stage, weights, dataset, teacher, normalisation, tried=2) for stage in stages)
    return Effort(found, 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # which Linux gives in KiB


def epochs_within(left_s: float, pace: MeasuredPace, stage: StageWork) -> int:
    """How many epochs fit into the time that is left, what is kept back not counted."""
    return max(0, math.floor((left_s * (1 - RESERVE) - pace.begin_s) / pace.epoch_s(stage)))


def seldom_scored(pace: MeasuredPace, stage: StageWork) -> int:
    """Epochs from one scoring to the next: as the recipe says, or more where that would take much of the time."""
    ratio = stage.scored * pace.score_s / (SCORING * stage.steps * pace.step_s)
    return max(stage.score_every, math.ceil(ratio))


def _planned(path: Path, recipe: Recipe) -> dict[str, Any]:
    """Fields of the recipe's training. Plans of earlier versions have two of them."""
    try:
        plan = json.loads(path.read_text())
        found = _epochs(recipe.train, int(plan["epochs"]), int(plan["score_every"]))
        found |= {"frozen_blocks": int(plan.get("frozen_blocks", recipe.train.frozen_blocks))}
        return found | {"warmup_epochs": float(plan.get("warmup_epochs", found["warmup_epochs"]))}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} cannot be read ({error}); delete it, and the epochs are planned again") from error


def measured(
    recipe: Recipe,
    weights: Path | None,
    dataset: Dataset,
    teacher: Path | None = None,
    normalisation: Normalisation | None = None,
    tried: int = TRIED_STEPS,
    limit_s: float = math.inf,
) -> tuple[MeasuredPace, StageWork]:
    """Train two epochs of a few steps in a folder that is thrown away.

    limit_s  on the clock of `time.monotonic`: when to give up
    raises   TooSlow after that; VitcamError if it is interrupted; what `prepare` raises
    """
    started_s, count = time.monotonic(), recipe.train.batch_size
    with tempfile.TemporaryDirectory() as folder:
        whole = work(recipe, dataset)
        photos = min(tried, whole.steps) * count
        parts = {name: _cut(samples, photos) for name, samples in dataset.parts.items()}
        short = replace(recipe, train=replace(recipe.train, epochs=2, per_label=0, warmup_epochs=0.0, score_every=1))
        few = replace(dataset, parts=parts)
        run = prepare(short, weights, Path(folder), few, teacher=teacher, normalisation=normalisation)
        run.stage.check_photos()
        watch = _Watch((limit_s - time.monotonic()) / 60)
        try:
            run.train(Session(quiet=True, stop=watch))
        except Stopped as stopped:
            if stopped.exit_code == 0:
                raise TooSlow from None
            raise VitcamError(
                "interrupted while the pace was measured; nothing is kept, so run the same command again"
            ) from None
        return watch.pace(started_s, time.monotonic(), count), whole


def _cut(samples: tuple[Sample, ...], count: int) -> tuple[Sample, ...]:
    """`count` from all of them, some several times if they are fewer; 0: all."""
    if not samples or not count:
        return samples
    return tuple(samples[i * len(samples) // count] for i in range(count))


class _Watch(Stop):
    """Notes when it is asked: once before an epoch, after each step, after each scored batch."""

    def __init__(self, minutes: float) -> None:
        super().__init__(minutes)
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
