"""Photos by day and in the dark, as the block that learns first is given them; kept in files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from zlib import crc32

import cv2
import keras
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec
from vitcam_training.data.batches import BatchPlan, plain_batches
from vitcam_training.data.dark import by_a_lamp, with_little_light
from vitcam_training.data.dataset import Sample, photo_of
from vitcam_training.progress import with_progress
from vitcam_training.vit import Tensor, ViT

BATCH = 20
CHUNK = 400
SHORT_SIDE_PX = (224, 480)
"""Of a copy that is made dark: the same noise is weaker in the network's 224 px the more px the camera has."""
COPIES: tuple[Callable[[Image, int], Image], ...] = (with_little_light, with_little_light, by_a_lamp)


@dataclass(frozen=True, eq=False)
class Tokens:
    """Of n pictures."""

    tokens: NDArray[np.float16]
    """(n, T, D) as they enter the first block that learns."""
    embedding: NDArray[np.float32]
    """(n, D) what the head reads."""
    logits: NDArray[np.float32]
    """(n, R)"""


class Front(keras.Model):  # type: ignore[misc]
    """(B, H, W, 3) RGB -> what enters block `first`, what the head reads, and the logits."""

    def __init__(self, vit: ViT, first: int) -> None:
        super().__init__(name="front", trainable=False)
        self.vit, self._tap = vit, f"block{first - 1:02}/output"

    def call(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, taps = self.vit(images)
        return taps[self._tap], taps["embedding"], logits


def in_the_dark(samples: Sequence[Sample]) -> list[Sample]:
    """Each photo as often as `COPIES` has entries; those of one photo follow each other."""
    return [
        replace(sample, render=partial(_darker, sample, alter, crc32(f"{sample.path.name} {place}".encode())))
        for sample in samples
        for place, alter in enumerate(COPIES)
    ]


def _darker(sample: Sample, alter: Callable[[Image, int], Image], seed: int) -> Image:
    photo = photo_of(sample)
    factor = np.random.default_rng(seed).uniform(*SHORT_SIDE_PX) / min(photo.shape[:2])
    interpolation = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return alter(np.asarray(cv2.resize(photo, None, fx=factor, fy=factor, interpolation=interpolation), np.uint8), seed)


def read_tokens(front: Front, samples: Sequence[Sample], spec: InputSpec, folder: Path, part: str) -> Tokens:
    """Ask the network about pictures. Each 400 are kept in a file of `folder`, and read where it is there.

    raises  UsageError if a whole batch of photos cannot be read
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = []
    for begin in range(0, len(samples), CHUNK):
        file = folder / f"{part}-{begin:05}.npz"
        if not file.exists():
            _ask(front, samples[begin : begin + CHUNK], spec, file)
        with np.load(file) as found:
            kept.append(Tokens(found["tokens"], found["embedding"], found["logits"]))
    return Tokens(
        *(np.concatenate([getattr(each, name) for each in kept]) for name in ("tokens", "embedding", "logits"))
    )


def _ask(front: Front, samples: Sequence[Sample], spec: InputSpec, file: Path) -> None:
    batches = plain_batches([replace(sample, label=0) for sample in samples], BatchPlan(spec, 1, BATCH))
    columns = zip(
        *(
            front.predict_on_batch(images)
            for images, _ in with_progress(batches, f"{file.name}, batches", -(-len(samples) // BATCH))
        ),
        strict=True,
    )
    tokens, embedding, logits = (np.concatenate([np.asarray(each) for each in column]) for column in columns)
    unfinished = file.with_suffix(".unfinished.npz")
    np.savez(unfinished, tokens=tokens.astype(np.float16), embedding=embedding, logits=logits)
    unfinished.replace(file)
