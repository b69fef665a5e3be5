"""Exact rewrites of a trained ViT: the same function, written so that XNNPACK runs it fast. NumPy only.

In: weights under timm's names. Out: `Folded`, what `graph.py` builds the inference graph from. Each rewrite can be left
out by `Rewrites`, and each is a function of its own; a test compares every choice with the training network to 1e-4 in
float32, and `make bench` measures what each gains. What saves most accuracy are the stream's random axes.

Luma and layer scale are always folded, into the patch embedding and into what ends a branch: no other form is as fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vitcam_training.config import ViTConfig
from vitcam_training.export.folded import Affine, Array, Folded, FoldedBlock, Norm, Rewrites
from vitcam_training.vit import LUMA, sincos_position
from vitcam_training.weights.checkpoints import Weights

LARGE_MERGE = 1_000_000
"""Numbers of a product that adds further rows; one that is larger is made of two."""
_CENTRED = np.array([1 / 64]), np.array([-2.0])  # what a DEQUANTIZE of scale 1/64 and zero point 128 does to a byte


def fold(
    config: ViTConfig,
    weights: Weights,
    temperature: float = 1.0,
    rewrites: Rewrites = Rewrites(),  # noqa: B008 - frozen
    rows: Sequence[int] = (),
) -> Folded:
    """Make the rewrites on all weights.

    weights      under timm's names, a dense layer's (out, in), as `to_timm` gives them
    temperature  logits are divided by it: above 1 the model gets less sure of itself
    rewrites     which are wanted; those that this network does not allow are left out
    rows         the label of each row of the head; none: row i is label i
    """
    rewrites = rewrites.exact_for(config)
    weights, merge = order_rows(weights, rows) if rows else (weights, ())
    stream = ResidualStream.random(config.width) if rewrites.stream else ResidualStream.plain(config.width)
    position = _position(config, weights)  # (T - registers, D)
    mean, std = np.array(config.mean), np.array(config.std)
    start = ResidualStream.plain(config.width) if config.first_norm else stream
    patches = Affine(_patch_matrix(config, weights), weights["patch_embed.proj.bias"])
    head, pre_logits = _affine(weights, "head"), _affine(weights, "pre_logits") if config.head_hidden else None
    gains = _centred(fold_factor(head, 1 / temperature).kernel)
    blocks = tuple(_block(config, weights, f"blocks.{i}", stream, rewrites) for i in range(config.depth))
    norm = _left_of_norm(config, weights, "norm", rewrites) if config.final_norm else None
    embedding = _embedding(config, weights, stream, rewrites)
    return Folded(
        config=config,
        rewrites=rewrites,
        pixels=_CENTRED if rewrites.pixels else (_single(1 / (255 * std)), _single(-mean / std)),
        patches=start.written(fold_pixels(patches, mean, std) if rewrites.pixels else patches),
        first_rows=_single(_first_rows(config, weights, position) @ start.write) if config.prefix else None,
        position=None if config.position == "none" else _single(position[config.placed :] @ start.write),
        first_norm=_first_norm(config, weights, rewrites) if config.first_norm else None,
        first=_first(weights, stream) if config.first_norm and rewrites.norms else None,
        blocks=blocks,
        norm=norm,
        embedding=embedding,
        pre_logits=pre_logits,
        head=fold_factor(head, 1 / temperature) if rewrites.temperature else head,
        merge=merge,
        logit_factor=1.0 if rewrites.temperature else 1 / temperature,
        evidence=_single(gains.T) if pre_logits else _evidence(norm, embedding, gains, config.rows_read),
        towards=_evidence(
            norm,
            embedding,
            _double(pre_logits.kernel) if pre_logits else np.eye(config.embedding_width),
            config.rows_read,
        ),
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


def order_rows(weights: Weights, rows: Sequence[int]) -> tuple[Weights, tuple[Array, ...]]:
    """The rows of the head in another order: one for each label, in their order, and before them all further ones.

    Then a label's probability is that of its row, plus those of the further ones, which a small product adds.

    rows     the label of each row
    returns  the weights, and what the probabilities of the E further rows are multiplied by, one after the other, to
             become those of the C labels: (E, C), or where that is large (E, M) and (M, C) with the M labels that have
             further rows; nothing without further rows
    """
    labels = np.array(rows)
    _, first = np.unique(labels, return_index=True)
    further = np.setdiff1d(np.arange(len(labels)), first)
    order = np.concatenate([further, first])
    head = {name: array[order] for name, array in weights.items() if name in ("head.weight", "head.bias")}
    if not len(further):
        return weights | head, ()
    if len(further) * len(first) <= LARGE_MERGE:
        return weights | head, (_ones(labels[further], len(first)),)
    shared, column = np.unique(labels[further], return_inverse=True)
    return weights | head, (_ones(column, len(shared)), _ones(shared, len(first)))


def _ones(columns: NDArray[np.intp], width: int) -> Array:
    """A matrix with a one in each row, in this column."""
    found = np.zeros((len(columns), width), np.float32)
    found[np.arange(len(columns)), columns] = 1
    return found


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
    factor = config.d_k**-0.5
    qkv = _behind_norm(weights, f"{name}.attn.qkv", f"{name}.norm1", stream, rewrites)
    query, key, value = split_qkv(qkv)
    output = _branch(config, weights, f"{name}.attn.proj", f"{name}.ls1")
    if rewrites.values:
        value, output = turn_values(value, output, config.heads)
    return FoldedBlock(
        norm1=_block_norm(config, weights, f"{name}.norm1", rewrites),
        query=fold_factor(query, factor) if rewrites.scores and not config.qk_norm else query,
        key=key,
        value=value,
        query_norm=_head_norm(config, weights, f"{name}.attn.q_norm", factor if rewrites.scores else 1.0),
        key_norm=_head_norm(config, weights, f"{name}.attn.k_norm"),
        score_factor=1.0 if rewrites.scores else factor,
        output=stream.written(output),
        norm2=_block_norm(config, weights, f"{name}.norm2", rewrites),
        up=_behind_norm(weights, f"{name}.mlp.fc1", f"{name}.norm2", stream, rewrites),
        down=stream.written(_branch(config, weights, f"{name}.mlp.fc2", f"{name}.ls2")),
    )


def _centred(kernel: Array) -> NDArray[np.float64]:
    """What each label's logit has beyond those of all, (E, C) -> (E, C)."""
    gains = _double(kernel)
    return np.asarray(gains - gains.mean(axis=1, keepdims=True))


def _evidence(norm: Norm | None, embedding: Affine | None, gains: NDArray[np.float64], rows: int = 1) -> Array:
    """What a step along each axis of the stream does to numbers that grow by `gains` (E, C) with the embedding: (C, D).

    The divisions by lengths are left out. Of several rows that are read side by side, (C, rows·D).
    """
    return np.concatenate([_row_evidence(norm, embedding, part) for part in np.split(gains, rows)], axis=1)


def _row_evidence(norm: Norm | None, embedding: Affine | None, gains: NDArray[np.float64]) -> Array:
    if embedding is not None:
        gains = embedding.kernel @ gains
    if norm is not None and norm.scale is not None:
        gains = norm.scale[:, None] * gains
    if norm is not None and not norm.centred:
        gains = gains - gains.mean(axis=0)  # the norm takes the mean out of what it is given
    return _single(gains.T)


def _position(config: ViTConfig, weights: Weights) -> NDArray[np.float64]:
    """What is added to each token but the registers, (T - registers, D)."""
    if config.position in ("learned", "random"):
        return np.asarray(weights["pos_embed"][0], np.float64)
    if config.position == "sincos":
        return sincos_position(config.tokens - config.registers, config.width)
    return np.zeros((config.tokens - config.registers, config.width))


def _first_rows(config: ViTConfig, weights: Weights, position: NDArray[np.float64]) -> NDArray[np.float64]:
    """The tokens before those of the patches, (prefix, D)."""
    names = ["cls_token", "dist_token"][: config.placed]
    placed = np.concatenate([weights[name][0] for name in names]) + position[: config.placed]
    return np.concatenate([placed, weights["reg_token"][0]]) if config.registers else placed


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


def _block_norm(config: ViTConfig, weights: Weights, name: str, rewrites: Rewrites) -> Norm | None:
    return None if config.norm == "none" else _left_of_norm(config, weights, name, rewrites)


def _left_of_norm(config: ViTConfig, weights: Weights, name: str, rewrites: Rewrites) -> Norm:
    if rewrites.norms:
        return Norm(rewrites.stream, config.norm_epsilon)
    return Norm(False, config.norm_epsilon, _single(weights[f"{name}.weight"]), _single(weights[f"{name}.bias"]))


def _head_norm(config: ViTConfig, weights: Weights, name: str, factor: float = 1.0) -> Norm | None:
    """Of queries or keys, whose products with each other are multiplied by `factor`."""
    if not config.qk_norm:
        return None
    scale, shift = (_single(weights[f"{name}.{part}"] * factor) for part in ("weight", "bias"))
    return Norm(False, config.norm_epsilon, scale, shift)


def _first_norm(config: ViTConfig, weights: Weights, rewrites: Rewrites) -> Norm:
    if rewrites.norms:
        return Norm(False, config.norm_epsilon)
    return _left_of_norm(config, weights, "norm_pre", rewrites)


def _first(weights: Weights, stream: ResidualStream) -> Affine:
    return stream.written(Affine(np.diag(weights["norm_pre.weight"]), weights["norm_pre.bias"]))


def _embedding(config: ViTConfig, weights: Weights, stream: ResidualStream, rewrites: Rewrites) -> Affine | None:
    shared = weights["shared.weight"].T if config.shared_width else None  # (D, S)
    if not config.final_norm or not rewrites.norms:
        return None if shared is None else Affine(shared, np.zeros(config.shared_width, np.float32))
    scale, shift = weights["norm.weight"].astype(np.float64), weights["norm.bias"].astype(np.float64)
    if shared is None:
        return stream.read_by(Affine(np.diag(scale), _single(shift)))
    return stream.read_by(Affine(scale[:, None] * shared, _single(shift @ shared)))


def _affine(weights: Weights, name: str) -> Affine:
    """A dense layer; without a bias, one of zeros."""
    kernel = weights[f"{name}.weight"].T
    return Affine(kernel, weights.get(f"{name}.bias", np.zeros(kernel.shape[1], np.float32)))


def _rotation(width: int) -> NDArray[np.float64]:
    """The same for the same width, always."""
    rotation, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(width, width)))
    return np.asarray(rotation, np.float64)


def _double(array: Array) -> NDArray[np.float64]:
    return array.astype(np.float64)


def _single(array: Array) -> Array:
    return array.astype(np.float32)
