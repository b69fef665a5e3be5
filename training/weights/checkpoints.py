"""Weights in files: timm's names in `.npz` and `.safetensors`, compared key by key on their way in and out.

Our own files use timm's names and layouts too, so they load in timm (`vit_tiny_patch16_224`), and a fine-tuning run
reads a foreign network and one of ours by the same code.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import cv2
import keras
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from vitcam.errors import UsageError
from vitcam.storage.files import atomic_write
from vitcam_training.config import Pooling, ViTConfig
from vitcam_training.data.dataset import Dataset
from vitcam_training.vit import Block, ViT
from vitcam_training.weights.metadata import KEY, Metadata, check_there, stored_network
from vitcam_training.weights.normalisation import ASK, IMAGENET, Normalisation, published_normalisation
from vitcam_training.weights.torch_file import SUFFIXES, read_torch

Array = NDArray[np.floating[Any]]
Weights = dict[str, Array]
CHANNELS = 128  # that OpenCV 5 resizes at once; OpenCV 4 takes 512

log = logging.getLogger(__name__)


def read_weights(path: Path) -> Weights:
    """Read `.npz` or `.safetensors`, or PyTorch's `.pth` where PyTorch is installed, with any names in it.

    returns  name -> float32 array, a dense layer's (out, in)
    raises   UsageError if the file is missing or is none of them
    """
    check_there(path)
    try:
        if path.suffix == ".safetensors":
            found: Mapping[str, Array] = load_file(path)
        elif path.suffix in SUFFIXES:
            found = read_torch(path)
        elif not is_zipfile(path):
            raise UsageError(f"{path} is no archive of NumPy; give an .npz or .safetensors file")
        else:
            with np.load(path, allow_pickle=False) as archive:
                found = {name: archive[name] for name in archive.files}
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"{path} holds no weights ({error}); give an .npz or .safetensors file") from error
    return {name: np.asarray(array, np.float32) for name, array in found.items()}


def save_weights(path: Path, weights: Weights, about: Metadata, dtype: str = "float32") -> None:
    """Write a `.safetensors` checkpoint with its metadata in its header, in one step. float16 is what ships.

    weights  under timm's names, a dense layer's (out, in)
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.ascontiguousarray(array, dtype) for name, array in weights.items()}
    with atomic_write(path) as partial:
        partial.write_bytes(save(arrays, metadata={KEY: about.to_json()}))


def read_network(
    path: Path, image_size: tuple[int, int] | None = None, normalisation: Normalisation | None = None
) -> tuple[ViTConfig, Weights]:
    """A network from its file, ours or foreign: its sizes and choices, and its weights under timm's names.

    image_size     (height, width) in px that it shall have, its position embedding interpolated; None: its own
    normalisation  of foreign weights, which do not tell it; None: that of a published file
    raises         UsageError if the file is missing, holds no ViT, or was written by a newer vitcam; if its
                   normalisation is unknown, or is known and another
    """
    weights, stored = read_weights(path), stored_network(path)
    if stored is not None and normalisation:
        raise UsageError(f"{path} says itself how its pixels are normalised; leave out --mean and --std")
    try:
        if stored is not None:
            config = ViTConfig(**stored) if stored else config_of(weights, IMAGENET, str(path))
        else:
            config = config_of(weights, normalisation or published_normalisation(path), str(path))
        wanted = replace(config, image_size=image_size or config.image_size)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path} holds no network that this version of vitcam knows: {error}") from error
    if "pos_embed" in weights:
        weights["pos_embed"] = resize_position(
            weights["pos_embed"], wanted.grid, prefix=config.placed, source=config.grid
        )
    return wanted, weights


def config_of(weights: Weights, normalisation: Normalisation | None, source: str = "the weights") -> ViTConfig:
    """The sizes of the network that these weights belong to, as far as they tell. The rest is as published.

    The input is taken to be square. Without a class token the network pools over all patches (timm's `avg`).

    weights        under timm's names, a dense layer's (out, in)
    normalisation  of the pixels; None: unknown, which is refused
    raises         UsageError if the weights are not those of a ViT with timm's names, naming the first that is missing
    """
    for name in ("patch_embed.proj.weight", "pos_embed", "blocks.0.mlp.fc1.weight", "head.weight"):
        if name not in weights:
            raise UsageError(f"{source} have no {name!r}; only Vision Transformers with timm's names can be read")
    if normalisation is None:
        raise UsageError(f"{source} do not say how pixels are normalised; {ASK}")
    width, channels, patch, _ = weights["patch_embed.proj.weight"].shape
    tokens, hidden = ["cls_token" in weights, "dist_token" in weights], len(weights["blocks.0.mlp.fc1.weight"])
    all_heads = len(weights.get("blocks.0.attn.proj.weight", np.zeros((1, width)))[0])  # h·d
    side = math.isqrt(weights["pos_embed"].shape[1] - sum(tokens)) * patch
    pooling: dict[int, Pooling] = {0: "mean", 1: "cls_token", 2: "distilled"}
    try:
        return ViTConfig(
            classes=len(weights["head.weight"]),
            image_size=(side, side),
            patch_size=patch,
            width=width,
            depth=1 + max(int(found[1]) for name in weights if (found := re.match(r"blocks\.(\d+)\.", name))),
            heads=max(1, all_heads // 64),  # of every published ViT and DeiT have 64 channels; the weights do not tell
            head_width=0 if all_heads == width else 64,
            mlp_width=0 if hidden == 4 * width else hidden,
            channels=channels,
            mean=normalisation.mean,
            std=normalisation.std,
            pooling=pooling[sum(tokens)],
            registers=weights["reg_token"].shape[1] if "reg_token" in weights else 0,
            qk_norm="blocks.0.attn.q_norm.weight" in weights,
            qkv_bias=any(f"blocks.0.attn.{name}" in weights for name in ("qkv.bias", "q_bias")),  # BEiT has the second
            head_hidden=len(weights.get("pre_logits.weight", ())),
            final_norm="norm.weight" in weights,
            layer_scale=1e-5 if "blocks.0.ls1.gamma" in weights else 0.0,
        )
    except ValueError as error:
        raise UsageError(f"{source} belong to a network that cannot be built: {error}") from error


def load_into(model: ViT, weights: Weights, new_head: bool = False) -> list[str]:
    """Give a network foreign weights. The position embedding is interpolated where the patch grids differ.

    weights   under timm's names, a dense layer's (out, in)
    new_head  leave the head as it is, with its hidden layer, if it has one: the labels are others
    returns   names in `weights` that the network has no place for
    raises    UsageError naming the first tensor that is missing or has another shape
    """
    wanted = to_timm(model)
    given = dict(weights)
    if "pos_embed" in given:
        given["pos_embed"] = resize_position(given["pos_embed"], model.config.grid, model.config.placed)
    if new_head:
        given |= {name: array for name, array in wanted.items() if in_head(name)}
    for name, array in wanted.items():
        if name not in given:
            raise UsageError(f"the weights lack {name!r} of shape {array.shape}: they belong to another network")
        if given[name].shape != array.shape:
            raise UsageError(f"{name!r} has shape {given[name].shape}, the network wants {array.shape}")
    for place in _places(model):
        place.variable.assign(_to_keras(given[place.name], place))
    leftovers = sorted(set(given) - set(wanted))
    if leftovers:
        log.warning("weights that the network has no place for: %s", ", ".join(leftovers))
    return leftovers


def in_head(name: str) -> bool:
    """Whether a tensor, by timm's name of it, belongs to the head."""
    return name.startswith(("head.", "pre_logits."))


def to_timm(model: ViT) -> Weights:
    """The network's weights under timm's names, float32, in PyTorch's layouts: (out, in). q, k and v are one matrix."""
    arrays: dict[str, list[Array]] = {}
    for place in _places(model):
        arrays.setdefault(place.name, []).append(_to_torch(place, model.config))
    return {name: np.concatenate(parts) for name, parts in arrays.items()}


def resize_position(
    position: Array, grid: tuple[int, int], prefix: int = 1, source: tuple[int, int] | None = None
) -> Array:
    """Interpolate a position embedding to another patch grid, bicubic; those of other tokens stay.

    position  (1, prefix + rows * columns, D); returns (1, prefix + gh * gw, D) float32
    prefix    how many tokens before those of the patches have one, such as 1 with a class token
    source    (rows, columns) that it was trained for; None: a square, or `grid` where it fills that and no square
    raises    UsageError if it fills no grid
    paper     Dosovitskiy et al. 2021, section 3.2
    """
    before, patches = position[:, :prefix], position[0, prefix:]
    rows, columns = source or _grid_of(len(patches), grid)
    if (rows, columns) == tuple(grid):
        return position
    planes = patches.reshape(rows, columns, -1).astype(np.float32)
    size = grid[1], grid[0]
    resized = [
        cv2.resize(planes[..., i : i + CHANNELS], size, interpolation=cv2.INTER_CUBIC).reshape(grid[0] * grid[1], -1)
        for i in range(0, planes.shape[-1], CHANNELS)
    ]
    return np.concatenate([before, np.concatenate(resized, axis=1)[None]], axis=1)


def _grid_of(count: int, wanted: tuple[int, int]) -> tuple[int, int]:
    side = math.isqrt(count)
    if side * side == count:
        return side, side
    if wanted[0] * wanted[1] == count:
        return wanted
    raise UsageError(
        f"the position embedding is for {count} patches, which fill neither a square nor the network's "
        f"{wanted[0]} x {wanted[1]}; give weights of a square input, or of this one"
    )


@dataclass(frozen=True)
class _TensorPlace:
    """Where a tensor lives: our variable, timm's name, and which third of a fused q, k, v it is (None: not fused)."""

    variable: Any
    name: str
    third: int | None = None


def _places(model: ViT) -> Iterator[_TensorPlace]:
    config = model.config
    if config.has_cls_token:
        yield _TensorPlace(model.cls_token, "cls_token")
    if config.pooling == "distilled":
        yield _TensorPlace(model.dist_token, "dist_token")
    if config.registers:
        yield _TensorPlace(model.registers, "reg_token")
    if config.position in ("learned", "random"):
        yield _TensorPlace(model.position, "pos_embed")
    yield from _layer(model.patch_embedding.projection, "patch_embed.proj")
    if config.first_norm:
        yield from _layer(model.first_norm, "norm_pre")
    for i, block in enumerate(model.blocks):
        yield from _block(block, f"blocks.{i}")
    if config.final_norm:
        yield from _layer(model.norm, "norm")
    if model.shared is not None:
        yield _TensorPlace(model.shared.kernel, "shared.weight")
    if model.pre_logits is not None:
        yield from _layer(model.pre_logits, "pre_logits")
    yield from _layer(model.head, "head")


def _block(block: Block, name: str) -> Iterator[_TensorPlace]:
    attention = block.attention
    for third, layer in enumerate((attention.query, attention.key, attention.value)):
        yield from _layer(layer, f"{name}.attn.qkv", third)
    if block.config.qk_norm:
        yield from _layer(attention.query_norm, f"{name}.attn.q_norm")
        yield from _layer(attention.key_norm, f"{name}.attn.k_norm")
    yield from _layer(attention.output_projection, f"{name}.attn.proj")
    yield from _layer(block.mlp.up, f"{name}.mlp.fc1")
    yield from _layer(block.mlp.down, f"{name}.mlp.fc2")
    if block.config.norm != "none":
        yield from _layer(block.norm1, f"{name}.norm1")
        yield from _layer(block.norm2, f"{name}.norm2")
    if block.config.layer_scale:
        yield _TensorPlace(block.scale1.gamma, f"{name}.ls1.gamma")
        yield _TensorPlace(block.scale2.gamma, f"{name}.ls2.gamma")


def _layer(layer: Any, name: str, third: int | None = None) -> Iterator[_TensorPlace]:
    """A dense layer's kernel and bias or a norm's scale and shift: PyTorch calls both pairs weight and bias.

    A dense layer may have no bias.
    """
    weight, bias = (layer.gamma, layer.beta) if hasattr(layer, "gamma") else (layer.kernel, layer.bias)
    yield _TensorPlace(weight, f"{name}.weight", third)
    if bias is not None:
        yield _TensorPlace(bias, f"{name}.bias", third)


def _to_keras(array: Array, place: _TensorPlace) -> Array:
    if place.third is not None:
        array = np.split(array, 3)[place.third]
    if array.ndim == 4:  # (D, C, P, P) -> (P*P*C, D)
        return array.transpose(2, 3, 1, 0).reshape(-1, len(array))
    return array.T if array.ndim == 2 else array


def _to_torch(place: _TensorPlace, config: ViTConfig) -> Array:
    array = np.asarray(keras.ops.convert_to_numpy(place.variable), np.float32)
    if place.name == "patch_embed.proj.weight":  # (P*P*C, D) -> (D, C, P, P)
        return array.reshape(config.patch_size, config.patch_size, config.channels, -1).transpose(3, 2, 0, 1)
    return array.T if array.ndim == 2 else array


def carried_head(given: Weights, synsets: tuple[str, ...], dataset: Dataset) -> Weights:
    """A head for the labels of a data set from one for other labels, matched by their WordNet ids.

    Labels of the old head that mean the same become one, by the mean of their rows. A label that it lacks begins with
    a row of zeros and the lowest bias of the old head: less likely than any that it knows.

    given    `head.weight` (C', D) and `head.bias` (C',) of the old head
    returns  `head.weight` (C, D) and `head.bias` (C,)
    """
    columns = np.array([dataset.synsets.get(synset, -1) for synset in synsets])
    weight = np.zeros((len(dataset.labels), given["head.weight"].shape[1]), np.float32)
    bias = np.full(len(dataset.labels), given["head.bias"].min(), np.float32)
    for label in np.unique(columns[columns >= 0]):
        rows = columns == label
        weight[label], bias[label] = given["head.weight"][rows].mean(axis=0), given["head.bias"][rows].mean()
    return {"head.weight": weight, "head.bias": bias}
