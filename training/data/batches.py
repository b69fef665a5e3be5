"""Batches of pictures, made by threads ahead of their use. cv2 and NumPy release the GIL for most of the work.

Every random choice depends only on (seed, epoch, place in the epoch): not on timing or on where a run was resumed.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec, brightened, to_model_size
from vitcam_training.data.augment import Augment, change, mix
from vitcam_training.data.dataset import NOTHING, BrokenPhotoError, Sample, photo_of

AHEAD = 4  # batches that wait at most: 64 pictures of 224 px are 9.6 MB

log = logging.getLogger(__name__)

Batch = tuple[NDArray[np.uint8], NDArray[np.float32]]
"""Pictures (B, h, w, 3) uint8 RGB, targets (B, C) float32 whose rows sum to 1."""


@dataclass(frozen=True)
class BatchPlan:
    """What every batch of a run has in common."""

    spec: InputSpec
    labels: int
    size: int
    seed: int = 0
    threads: int = 1
    share: slice = field(default_factory=lambda: slice(None))
    """The part of every training batch that is made here; other processes make the others."""


def draw(samples: Sequence[Sample], per_label: int, rng: np.random.Generator) -> list[Sample]:
    """An epoch's photos in random order, the same number of each label.

    per_label  photos of each label; where there are fewer, they come again (changed again); 0 means each photo once
    """
    if per_label == 0:
        return [samples[i] for i in rng.permutation(len(samples))]
    by_label: dict[int, list[Sample]] = {}
    for sample in samples:
        by_label.setdefault(sample.label, []).append(sample)
    chosen: list[Sample] = []
    for _, photos in sorted(by_label.items()):
        rounds = [rng.permutation(len(photos)) for _ in range(-(-per_label // len(photos)))]
        chosen += [photos[i] for i in np.concatenate(rounds)[:per_label]]
    return [chosen[i] for i in rng.permutation(len(chosen))]


def with_others(
    samples: Sequence[Sample], others: Sequence[tuple[Sequence[Sample], float]], rng: np.random.Generator
) -> list[Sample]:
    """An epoch's photos in random order with other pictures among them, each of one kind as often as the others.

    others  pictures of each kind, and their share of the whole epoch; less than 1 together
    """
    total = len(samples) / (1 - sum(share for _, share in others))
    chosen = list(samples)
    for pictures, share in others:
        count = round(total * share)
        rounds = [rng.permutation(len(pictures)) for _ in range(-(-count // max(1, len(pictures))))]
        chosen += [pictures[i] for i in np.concatenate([np.zeros(0, int), *rounds])[:count]]
    return [chosen[i] for i in rng.permutation(len(chosen))] if len(chosen) > len(samples) else chosen


def training_batches(
    samples: Sequence[Sample],
    plan: BatchPlan,
    augment: Augment,
    epoch: int,
    per_label: int = 0,
    first: int = 0,
    others: Sequence[tuple[Sequence[Sample], float]] = (),
) -> Generator[Batch]:
    """One epoch of changed pictures, (B, h, w, 3), and targets, (B, C). A last batch that is not full is dropped.

    Batches of other sizes would be compiled again.

    first   the batch to begin with; the photos of earlier batches are not read
    others  see `with_others`: photos without labels, whose rows of targets are zero, and pictures that show nothing
    """
    rng = np.random.default_rng((plan.seed, epoch))
    order = with_others(draw(samples, per_label, rng), others, rng)

    def make(start: int) -> Batch:
        own = order[start : start + plan.size][plan.share]
        place = start + (plan.share.start or 0)
        rngs = (np.random.default_rng((plan.seed, epoch, place + i, 1)) for i in range(len(own)))
        rng = np.random.default_rng((plan.seed, epoch, start))
        images, targets = _load(own, plan, lambda photo: change(photo, plan.spec, augment, next(rngs)))
        if len(images) < len(own):  # some are broken: others come again, for a batch must be as large as all others
            images, targets = (np.resize(each, (len(own), *each.shape[1:])) for each in (images, targets))
        return mix(images, targets, rng) if rng.random() < augment.mix else (images, targets)

    starts = range(first * plan.size, len(order) - plan.size + 1, plan.size)
    yield from _ahead(make, starts, plan.threads)


def plain_batches(samples: Sequence[Sample], plan: BatchPlan) -> Generator[Batch]:
    """All photos in order as the shipped model sees them, (B, h, w, 3), and targets, (B, C).

    The last batch may be smaller.
    """

    def make(start: int) -> Batch:
        return _load(samples[start : start + plan.size], plan, seen)

    def seen(photo: Image) -> Image:
        return brightened(to_model_size(photo, plan.spec), plan.spec)

    yield from _ahead(make, range(0, len(samples), plan.size), plan.threads)


def _load(samples: Sequence[Sample], plan: BatchPlan, prepare: Callable[[Image], Image]) -> Batch:
    images, labels = [], []
    for sample in samples:
        try:
            images.append(prepare(photo_of(sample)))
        except BrokenPhotoError as error:
            log.warning("skipped %s", error)
            continue
        labels.append(sample.label)
    if not images:
        raise UsageError(f"not one of {len(samples)} photos can be read, {samples[0].path} is the first; replace them")
    rows = np.eye(plan.labels + 2, plan.labels, dtype=np.float32)  # the last row, of UNLABELLED, is zero
    rows[NOTHING] = 1 / plan.labels
    return np.stack(images), rows[labels]


def _ahead(make: Callable[[int], Batch], starts: Sequence[int], threads: int) -> Iterator[Batch]:
    """`make(start)` for every start, in order, worked out ahead of time by a few threads."""
    remaining = iter(starts)
    with ThreadPoolExecutor(threads, thread_name_prefix="photos") as pool:
        waiting: deque[Future[Batch]] = deque(pool.submit(make, start) for start in islice(remaining, AHEAD))
        try:
            while waiting:
                batch = waiting.popleft().result()
                waiting.extend(pool.submit(make, start) for start in islice(remaining, 1))
                yield batch
        finally:
            pool.shutdown(cancel_futures=True)
