"""Weights in files: timm's names in `.npz` and `.safetensors`, compared key by key on their way in and out.

Our own files use timm's names and layouts too, so they load in timm (`vit_tiny_patch16_224`), and a fine-tuning run
reads a foreign network and one of ours by the same code.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import keras
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from vitcam.errors import UsageError

from .about import KEY, About
from .vit import ViT, ViTConfig

Array = NDArray[np.floating[Any]]
Weights = dict[str, Array]

log = logging.getLogger(__name__)


def read_weights(path: Path) -> Weights:
    """Read `.npz` or `.safetensors`, whatever the names in it.

    returns  name -> float32 array
    raises   UsageError if the file is missing or is neither
    """
    if not path.is_file():
        raise UsageError(f"no weights at {path}: give an .npz or .safetensors file")
    try:
        if path.suffix == ".safetensors":
            found: Mapping[str, Array] = load_file(path)
        else:
            with np.load(path, allow_pickle=False) as archive:
                found = {name: archive[name] for name in archive.files}
    except Exception as error:
        raise UsageError(f"{path} holds no weights ({error}); give an .npz or .safetensors file") from error
    return {name: np.asarray(array, np.float32) for name, array in found.items()}


def save_weights(path: Path, weights: Weights, about: About, dtype: str = "float32") -> None:
    """Write a `.safetensors` checkpoint, labels and all in its header; float16 is what ships."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {name: np.ascontiguousarray(array, dtype) for name, array in weights.items()}
    path.write_bytes(save(arrays, metadata={KEY: about.to_json()}))


def config_of(weights: Weights, source: str = "the weights") -> ViTConfig:
    """The sizes of the network that these weights belong to; a square input is taken for granted.

    raises  UsageError if the weights are not those of a ViT with timm's names, naming the first that is missing
    """
    for name in ("patch_embed.proj.weight", "pos_embed", "blocks.0.mlp.fc1.weight", "head.weight"):
        if name not in weights:
            raise UsageError(f"{source} have no {name!r}: this reads Vision Transformers under timm's names")
    width, _, patch, _ = weights["patch_embed.proj.weight"].shape
    side = round((weights["pos_embed"].shape[1] - 1) ** 0.5) * patch
    return ViTConfig(
        classes=len(weights["head.weight"]),
        image_size=(side, side),
        patch_size=patch,
        width=width,
        depth=1 + max(int(found[1]) for name in weights if (found := re.match(r"blocks\.(\d+)\.", name))),
        heads=width // 64,  # every published ViT and DeiT has heads of 64 channels; the weights do not tell
        mlp_ratio=len(weights["blocks.0.mlp.fc1.weight"]) // width,
    )


def load_into(model: ViT, weights: Weights, new_head: bool = False) -> list[str]:
    """Give a network foreign weights. The position embedding is interpolated where the patch grids differ.

    new_head  leave the head as it is: the labels are others
    returns   names in `weights` that nothing asked for
    raises    UsageError naming the first tensor that is missing or has another shape
    """
    wanted = to_timm(model)
    given = dict(weights)
    if "pos_embed" in given:
        given["pos_embed"] = resize_position(given["pos_embed"], model.config.grid)
    if new_head:
        given |= {name: wanted[name] for name in ("head.weight", "head.bias")}
    for name, array in wanted.items():
        if name not in given:
            raise UsageError(f"the weights lack {name!r} of shape {array.shape}: they are of another network")
        if given[name].shape != array.shape:
            raise UsageError(f"{name!r} has shape {given[name].shape}, the network wants {array.shape}")
    for place in _places(model):
        place.variable.assign(_to_keras(given[place.name], place))
    leftovers = sorted(set(given) - set(wanted))
    if leftovers:
        log.warning("weights that the network has no place for: %s", ", ".join(leftovers))
    return leftovers


def to_timm(model: ViT) -> Weights:
    """The network's weights under timm's names, in PyTorch's layouts, float32. q, k and v are one matrix there."""
    arrays: dict[str, list[Array]] = {}
    for place in _places(model):
        arrays.setdefault(place.name, []).append(_to_torch(place, model.config.patch_size))
    return {name: np.concatenate(parts) for name, parts in arrays.items()}


def resize_position(position: Array, grid: tuple[int, int]) -> Array:
    """Interpolate a square position embedding to another patch grid, bicubic; the class token's stays.

    position  (1, 1 + n * n, D); returns (1, 1 + gh * gw, D) float32
    source    Dosovitskiy et al. 2021, section 3.2
    """
    cls_token, patches = position[:, :1], position[0, 1:]
    side = round(len(patches) ** 0.5)
    if (side, side) == tuple(grid):
        return position
    planes = patches.reshape(side, side, -1).astype(np.float32)
    # cv2 resizes up to 512 channels at once; no ViT that runs on a Pi is wider
    resized = cv2.resize(planes, (grid[1], grid[0]), interpolation=cv2.INTER_CUBIC)
    return np.concatenate([cls_token, resized.reshape(1, grid[0] * grid[1], -1)], axis=1)


@dataclass(frozen=True)
class _Place:
    """Where a tensor lives: our variable, timm's name, and which third of a fused q, k, v it is (None: not fused)."""

    variable: Any
    name: str
    third: int | None = None


def _places(model: ViT) -> Iterator[_Place]:
    yield _Place(model.cls_token, "cls_token")
    yield _Place(model.position, "pos_embed")
    yield from _layer(model.patch_embedding.projection, "patch_embed.proj")
    for i, block in enumerate(model.blocks):
        attention = block.attention
        for third, layer in enumerate((attention.query, attention.key, attention.value)):
            yield from _layer(layer, f"blocks.{i}.attn.qkv", third)
        yield from _layer(attention.output_projection, f"blocks.{i}.attn.proj")
        yield from _layer(block.mlp.up, f"blocks.{i}.mlp.fc1")
        yield from _layer(block.mlp.down, f"blocks.{i}.mlp.fc2")
        yield from _layer(block.norm1, f"blocks.{i}.norm1")
        yield from _layer(block.norm2, f"blocks.{i}.norm2")
    yield from _layer(model.norm, "norm")
    yield from _layer(model.head, "head")


def _layer(layer: Any, name: str, third: int | None = None) -> Iterator[_Place]:
    """A dense layer's kernel and bias or a norm's scale and shift: PyTorch calls both pairs weight and bias."""
    weight, bias = (layer.gamma, layer.beta) if hasattr(layer, "gamma") else (layer.kernel, layer.bias)
    yield _Place(weight, f"{name}.weight", third)
    yield _Place(bias, f"{name}.bias", third)


def _to_keras(array: Array, place: _Place) -> Array:
    if place.third is not None:
        array = np.split(array, 3)[place.third]
    if array.ndim == 4:  # (D, 3, P, P) -> (P*P*3, D)
        return array.transpose(2, 3, 1, 0).reshape(-1, len(array))
    return array.T if array.ndim == 2 else array


def _to_torch(place: _Place, patch_size: int) -> Array:
    array = np.asarray(keras.ops.convert_to_numpy(place.variable), np.float32)
    if place.name == "patch_embed.proj.weight":  # (P*P*3, D) -> (D, 3, P, P)
        return array.reshape(patch_size, patch_size, 3, -1).transpose(3, 2, 0, 1)
    return array.T if array.ndim == 2 else array
