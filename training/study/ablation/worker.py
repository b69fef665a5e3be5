"""One run of the ablation: train a row with a seed, then measure it as it is and with its patches shuffled."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import keras

from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.prepare import prepare
from vitcam_training.fit.session import Session
from vitcam_training.recipes.recipe import read_recipe
from vitcam_training.study.ablation.rows import chosen
from vitcam_training.study.ablation.shuffle import shuffled
from vitcam_training.study.ablation.sweep import PHOTOS, AblationJob, Result
from vitcam_training.study.convolution.network import prepare_convolutional


def run(job: AblationJob, folder: Path, dataset: Dataset) -> Result:
    """Train, or continue where the run in `folder` stopped, and measure. Patches are shuffled only in the test."""
    started = time.monotonic()
    few = replace(dataset, parts=dataset.parts | {"train": dataset.part("train")[:PHOTOS]})
    trained = _prepared(job, folder, few)
    trained.train(Session(quiet=True))
    heldout, side = dataset.part("heldout"), job.recipe.model.patch_size
    score = trained.score(heldout)
    return Result(
        row=job.row.name,
        seed=job.recipe.seed,
        settings=job.settings,
        parameters=trained.stage.vit.count_params(),
        train_accuracy=float(trained.log()[-1]["train_accuracy"]),
        accuracy=score.accuracy,
        loss=score.loss,
        shuffled_accuracy=trained.score(shuffled(heldout, job.recipe.spec, side)).accuracy,
        seconds=round(time.monotonic() - started, 1),
        cpu_seconds=round(time.process_time(), 1),
        backend=keras.backend.backend(),
    )


def _prepared(job: AblationJob, folder: Path, few: Dataset) -> FitRun:
    if job.row.convolution:
        return prepare_convolutional(job.recipe, job.row.convolution, folder, few)
    return prepare(job.recipe, None, folder, few, scaled=job.row.scaled)


def work(folder: str, recipe: str, row: str, seed: str) -> Result:
    """Train one row with one seed in a folder below `folder`."""
    (wanted,) = (known for known in chosen([row]) if known.name == row)
    job = AblationJob(wanted, wanted.recipe(read_recipe(recipe), int(seed)))
    return run(job, Path(folder, job.name), open_dataset(job.recipe.data))
