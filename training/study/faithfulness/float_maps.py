"""Maps that only the float network gives: what each patch wrote, holds, or resembles. Keras is imported by this module.

Letters as in `vit.py`. The direction of a label is what its logit reads from the residual stream, less the mean over
all labels: what is added to the stream along it makes the label more probable than the others.
"""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np

from vitcam.errors import UsageError
from vitcam.frames import Image
from vitcam_training.study.faithfulness.relevance import relevance
from vitcam_training.study.reference import Array, direct_evidence, direction, layer_norm, linear, margin
from vitcam_training.vit import Taps, ViT, pooled_attention
from vitcam_training.weights.checkpoints import load_into, read_network

MAPS = {
    "attention × values": "last block, times the length of what each patch brings (Kobayashi et al. 2020)",
    "evidence, 4 blocks": "what the attention of the last four blocks wrote for the answer",
    "gradient × attention": "all blocks, where the gradient of the answer is positive (Chefer et al. 2021)",
    "patch logits": "the head applied to each patch's token, after the last block but one",
    "likeness": "cosine of the token that the head reads with each patch's, after the last block but one",
}
"""Name -> description."""


class FloatMaps:
    """A float network that gives maps. Raises UsageError if the checkpoint cannot be used."""

    def __init__(self, checkpoint: Path) -> None:
        self.config, self.weights = read_network(checkpoint)
        if self.config.rows_read > 1:
            raise UsageError(
                f"{checkpoint} reads two tokens; overlays are measured on networks that read one, or the mean"
            )
        if self.config.head_hidden:
            raise UsageError(f"{checkpoint} has a hidden layer in its head; overlays are measured on plain heads")
        self._vit = ViT(self.config)
        load_into(self._vit, self.weights)
        images = keras.Input((*self.config.image_size, 3), dtype="uint8")
        self._model = keras.Model(images, self._vit(images))

    def maps(self, image: Image) -> dict[str, Array]:
        """All of MAPS for one picture at the network's size, (gh, gw) each, for its own first guess."""
        logits, taps = self._model.predict_on_batch(image[None])
        label = int(np.asarray(logits)[0].argmax())
        last = self.config.depth - 1
        flat = {
            "attention × values": self._brought(taps, last),
            "evidence, 4 blocks": sum(self._evidence(taps, i, label) for i in range(max(0, last - 3), last + 1)),
            "gradient × attention": relevance(taps, self.weights, self.config, label),
            "patch logits": self._patch_logits(taps, label),
            "likeness": self._likeness(taps),
        }
        return {name: np.asarray(values, np.float64).reshape(self.config.grid) for name, values in flat.items()}

    def written_by_block(self, image: Image) -> tuple[list[float], float]:
        """What the attention of each block wrote from the patches for the first guess, and the guess's margin, which
        is the sum of that and of what the token has of itself: (L,), and one number. See `direct_evidence`."""
        logits, batch = self._model.predict_on_batch(image[None])
        z, taps = _one(logits), {name: np.asarray(tap, np.float64) for name, tap in batch.items()}
        winner = np.eye(len(z))[z.argmax()]
        towards = direction(taps, self.weights, self.config, winner)
        blocks = range(self.config.depth)
        written = [direct_evidence(taps, self.weights, self.config, i, towards).sum() for i in blocks]
        return written, margin(z, winner)

    def _written(self, taps: Taps, block: int) -> Array:
        """What each patch would write into the stream through each head, (h, N, D), were it all that is looked at."""
        config, name = self.config, f"blocks.{block}"
        x = _one(taps["embeddings"] if block == 0 else taps[f"block{block - 1:02}/output"])  # (T, D)
        x = layer_norm(x, self.weights, f"{name}.norm1", self.config.norm_epsilon) if config.norm == "pre" else x
        values = linear(x, self.weights, f"{name}.attn.qkv")[:, 2 * config.attention_width :]  # (T, h*d)
        values = values.reshape(len(x), config.heads, -1).swapaxes(0, 1)  # (h, T, d)
        out = self.weights[f"{name}.attn.proj.weight"].T.reshape(config.heads, -1, config.width)  # (h, d, D)
        return np.asarray((values @ out)[:, config.prefix :] * self.weights.get(f"{name}.ls1.gamma", 1.0))

    def _looked(self, taps: Taps, block: int) -> Array:
        """(h, N)."""
        weights = np.asarray(taps[f"block{block:02}/attention"])
        return np.asarray(_one(pooled_attention(self.config, weights)))

    def _brought(self, taps: Taps, block: int) -> Array:
        mixed = (self._looked(taps, block)[..., None] * self._written(taps, block)).sum(0)  # (N, D)
        return np.asarray(np.linalg.norm(mixed, axis=-1))

    def _evidence(self, taps: Taps, block: int, label: int) -> Array:
        return np.asarray((self._looked(taps, block) * (self._written(taps, block) @ self._direction(label))).sum(0))

    def _direction(self, label: int) -> Array:
        """(D,) in the residual stream."""
        head = self.weights["head.weight"].astype(np.float64)
        direction = np.asarray(head[label] - head.mean(0))
        if not self.config.final_norm:
            return direction
        direction = direction * self.weights["norm.weight"]
        return np.asarray(direction - direction.mean())  # the norm takes out the mean

    def _tokens(self, taps: Taps) -> Array:
        """After the last block but one: the head does not read what the last block does to the patches. (T, D)"""
        return _one(taps[f"block{max(0, self.config.depth - 2):02}/output"])

    def _patch_logits(self, taps: Taps, label: int) -> Array:
        x = self._tokens(taps)[self.config.prefix :]
        x = layer_norm(x, self.weights, "norm", self.config.norm_epsilon) if self.config.final_norm else x
        logits = linear(x, self.weights, "head")  # (N, K)
        return np.asarray(logits[:, label] - logits.mean(-1))

    def _likeness(self, taps: Taps) -> Array:
        x = self._tokens(taps)
        read = x.mean(0) if self.config.pooling == "mean" else x[0]
        patches = x[self.config.prefix :]
        return np.asarray(patches @ read / np.maximum(np.linalg.norm(patches, axis=-1) * np.linalg.norm(read), 1e-12))


def _one(batch: Array) -> Array:
    first: Array = np.asarray(batch, np.float64)[0]
    return first
