"""One run: train a network on a share of the photos, then measure it, as it is and on pictures that were changed."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vitcam_training.data.batches import plain_batches
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.prepare import prepare
from vitcam_training.fit.session import Session
from vitcam_training.study.ablation.shuffle import shuffled
from vitcam_training.study.convolution.training import prepare_convolutional
from vitcam_training.study.inductive_bias.networks import pretrained_weights
from vitcam_training.study.inductive_bias.pictures import part_of, shifted
from vitcam_training.study.inductive_bias.runs import CHANGED_PHOTOS, SHIFTS, BiasJob, BiasResult, job_called


def work(folder: str, network: str, share: str, seed: str) -> str:
    """Train and measure one network in a folder below `folder`; returns the result as JSON."""
    job = job_called(network, share, seed)
    return json.dumps(asdict(run(job, Path(folder, job.name), open_dataset(job.recipe.data))))


def run(job: BiasJob, folder: Path, dataset: Dataset) -> BiasResult:
    """Train, or continue where the run in `folder` stopped, and measure."""
    started = time.monotonic()
    trained = _prepared(job, folder, dataset)
    trained.train(Session(quiet=True))
    stage, last = trained.stage, trained.log()[-1]
    return BiasResult(
        network=job.contestant.name,
        share=job.share,
        seed=job.seed,
        settings=job.settings,
        parameters=stage.vit.count_params(),
        photos=len(stage.dataset.part("train")),
        steps=stage.work.steps * stage.recipe.train.epochs,
        train_accuracy=float(last["train_accuracy"]),
        accuracy=float(last["test_accuracy"]),
        shuffled_accuracy=_shuffled(trained) if job.changes_pictures else None,
        moved=_moved(trained) if job.changes_pictures else {},
        seconds=round(time.monotonic() - started, 1),
        cpu_seconds=round(time.process_time(), 1),
    )


def _prepared(job: BiasJob, folder: Path, dataset: Dataset) -> FitRun:
    photos = part_of(dataset, job.share, job.seed)
    if job.contestant.convolution:
        return prepare_convolutional(job.recipe, job.contestant.convolution, folder, photos)
    return prepare(job.recipe, pretrained_weights() if job.contestant.pretrained else None, folder, photos)


def _shuffled(trained: FitRun) -> float:
    stage = trained.stage
    photos = stage.dataset.part("heldout")[:CHANGED_PHOTOS]
    answers = _answers(trained, shuffled(photos, stage.recipe.spec, stage.recipe.model.patch_size))
    return float((answers == _labels(photos)).mean())


def _moved(trained: FitRun) -> dict[str, list[float]]:
    photos, spec = trained.stage.dataset.part("heldout")[:CHANGED_PHOTOS], trained.stage.recipe.spec
    plain, labels = _answers(trained, photos), _labels(photos)
    answers = [_answers(trained, shifted(photos, spec, shift)) for shift in SHIFTS]
    return {
        "accuracy": [float((each == labels).mean()) for each in (plain, *answers)],
        "agreement": [float((each == plain).mean()) for each in (plain, *answers)],
    }


def _labels(photos: Sequence[Sample]) -> NDArray[np.int64]:
    return np.array([photo.label for photo in photos])


def _answers(trained: FitRun, photos: Sequence[Sample]) -> NDArray[np.int64]:
    """The label that each photo gets, (n,)."""
    with trained.learner.averaged(), closing(plain_batches(photos, trained.stage.plan)) as batches:
        return np.concatenate([trained.learner.predict(images).argmax(-1) for images, _ in batches])
