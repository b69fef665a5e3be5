"""A Vision Transformer as Google's own code saves it: an `.npz` of vision_transformer or of big_vision.

Both programs scale pixels to -1 … 1. They use GELU's approximation by tanh; networks were carried over to PyTorch with
the exact one, and so they are here.

source  github.com/google-research/vision_transformer and github.com/google-research/big_vision
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec
from vitcam_training.weights.checkpoints import Array, Weights, config_of
from vitcam_training.weights.normalisation import HALVES, Normalisation
from vitcam_training.weights.published.network import UNNAMED, PublishedNetwork, one_normalisation, with_empty_head

PATCHES = "embedding/kernel"
PREFIXES = ("", "opt/target/", "params/", "params/img/")
"""Below which the network's arrays lie, by the program that saved them."""
UNKNOWN_PARTS = {
    "conv_root/kernel": "convolutions before the patches",
    "MAPHead_0/probe": "attention pooling",
}
"""What an array's name tells of parts that our network has not."""


@dataclass(frozen=True)
class _FlaxNames:
    """What Flax called the parts, which goes by the order in which the code makes them."""

    position: str
    attention: str
    mlp: str
    second_norm: str


VISION_TRANSFORMER = _FlaxNames(
    "Transformer/posembed_input/pos_embedding", "MultiHeadDotProductAttention_1", "MlpBlock_3", "LayerNorm_2"
)
BIG_VISION = _FlaxNames("pos_embedding", "MultiHeadDotProductAttention_0", "MlpBlock_0", "LayerNorm_1")


def is_google(weights: Weights) -> bool:
    """Whether the names are those of Google's code.

    weights  name -> array; the patch embedding's is (P, P, 3, D)
    """
    return any(f"{prefix}{PATCHES}" in weights for prefix in PREFIXES)


def read_google(source: Path, given: Weights, normalisation: Normalisation | None = None) -> PublishedNetwork:
    """Bring Google's arrays under timm's names.

    source         names the file in messages
    given          name -> array, as the file has them, a dense layer's (in, out)
    normalisation  None: Google's own, which is known
    raises         UsageError for an array that is missing, for a network with a part that ours has not, and for
                   another normalisation
    """
    prefix = next(prefix for prefix in PREFIXES if f"{prefix}{PATCHES}" in given)
    rest = {name.removeprefix(prefix): array for name, array in given.items() if name.startswith(prefix)}
    for name, what in UNKNOWN_PARTS.items():
        if name in rest:
            raise UsageError(f"{source} holds a network with {what} ({name!r}), which vitcam has not")
    archive = _Archive(source, rest, BIG_VISION if BIG_VISION.position in rest else VISION_TRANSFORMER)
    weights, has_head = archive.renamed(), "head/kernel" in rest
    if not has_head:
        weights = with_empty_head(weights, len(weights.get("pre_logits.weight", weights["cls_token"][0, 0])))
    config = config_of(weights, one_normalisation(source, HALVES, normalisation), str(source))
    config = config.with_heads(archive.heads)
    spec = InputSpec(*config.image_size, "squash", 1.0, "linear")
    return PublishedNetwork(config, weights, () if has_head else (UNNAMED,), spec, archive.leftovers())


class _Archive:
    """Takes arrays out of a file by their names, and brings them into PyTorch's layouts: (out, in)."""

    def __init__(self, source: Path, arrays: Weights, names: _FlaxNames) -> None:
        self._source, self._arrays, self._names = source, arrays, names
        self._taken: set[str] = set()

    @property
    def heads(self) -> int:
        """Of the first block: its kernels are (D, h, d)."""
        return int(self._take(f"Transformer/encoderblock_0/{self._names.attention}/query/kernel").shape[1])

    def renamed(self) -> Weights:
        """All arrays of a plain network, the head's and its hidden layer's only where there are any."""
        found = {
            "patch_embed.proj.weight": self._take(PATCHES).transpose(3, 2, 0, 1),
            "patch_embed.proj.bias": self._take("embedding/bias"),
            "cls_token": self._take("cls"),
            "pos_embed": self._take(self._names.position),
        }
        for i in range(self._depth()):
            found |= self._block(f"blocks.{i}", f"Transformer/encoderblock_{i}")
        found |= self._norm("norm", "Transformer/encoder_norm")
        for name in ("pre_logits", "head"):
            found |= self._dense(name, name) if f"{name}/kernel" in self._arrays else {}
        return found

    def leftovers(self) -> tuple[str, ...]:
        """Arrays that nothing asked for."""
        return tuple(sorted(set(self._arrays) - self._taken))

    def _depth(self) -> int:
        found = [
            int(match[1]) for name in self._arrays if (match := re.match(r"Transformer/encoderblock_(\d+)/", name))
        ]
        return 1 + max(found, default=0)

    def _take(self, name: str) -> Array:
        if name not in self._arrays:
            raise UsageError(f"{self._source} lacks {name!r}; download it again, or give a plain ViT")
        self._taken.add(name)
        return self._arrays[name]

    def _dense(self, ours: str, theirs: str) -> Weights:
        return {f"{ours}.weight": self._take(f"{theirs}/kernel").T, f"{ours}.bias": self._take(f"{theirs}/bias")}

    def _norm(self, ours: str, theirs: str) -> Weights:
        return {f"{ours}.weight": self._take(f"{theirs}/scale"), f"{ours}.bias": self._take(f"{theirs}/bias")}

    def _block(self, ours: str, theirs: str) -> Weights:
        attention, names = f"{theirs}/{self._names.attention}", ("query", "key", "value")
        kernels = [self._take(f"{attention}/{name}/kernel") for name in names]  # (D, h, d) each
        biases = [self._take(f"{attention}/{name}/bias") for name in names]  # (h, d) each
        out = self._take(f"{attention}/out/kernel")  # (h, d, D)
        return {
            f"{ours}.attn.qkv.weight": np.concatenate([kernel.reshape(len(kernel), -1).T for kernel in kernels]),
            f"{ours}.attn.qkv.bias": np.concatenate([bias.reshape(-1) for bias in biases]),
            f"{ours}.attn.proj.weight": out.reshape(-1, out.shape[-1]).T,
            f"{ours}.attn.proj.bias": self._take(f"{attention}/out/bias"),
            **self._norm(f"{ours}.norm1", f"{theirs}/LayerNorm_0"),
            **self._norm(f"{ours}.norm2", f"{theirs}/{self._names.second_norm}"),
            **self._dense(f"{ours}.mlp.fc1", f"{theirs}/{self._names.mlp}/Dense_0"),
            **self._dense(f"{ours}.mlp.fc2", f"{theirs}/{self._names.mlp}/Dense_1"),
        }
