"""Exact rewrites of a trained ViT: the same function, written so that XNNPACK runs it fast. NumPy only.

In: weights under timm's names. Out: `Folded`, what `graph.py` builds the inference graph from. Each rewrite can be left
out by `Rewrites`, and each is a function of its own; a test compares every choice with the training network to 1e-4 in
float32, and `make bench` measures what each gains. What saves most accuracy are the stream's random axes.

Luma and layer scale are always folded, into the patch embedding and into what ends a branch: no other form is as fast.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam_training.config import ViTConfig
from vitcam_training.vit import LUMA, sincos_position
from vitcam_training.weights.checkpoints import Weights

Array = NDArray[np.floating[Any]]
_CENTRED = np.array([1 / 64]), np.array([-2.0])  # what a DEQUANTIZE of scale 1/64 and zero point 128 does to a byte


@dataclass(frozen=True)
class Rewrites:
    """Which rewrites are made; all of them are what is shipped."""

    last_row: bool = True
    """The last block works out only the row that the head reads."""
    joined: bool = True
    """q, k and v are one projection, split head by head: their rows are quantised once and not three times."""
    norms: bool = True
    """LayerNorm's scale and shift go into the projection after it."""
    stream: bool = True
    """The residual stream is centred and turned: LayerNorm only divides by the length. Needs `norms`."""
    values: bool = True
    """Each head's values are turned, and back in the output projection: what is quantised between has no outliers."""
    scores: bool = True
    """1 / sqrt(d) goes into the query projection."""
    pixels: bool = True
    """The normalisation of the pixels goes into the patch embedding."""
    temperature: bool = True
    """The calibrated temperature goes into the head."""
    float16: bool = True
    """q, k and v are a convolution, around which XNNPACK computes in float16 where the processor can. Its input is
    quantised as a whole and not row by row, which normalised rows bear."""

    def __post_init__(self) -> None:
        """Raises ValueError for a combination that is not the same function."""
        if self.stream and not self.norms:
            raise ValueError("the rewrite `stream` needs the rewrite `norms`: leave out both, or none")

    @classmethod
    def without(cls, *names: str) -> Rewrites:
        """All rewrites but these, and but those that need them. Raises ValueError naming what there is."""
        known = [field.name for field in fields(cls)]
        for name in names:
            if name not in known:
                raise ValueError(f"there is no rewrite {name!r}; known are {', '.join(known)}")
        left_out = {*names, *(("stream",) if "norms" in names else ())}
        return cls(**{name: name not in left_out for name in known})

    def exact_for(self, config: ViTConfig) -> Rewrites:
        """Those of these that leave a network of such choices the same function.

        last_row  needs a head that reads one row: mean pooling reads all
        norms     needs pre-norm: after a post-norm the residual carries scale and shift too
        stream    needs that every reader normalises: pre-norm, and a final norm before the head
        """
        pre = config.norm == "pre"
        return replace(
            self,
            last_row=self.last_row and config.pooling != "mean",
            norms=self.norms and pre,
            stream=self.stream and pre and config.final_norm,
        )


@dataclass(frozen=True)
class Affine:
    """x @ kernel + bias."""

    kernel: Array
    """(in, out) float32."""
    bias: Array
    """(out,) float32."""


@dataclass(frozen=True)
class Norm:
    """What is left of a LayerNorm, beside the division."""

    centred: bool
    """True: the mean is zero already."""
    epsilon: float
    """Added to the variance."""
    scale: Array | None = None
    """(D,) float32; None: in the next projection."""
    shift: Array | None = None


@dataclass(frozen=True)
class FoldedBlock:
    """One block."""

    norm1: Norm
    query: Affine
    key: Affine
    value: Affine
    score_factor: float
    """What the scores are multiplied by; 1: it is in the query projection."""
    output: Affine
    norm2: Norm
    up: Affine
    down: Affine


@dataclass(frozen=True)
class Folded:
    """Everything that the inference graph multiplies or adds."""

    config: ViTConfig
    rewrites: Rewrites
    """Those that were made."""
    pixels: tuple[Array, Array]
    """(3,), (3,): factor and summand of each byte of red, green and blue; (1,), (1,): of every byte, for its
    DEQUANTIZE, and the rest of the normalisation is in the patch embedding."""
    patches: Affine
    """(P*P*3, D): a patch's rows one after the other, RGB side by side."""
    cls_row: Array | None
    """(1, D): class token plus its position; None: there is none."""
    position: Array | None
    """(N, D): positions of the patches, learned or fixed; None: nothing is added."""
    blocks: tuple[FoldedBlock, ...]
    norm: Norm | None
    """The final one; None: there is none."""
    embedding: Affine | None
    """From the normalised row that the head reads back to the axes, scale and shift that it saw in training; None: it
    is that already. For mean pooling the mean may be taken before, since it commutes with sums and factors."""
    head: Affine
    logit_factor: float
    """1 / temperature; 1: it is in the head."""
    evidence: Array
    """(C, D): for each label the direction, in the axes of the residual stream, in which its logit grows before those
    of the others; divided by the temperature. The final norm's division is left out."""


def fold(
    config: ViTConfig,
    weights: Weights,
    temperature: float = 1.0,
    rewrites: Rewrites = Rewrites(),
) -> Folded:
    """Make the rewrites on all weights.

    weights      under timm's names, a dense layer's (out, in), as `to_timm` gives them
    temperature  logits are divided by it: above 1 the model gets less sure of itself
    rewrites     which are wanted; those that this network does not allow are left out
    """
    rewrites = rewrites.exact_for(config)
    stream = ResidualStream.random(config.width) if rewrites.stream else ResidualStream.plain(config.width)
    position = _position(config, weights)  # (T, D)
    mean, std = np.array(config.mean), np.array(config.std)
    patches = Affine(_patch_matrix(config, weights), weights["patch_embed.proj.bias"])
    head = _affine(weights, "head")
    blocks = tuple(_block(config, weights, f"blocks.{i}", stream, rewrites) for i in range(config.depth))
    norm = _left_of_norm(config, weights, "norm", rewrites) if config.final_norm else None
    embedding = _embedding(weights, stream) if config.final_norm and rewrites.norms else None
    return Folded(
        config=config,
        rewrites=rewrites,
        pixels=_CENTRED if rewrites.pixels else (_single(1 / (255 * std)), _single(-mean / std)),
        patches=stream.written(fold_pixels(patches, mean, std) if rewrites.pixels else patches),
        cls_row=_single((weights["cls_token"][0] + position[:1]) @ stream.write) if config.has_cls_token else None,
        position=None if config.position == "none" else _single(position[config.has_cls_token :] @ stream.write),
        blocks=blocks,
        norm=norm,
        embedding=embedding,
        head=fold_factor(head, 1 / temperature) if rewrites.temperature else head,
        logit_factor=1.0 if rewrites.temperature else 1 / temperature,
        evidence=_evidence(norm, embedding, fold_factor(head, 1 / temperature)),
    )


@dataclass(frozen=True)
class ResidualStream:
    """Other axes for the residual stream: centred and rotated, at no cost when the model runs.

    Everything that reads the stream normalises it first. So its mean may be taken out where it is written, which
    leaves of LayerNorm a division by the length (SliceGPT, Ashkboos et al. 2024, arXiv 2401.15024); and a rotation,
    which keeps lengths, may go in with every write and out with every read. In random axes no channel is an outlier:
    int8 loses a quarter less of DeiT-Tiny's embedding (QuaRot, Ashkboos et al. 2024, arXiv 2404.00456).
    """

    write: Array
    """(D, D) float64: from the network's axes to the stream's."""
    read: Array
    """(D, D) float64: and back, for what was centred."""

    @classmethod
    def plain(cls, width: int) -> ResidualStream:
        """The axes of the network itself."""
        return cls(np.eye(width), np.eye(width))

    @classmethod
    def random(cls, width: int) -> ResidualStream:
        """The same axes for the same width, always."""
        rotation = _rotation(width)
        return cls((np.eye(width) - 1 / width) @ rotation, rotation.T)

    def written(self, affine: Affine) -> Affine:
        """A projection that writes into the stream."""
        return Affine(_single(affine.kernel @ self.write), _single(affine.bias @ self.write))

    def read_by(self, affine: Affine) -> Affine:
        """A projection that reads what was normalised."""
        return Affine(_single(self.read @ affine.kernel), affine.bias)


def fold_pixels(patches: Affine, mean: Array, std: Array) -> Affine:
    """Take bytes / 64 - 2 where the projection took (bytes / 255 - mean) / std; mean, std (3,): red, green, blue.

    Bytes around zero and of a size with the weights: sums of 0..255 would lose in float16 what they differ by.
    """
    count = len(patches.kernel) // 3
    factor, summand = _CENTRED
    scale = np.tile(1 / (255 * factor * std), count)  # (P*P*3,)
    shift = np.tile((-summand / (255 * factor) - mean) / std, count)
    return fold_norm(patches, scale, shift)


def fold_norm(affine: Affine, scale: Array, shift: Array) -> Affine:
    """(x * scale + shift) @ kernel + bias = x @ (scale * kernel) + (shift @ kernel + bias); summed in float64.

    scale, shift  (D,), one for each row of the kernel, (D, M)
    """
    kernel = affine.kernel.astype(np.float64)
    bias = shift @ kernel + affine.bias
    return Affine(_single(scale[:, None] * kernel), _single(bias))


def fold_factor(affine: Affine, factor: float | Array) -> Affine:
    """Multiply what comes out: 1 / sqrt(d) for queries, 1 / temperature for logits, layer scale (out,) for branches."""
    return Affine(_single(affine.kernel * factor), _single(affine.bias * factor))


def turn_values(value: Affine, output: Affine, heads: int) -> tuple[Affine, Affine]:
    """Other axes for each head's values, which attention mixes token by token and so never sees (QuaRot)."""
    turn = np.kron(np.eye(heads), _rotation(len(output.kernel) // heads))  # (D, D), a head's channels among themselves
    return (
        Affine(_single(value.kernel @ turn), _single(value.bias @ turn)),
        Affine(_single(turn.T @ output.kernel), output.bias),
    )


def split_qkv(fused: Affine) -> tuple[Affine, Affine, Affine]:
    """One projection into three: the fused one needs strided slices, which cut the graph."""
    kernels, biases = np.split(fused.kernel, 3, axis=1), np.split(fused.bias, 3)
    query, key, value = (Affine(kernel, bias) for kernel, bias in zip(kernels, biases, strict=True))
    return query, key, value


def _block(config: ViTConfig, weights: Weights, name: str, stream: ResidualStream, rewrites: Rewrites) -> FoldedBlock:
    factor = (config.width // config.heads) ** -0.5
    qkv = _behind_norm(weights, f"{name}.attn.qkv", f"{name}.norm1", stream, rewrites)
    query, key, value = split_qkv(qkv)
    output = _branch(config, weights, f"{name}.attn.proj", f"{name}.ls1")
    if rewrites.values:
        value, output = turn_values(value, output, config.heads)
    return FoldedBlock(
        norm1=_left_of_norm(config, weights, f"{name}.norm1", rewrites),
        query=fold_factor(query, factor) if rewrites.scores else query,
        key=key,
        value=value,
        score_factor=1.0 if rewrites.scores else factor,
        output=stream.written(output),
        norm2=_left_of_norm(config, weights, f"{name}.norm2", rewrites),
        up=_behind_norm(weights, f"{name}.mlp.fc1", f"{name}.norm2", stream, rewrites),
        down=stream.written(_branch(config, weights, f"{name}.mlp.fc2", f"{name}.ls2")),
    )


def _evidence(norm: Norm | None, embedding: Affine | None, head: Affine) -> Array:
    """What a step along each axis of the stream does to each logit, beyond what it does to all, (C, D)."""
    gains = head.kernel.astype(np.float64)
    gains = gains - gains.mean(axis=1, keepdims=True)  # (D, C)
    if embedding is not None:
        gains = embedding.kernel @ gains
    if norm is not None and norm.scale is not None:
        gains = norm.scale[:, None] * gains
    if norm is not None and not norm.centred:
        gains = gains - gains.mean(axis=0)  # the norm takes the mean out of what it is given
    return _single(gains.T)


def _position(config: ViTConfig, weights: Weights) -> NDArray[np.float64]:
    """What is added to each token, (T, D)."""
    if config.position == "learned":
        return np.asarray(weights["pos_embed"][0], np.float64)
    if config.position == "sincos":
        return sincos_position(config.tokens, config.width)
    return np.zeros((config.tokens, config.width))


def _patch_matrix(config: ViTConfig, weights: Weights) -> Array:
    """What patches of RGB are multiplied by, (P*P*3, D). A grey network's weights take the luma: each RGB its share."""
    kernel = weights["patch_embed.proj.weight"].transpose(2, 3, 1, 0)  # (P, P, C, D)
    if config.channels == 1:
        kernel = kernel * np.array(LUMA)[:, None]  # (P, P, 3, D)
    return kernel.reshape(-1, config.width)


def _branch(config: ViTConfig, weights: Weights, name: str, scale: str) -> Affine:
    """The projection that ends a branch, with its layer scale where there is one."""
    affine = _affine(weights, name)
    return fold_factor(affine, weights[f"{scale}.gamma"]) if config.layer_scale else affine


def _behind_norm(weights: Weights, name: str, norm: str, stream: ResidualStream, rewrites: Rewrites) -> Affine:
    """A projection that reads the stream through a norm."""
    affine = _affine(weights, name)
    if rewrites.norms:
        affine = fold_norm(affine, weights[f"{norm}.weight"], weights[f"{norm}.bias"])
    return stream.read_by(affine)


def _left_of_norm(config: ViTConfig, weights: Weights, name: str, rewrites: Rewrites) -> Norm:
    if rewrites.norms:
        return Norm(rewrites.stream, config.norm_epsilon)
    return Norm(False, config.norm_epsilon, _single(weights[f"{name}.weight"]), _single(weights[f"{name}.bias"]))


def _embedding(weights: Weights, stream: ResidualStream) -> Affine:
    return stream.read_by(Affine(np.diag(weights["norm.weight"]), weights["norm.bias"]))


def _affine(weights: Weights, name: str) -> Affine:
    return Affine(weights[f"{name}.weight"].T, weights[f"{name}.bias"])


def _rotation(width: int) -> NDArray[np.float64]:
    """The same for the same width, always."""
    rotation, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(width, width)))
    return np.asarray(rotation, np.float64)


def _single(array: Array) -> Array:
    return array.astype(np.float32)
