"""What a network that stays as it is makes of photos: what its head reads, what its last block reads, its logits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import keras
import numpy as np
from numpy.typing import NDArray

from vitcam.pictures.resize import InputSpec
from vitcam_training.data.batches import BatchPlan, plain_batches
from vitcam_training.data.dataset import Sample
from vitcam_training.progress import with_progress
from vitcam_training.vit import Tensor, ViT
from vitcam_training.weights.checkpoints import load_into, read_network

BATCH = 20

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Features:
    """Of n photos."""

    embedding: Floats
    """(n, E) what the head reads."""
    entering: Floats
    """(n, 2 D) class token and mean of the patches as they enter the last block."""
    logits: Floats
    """(n, R) of the rows that the head has."""

    def of(self, places: NDArray[np.intp]) -> Features:
        """Those of some photos.

        places  (m,) indices of photos
        """
        return Features(self.embedding[places], self.entering[places], self.logits[places])


class _Reader(keras.Model):  # type: ignore[misc]
    """(B, H, W, 3) RGB -> the three of `Features`."""

    def __init__(self, vit: ViT) -> None:
        super().__init__(name="reader")  # TensorFlow takes no name that begins with an underscore, as the class does
        self.vit = vit

    def call(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        logits, taps = self.vit(images)
        before = taps[f"{self.vit.blocks[-2].name}/output"] if len(self.vit.blocks) > 1 else taps["embeddings"]
        tokens, prefix = self.vit.config.tokens, self.vit.config.prefix
        mean = keras.ops.mean(before[:, prefix:tokens], axis=1)  # (B, D)
        return taps["embedding"], keras.ops.concatenate([before[:, 0], mean], axis=-1), logits


def read_features(checkpoint: Path, samples: Sequence[Sample], spec: InputSpec, kept: Path | None = None) -> Features:
    """Ask the float network about photos, each cut and resized as `spec` says.

    kept    a file in which the answers are kept, with its folder: it is read where it has those of the same network and
            photos
    raises  UsageError if the checkpoint or a whole batch of photos cannot be read
    """
    asked = _asked(checkpoint, samples, spec)
    if kept is not None:
        if kept.exists():
            with np.load(kept) as file:
                if str(file["asked"]) == asked:
                    return Features(file["embedding"], file["entering"], file["logits"])
        kept.parent.mkdir(parents=True, exist_ok=True)  # before minutes of work
    found = _read(checkpoint, samples, spec)
    if kept is not None:
        np.savez(kept, asked=asked, **vars(found))
    return found


def _asked(checkpoint: Path, samples: Sequence[Sample], spec: InputSpec) -> str:
    """Tells a network, a size and photos, by the names of their files, from others."""
    names = "\n".join(f"{sample.path.parent.name}/{sample.path.name}" for sample in samples)
    with checkpoint.open("rb") as file:
        network = hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256(f"{network} {spec} {names}".encode()).hexdigest()


def _read(checkpoint: Path, samples: Sequence[Sample], spec: InputSpec) -> Features:
    config, weights = read_network(checkpoint, (spec.height, spec.width))
    vit = ViT(config)
    load_into(vit, weights)
    reader = _Reader(vit)
    unlabelled = [replace(sample, label=0) for sample in samples]
    batches = plain_batches(unlabelled, BatchPlan(spec, 1, BATCH))
    parts = []
    for images, _ in with_progress(batches, "asking the network, batches", -(-len(samples) // BATCH)):
        found = reader.predict_on_batch(images)
        parts.append([np.asarray(part, np.float32) for part in found])
    return Features(*(np.concatenate(column) for column in zip(*parts, strict=True)))
