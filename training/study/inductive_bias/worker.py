"""One run: train a network on a share of the photos, then measure it, as it is and on pictures that were changed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import keras
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec, to_model_size
from vitcam_training.data.batches import plain_batches
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.data.dataset import Dataset, Sample, photo_of
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.prepare import prepare
from vitcam_training.fit.session import Session
from vitcam_training.study.ablation.shuffle import shuffled
from vitcam_training.study.convolution.network import prepare_convolutional
from vitcam_training.study.inductive_bias.runs import (
    CHANGED_PHOTOS,
    CONTESTANTS,
    SHIFTS,
    BiasJob,
    BiasResult,
    pretrained_weights,
)


def work(folder: str, network: str, share: str, seed: str) -> BiasResult:
    """Train and measure one network in a folder below `folder`."""
    job = BiasJob(CONTESTANTS[network], float(share), int(seed))
    return run(job, Path(folder, job.name), open_dataset(job.recipe.data))


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
        backend=keras.backend.backend(),
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


def moved(image: Image, shift: int) -> Image:
    """A picture (H, W, 3) uint8 moved to the right by `shift` px; what is missing on the left is mirrored."""
    if shift == 0:
        return image
    return np.ascontiguousarray(np.pad(image, ((0, 0), (shift, 0), (0, 0)), mode="reflect")[:, : image.shape[1]])


def shifted(samples: Sequence[Sample], spec: InputSpec, shift: int) -> list[Sample]:
    """The same photos at the model's size, each moved to the right by `shift` px."""
    return [replace(sample, pixels=moved(to_model_size(photo_of(sample), spec), shift)) for sample in samples]


def part_of(dataset: Dataset, share: float, seed: int) -> Dataset:
    """The data set with a share of each label's photos to train on, drawn by the seed; the other parts stay.

    A smaller share of the same seed is a part of a larger one.
    """
    if share == 1.0:
        return dataset
    by_label: dict[int, list[Sample]] = {}
    for sample in dataset.part("train"):
        by_label.setdefault(sample.label, []).append(sample)
    rng = np.random.default_rng(seed)
    kept: list[Sample] = []
    for _, photos in sorted(by_label.items()):
        order = rng.permutation(len(photos))
        kept += [photos[i] for i in order[: max(1, round(share * len(photos)))]]
    return replace(dataset, parts=dataset.parts | {"train": tuple(kept)})
