"""The text tower of a CLIP-like network in NumPy: words in, vectors out, in the space that pictures share with them.

Source: Radford et al. 2021 (CLIP, arXiv 2103.00020), section 2.4: a pre-norm Transformer in which each token attends to
those before it; what stands at the end of the text is projected and divided by its length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TextSizes:
    """What the weights of a text tower do not tell."""

    depth: int
    heads: int
    activation: str
    """`gelu`, `quick_gelu` or `relu`."""
    epsilon: float
    """Added to the variance in every LayerNorm."""
    end: int | None
    """The token that ends a text; None: that of the highest number, as in OpenAI's own networks."""

    def __post_init__(self) -> None:
        """Raises ValueError for an activation that there is none of."""
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation is {self.activation!r}; allowed: {', '.join(ACTIVATIONS)}")


class TextTower:
    """Texts of tokens -> unit vectors.

    weights  name -> array of any float type: `token_embedding` (V, W), `position` (L, W), `blocks.I.` and then
             `norm1`, `qkv`, `proj`, `norm2`, `fc1`, `fc2` with `.weight` (out, in) and `.bias`, `norm`, and
             `projection` (S, W). They are read block by block and not kept
    """

    def __init__(self, sizes: TextSizes, weights: Mapping[str, NDArray[Any]]) -> None:
        self.sizes = sizes
        self._weights = weights
        self._tokens = np.asarray(weights["token_embedding"])
        self._position = self._get("position")

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return len(self._tokens)

    @property
    def longest(self) -> int:
        """How many tokens a text may have."""
        return len(self._position)

    def embed(self, texts: Sequence[Sequence[int]]) -> Array:
        """Texts of at most `longest` tokens, begin and end included -> (n, S) of length 1."""
        ends = np.cumsum([len(text) for text in texts])
        parts = list(zip(ends - [len(text) for text in texts], ends, strict=True))
        x = np.concatenate([self._start(text) for text in texts])  # (ΣT, W): dense layers take all texts at once
        for index in range(self.sizes.depth):
            x = self._block(x, parts, f"blocks.{index}")
        read = np.stack([x[start + self._end(text)] for (start, _), text in zip(parts, texts, strict=True)])
        projected = self._norm(read, "norm") @ self._get("projection").T
        return np.asarray(projected / np.linalg.norm(projected, axis=-1, keepdims=True))

    def _start(self, text: Sequence[int]) -> Array:
        return np.asarray(self._tokens[np.asarray(text)] + self._position[: len(text)], np.float32)

    def _end(self, text: Sequence[int]) -> int:
        return int(np.argmax(text)) if self.sizes.end is None else list(text).index(self.sizes.end)

    def _block(self, x: Array, parts: Sequence[tuple[int, int]], name: str) -> Array:
        qkv = self._linear(self._norm(x, f"{name}.norm1"), f"{name}.qkv")  # (ΣT, 3 W)
        mixed = np.concatenate([_attend(qkv[start:end], self.sizes.heads) for start, end in parts])
        x = x + self._linear(mixed, f"{name}.proj")
        hidden = self._linear(self._norm(x, f"{name}.norm2"), f"{name}.fc1")
        return x + self._linear(ACTIVATIONS[self.sizes.activation](hidden), f"{name}.fc2")

    def _linear(self, x: Array, name: str) -> Array:
        return np.asarray(x @ self._get(f"{name}.weight").T + self._get(f"{name}.bias"))

    def _norm(self, x: Array, name: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        length = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(self.sizes.epsilon))
        return np.asarray(centred / length * self._get(f"{name}.weight") + self._get(f"{name}.bias"))

    def _get(self, name: str) -> Array:
        return np.asarray(self._weights[name], np.float32)


def _attend(qkv: Array, heads: int) -> Array:
    """Causal attention of one text, (T, 3 W) -> (T, W)."""
    count, width = len(qkv), qkv.shape[1] // 3 // heads
    q, k, v = qkv.reshape(count, 3, heads, width).transpose(1, 2, 0, 3)  # (h, T, d) each
    scores = q @ k.transpose(0, 2, 1) * np.float32(width**-0.5)
    scores += np.triu(np.full((count, count), -np.inf, np.float32), 1)  # none looks ahead
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = powers / powers.sum(axis=-1, keepdims=True) @ v  # (h, T, d)
    return np.asarray(mixed.transpose(1, 0, 2).reshape(count, -1))


def _sigmoid(x: Array) -> Array:
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * x))


def _gelu(x: Array) -> Array:
    """x Φ(x). NumPy has no erf: Abramowitz & Stegun 1964, 7.1.26, is within 1.5e-7."""
    z = np.abs(x) / np.float32(math.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
    return np.asarray(0.5 * x * (1 + np.copysign(1 - series * np.exp(-z * z), x)), np.float32)


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "gelu": _gelu,
    "quick_gelu": lambda x: x * _sigmoid(1.702 * x),
    "relu": partial(np.maximum, np.float32(0)),
}
"""(n, M) -> (n, M)."""
