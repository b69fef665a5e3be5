"""One run: train a network that circulates, or its corrected twin, or take a few steps of one that needs a GPU."""

from __future__ import annotations

import math
import resource
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import keras

from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.data_parallel import computer
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.session import Session
from vitcam_training.fit.stage import Stage
from vitcam_training.recipes.recipe import Recipe, fingerprint
from vitcam_training.study.quiet import Yielding
from vitcam_training.study.reproduce.networks import (
    AcrossBatchAsStatedViT,
    DigitsAsStatedViT,
    DigitsViT,
    SmallTokensTorchAttentionViT,
    SmallTokensViT,
    TorchStartViT,
)
from vitcam_training.study.reproduce.sources import SourceRun, Version, runs_of
from vitcam_training.vit import ViT
from vitcam_training.weights.checkpoints import Weights
from vitcam_training.weights.metadata import Metadata

NETWORKS: dict[tuple[str, Version], type[ViT]] = {
    ("digits", "as-stated"): DigitsAsStatedViT,
    ("digits", "corrected"): DigitsViT,
    ("photos", "as-stated"): AcrossBatchAsStatedViT,
    ("photos", "corrected"): SmallTokensTorchAttentionViT,
    ("lite", "as-stated"): TorchStartViT,
    ("lite", "corrected"): SmallTokensViT,
}
"""The others are plain ViTs."""
DRY_STEPS = 3
"""The first is compiled, and is not counted."""


@dataclass(frozen=True)
class ReproducedRun:
    """One line. Accuracies are fractions of 1."""

    run: str
    version: Version
    seed: int
    settings: str
    parameters: int
    train_losses: list[float]
    """Mean of each epoch that was trained, while it trained."""
    train_accuracies: list[float]
    accuracies: dict[int, float]
    """On the test photos, after each epoch that was scored."""
    epochs: int
    """Planned."""
    step_s: float
    """Of a dry run; 0 otherwise. Processor time: on one core that does nothing else, the clock says the same."""
    memory_mb: float
    """The most that the process held."""
    hours: float
    """That the epochs took; that all would take, of a dry run."""
    machine: str = ""
    """That trained it, and the backend of Keras; empty in lines of before."""


def begin(run: SourceRun, version: Version, recipe: Recipe, folder: Path, dataset: Dataset) -> FitRun:
    """The training, ready to begin, or to continue where the one in `folder` stopped. All training photos are used."""
    keras.utils.set_random_seed(recipe.seed)
    network = NETWORKS.get((run.name, version), ViT)
    vit = network(recipe.model.config(len(dataset.labels)))
    parts = {"train": (*dataset.part("train"), *dataset.part("calibration")), "heldout": dataset.part("heldout")}
    everything = replace(dataset, parts=parts)
    metadata = Metadata(recipe.name, run.title, dataset.labels, recipe.spec)
    return FitRun(Stage(vit, everything, recipe, folder, metadata, named=by_path))


def by_path(vit: Any) -> Weights:
    """Weights under Keras' own names, (in, out) where dense: some of these networks have layers that a ViT has not."""
    return {variable.path: keras.ops.convert_to_numpy(variable) for variable in vit.trainable_variables}


def summary_of(
    run: SourceRun, version: Version, recipe: Recipe, log: Sequence[Mapping[str, str]], parameters: int = 0
) -> ReproducedRun:
    """What the log of a training says so far."""
    return ReproducedRun(
        run=run.name,
        version=version,
        seed=recipe.seed,
        settings=fingerprint(recipe),
        parameters=parameters,
        train_losses=[float(line["train_loss"]) for line in log],
        train_accuracies=[float(line["train_accuracy"]) for line in log],
        accuracies={int(line["epoch"]): float(line["test_accuracy"]) for line in log if line.get("test_accuracy")},
        epochs=recipe.train.epochs,
        step_s=0.0,
        memory_mb=_memory_mb(),
        hours=sum(float(line["seconds"]) for line in log) / 3600,
    )


def summary(run: SourceRun, version: Version, trained: FitRun) -> ReproducedRun:
    """What its log says so far."""
    found = summary_of(run, version, trained.stage.recipe, trained.log(), count_of(trained))
    return replace(found, machine=f"{computer()}, on {keras.backend.backend()}")


def count_of(trained: FitRun) -> int:
    """Numbers that training changes."""
    return sum(math.prod(variable.shape) for variable in trained.stage.vit.trainable_variables)


def dry(run: SourceRun, version: Version, trained: FitRun) -> ReproducedRun:
    """A few steps, and what all would take at their pace."""
    times, started = [], time.process_time()
    for _ in islice(trained.epoch_steps(), DRY_STEPS):
        times.append(time.process_time() - started)
        started = time.process_time()
    step_s = statistics.median(times[1:])
    steps = trained.stage.work.steps * trained.stage.recipe.train.epochs
    found = summary(run, version, trained)
    return replace(found, step_s=round(step_s, 2), memory_mb=_memory_mb(), hours=round(step_s * steps / 3600, 1))


def work(folder: str, name: str, version: Version, seed: str) -> ReproducedRun:
    """Do one run in a folder below `folder`, or go on with it."""
    (run,) = runs_of([name])
    recipe = run.recipe(version, int(seed))
    trained = begin(run, version, recipe, place(Path(folder), recipe), open_dataset(recipe.data))
    if run.is_dry:
        return dry(run, version, trained)
    trained.train(Session(quiet=True, stop=Yielding()))
    return summary(run, version, trained)


def place(folder: Path, recipe: Recipe) -> Path:
    """Where a run lives; the settings are in its name, so that others never pass for these."""
    return folder / f"{recipe.name}-{recipe.seed}-{fingerprint(recipe)}"


def _memory_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
