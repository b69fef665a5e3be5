"""One run: train a network with a mistake with a seed, then test it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

import keras
import numpy as np

from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.session import Session
from vitcam_training.fit.stage import Stage
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.study.ablation.sweep import PHOTOS, AblationJob
from vitcam_training.study.mistakes.rows import MISTAKES, Mistake, base
from vitcam_training.weights.metadata import Metadata

THOUSAND = 1000


@dataclass(frozen=True)
class MistakeResult:
    """One line. Accuracies are fractions of 1."""

    row: str
    seed: int
    settings: str
    train_losses: list[float]
    """Mean of each epoch, while it trained."""
    train_accuracies: list[float]
    accuracy: float
    """On all test photos, after the last epoch."""
    loss: float
    thousands: list[float]
    """Accuracy on each thousand of the test photos, in their order."""
    whole_batches: float
    """Accuracy without the photos of the last batch, which is not full."""
    seconds: float
    cpu_seconds: float
    backend: str = ""
    """Of Keras; empty in lines of before."""


def begin(row: Mistake, recipe: Recipe, folder: Path, dataset: Dataset, photos: int = PHOTOS) -> FitRun:
    """The run of a row, ready to train on the first photos, or to continue where the one in `folder` stopped."""
    keras.utils.set_random_seed(recipe.seed)
    policy = keras.dtype_policies.DTypePolicy(recipe.train.precision)
    vit = row.network(recipe.model.config(len(dataset.labels)), dtype=policy)
    few = replace(dataset, parts=dataset.parts | {"train": dataset.part("train")[:photos]})
    return FitRun(Stage(vit, few, recipe, folder, Metadata(row.name, row.title, dataset.labels, recipe.spec)))


def run(job: AblationJob, row: Mistake, folder: Path, dataset: Dataset) -> MistakeResult:
    """Train, or continue where the run in `folder` stopped, and test on each thousand of the test photos."""
    started = time.monotonic()
    trained = begin(row, job.recipe, folder, dataset)
    trained.train(Session(quiet=True))
    heldout, batch = dataset.part("heldout"), job.recipe.train.batch_size
    pieces = [heldout[i : i + THOUSAND] for i in range(0, len(heldout), THOUSAND)]
    scores = [trained.score(piece) for piece in pieces]
    weights = [len(piece) for piece in pieces]
    accuracy = float(np.average([score.accuracy for score in scores], weights=weights))
    return MistakeResult(
        row=row.name,
        seed=job.recipe.seed,
        settings=job.settings,
        train_losses=[float(line["train_loss"]) for line in trained.log()],
        train_accuracies=[float(line["train_accuracy"]) for line in trained.log()],
        accuracy=accuracy,
        loss=float(np.average([score.loss for score in scores], weights=weights)),
        thousands=[score.accuracy for score in scores],
        whole_batches=_without_rest(trained, heldout, batch, accuracy),
        seconds=round(time.monotonic() - started, 1),
        cpu_seconds=round(time.process_time(), 1),
        backend=keras.backend.backend(),
    )


def _without_rest(trained: FitRun, heldout: tuple[Sample, ...], batch: int, accuracy: float) -> float:
    """Accuracy on the full batches alone, from that on all photos and on those of the last batch."""
    rest = len(heldout) % batch
    if not rest:
        return accuracy
    right = accuracy * len(heldout) - trained.score(heldout[-rest:]).accuracy * rest
    return right / (len(heldout) - rest)


def work(folder: str, name: str, seed: str) -> MistakeResult:
    """Train one row with one seed in a folder below `folder`."""
    (row,) = (known for known in MISTAKES if known.name == name)
    job = AblationJob(row, row.recipe(base(), int(seed)))
    return run(job, row, Path(folder, job.name), open_dataset(job.recipe.data))
