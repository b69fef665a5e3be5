"""A Vision Transformer as timm saves it for the hub: a folder with `config.json` and `model.safetensors`; or its file.

The tensors have the names that ours have. What they are for, beyond the plain network, is told by their names: what is
not known here is refused by its name, so no network is imported that answers otherwise than it did.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec, ResizeMode
from vitcam_training.config import ViTConfig
from vitcam_training.weights.checkpoints import Weights, config_of
from vitcam_training.weights.normalisation import Normalisation, published_normalisation
from vitcam_training.weights.published.known import pixels_of
from vitcam_training.weights.published.network import (
    CONFIG,
    CROP_FRACTION,
    INTERPOLATION,
    UNNAMED,
    PublishedNetwork,
    channels_of,
    check_meaning,
    one_normalisation,
    read_settings,
    with_empty_head,
    with_one_head,
)
from vitcam_training.weights.published.shards import read_tensors

UNKNOWN_PARTS = {
    r"norm_pre\.": "a norm before the first block",
    r"fc_norm\.": "a norm after pooling",
    r"attn_pool\.": "attention pooling",
    r"blocks\.\d+\.(attn|mlp)\.norm\.": "a norm inside a branch",
    r"blocks\.\d+\.mlp\.(w12|w3|fc1_g)\.": "a gated MLP",
    r"blocks\.\d+\.attn\.(rel_pos|relative_position)": "relative positions",
}
"""What a tensor's name tells of parts that our network has not."""
HEADS = {"huge": 16, "giant": 16, "gigantic": 16, "so400m": 16}
"""Where heads are not 64 channels wide, by a word of the architecture's name."""


def read_timm(folder: Path, normalisation: Normalisation | None = None) -> PublishedNetwork:
    """Read the folder of a ViT, a DeiT or a DeiT III.

    normalisation  of the pixels, where the folder does not say it
    raises         UsageError for a file that is missing or broken, and for a part that our network has not, by its name
    """
    settings = read_settings(folder / CONFIG)
    prepared = settings.get("pretrained_cfg")
    prepared = prepared if isinstance(prepared, dict) else {}
    weights = read_tensors(folder)
    _refuse_unknown_parts(folder, settings, weights)
    if "head.weight" in weights:
        check_meaning(folder, settings)
    name = f"{settings.get('architecture', '')}.{prepared.get('tag') or ''}".rstrip(".")
    pixels = one_normalisation(folder, _normalisation(folder, prepared), normalisation)
    found = _network(folder, weights, pixels)
    config = _config(folder, settings, found.config)
    try:
        spec = _input(config, prepared)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{folder / CONFIG} describes an input that cannot be: {error}") from error
    if found.labels == (UNNAMED,):
        return replace(found, config=config, input=spec, name=name)
    labels, ids = _labels(settings, config.classes)
    return replace(found, config=config, input=spec, name=name, labels=labels, ids=ids)


def read_timm_file(path: Path, weights: Weights, normalisation: Normalisation | None = None) -> PublishedNetwork:
    """Read a file of weights under timm's names, without a folder that says how pixels come to the network.

    What DeiT III and DINOv2 call otherwise in their authors' files is renamed.

    weights        what the file holds: arrays in PyTorch's order, so a dense layer's is (out, in)
    normalisation  of the pixels; None: that of a published file, known by its SHA-256, or of a family known by its name
    raises         UsageError if nobody says it, or for weights that are none of a ViT under these names
    """
    known = pixels_of(path.stem)
    pixels = normalisation or published_normalisation(path) or (known.normalisation if known else None)
    given = {re.sub(r"\.gamma_([12])$", r".ls\1.gamma", name): array for name, array in weights.items()}
    given.pop("mask_token", None)  # of DINOv2's pretraining
    _refuse_parts(path, given)
    found = _network(path, given, pixels)
    fraction = known.crop_fraction if known else CROP_FRACTION
    spec = InputSpec(*found.config.image_size, crop_fraction=fraction, interpolation=INTERPOLATION)
    told = "" if normalisation or known is None else known.family
    return replace(found, input=spec, name=path.stem, family=told)


def _network(source: Path, weights: Weights, normalisation: Normalisation | None) -> PublishedNetwork:
    """The network of some weights; how many heads it has and how photos come to it is to be said yet."""
    has_head = "head.weight" in weights
    try:
        if not has_head and "cls_token" in weights:
            weights = with_empty_head(weights, weights["cls_token"].shape[-1] * (1 + ("dist_token" in weights)))
        if "head_dist.weight" in weights:
            weights = with_one_head(weights, "head", "head_dist")
        if "cls_token" in weights:
            weights = _with_positions_of_all(weights)
        config = config_of(weights, normalisation, str(source))
    except KeyError as error:
        raise UsageError(f"{source} lacks {error}; download it again, or give a plain ViT") from error
    except (IndexError, TypeError, ValueError) as error:
        raise UsageError(f"{source} has tensors of sizes that belong to no ViT ({error}); download it again") from error
    return PublishedNetwork(config, weights, () if has_head else (UNNAMED,), InputSpec(*config.image_size), ())


def _refuse_unknown_parts(folder: Path, settings: Mapping[str, Any], weights: Weights) -> None:
    _refuse_parts(folder, weights)
    pooling = settings.get("global_pool", "token")
    if pooling != "token":
        raise UsageError(f"{folder} holds a network with the pooling {pooling!r}; vitcam reads the pooling 'token'")
    if "cls_token" not in weights:
        raise UsageError(f"{folder} holds a network without a class token; vitcam reads those that have one")


def _refuse_parts(source: Path, weights: Weights) -> None:
    for name in sorted(weights):
        for pattern, what in UNKNOWN_PARTS.items():
            if re.match(pattern, name):
                raise UsageError(f"{source} holds a network with {what} ({name!r}), which vitcam has not")


def _with_positions_of_all(weights: Weights) -> Weights:
    """Where positions are for patches alone, the other tokens' are zero: the same sum (timm's `no_embed_class`).

    Where registers have one, it becomes a part of them.
    """
    position, registers = weights.get("pos_embed"), weights.get("reg_token")
    if position is None:
        return weights
    placed = 1 + ("dist_token" in weights)
    if _is_square(position.shape[1]):
        nothing = np.zeros_like(position[:, :1]).repeat(placed, axis=1)
        return weights | {"pos_embed": np.concatenate([nothing, position], axis=1)}
    if registers is None or _is_square(position.shape[1] - placed):
        return weights
    end = placed + registers.shape[1]
    others = np.concatenate([position[:, :placed], position[:, end:]], axis=1)
    return weights | {"reg_token": registers + position[:, placed:end], "pos_embed": others}


def _is_square(count: int) -> bool:
    return math.isqrt(count) ** 2 == count


def _config(folder: Path, settings: Mapping[str, Any], found: ViTConfig) -> ViTConfig:
    """With what the weights do not tell: how many heads there are."""
    given = settings.get("model_args")
    said = given.get("num_heads") if isinstance(given, dict) else None
    architecture = str(settings.get("architecture", ""))
    usual = next((heads for word, heads in HEADS.items() if word in architecture), found.heads)
    try:
        return found.with_heads(int(said or usual))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{folder / CONFIG} describes a network that cannot be built: {error}") from error


def _labels(settings: Mapping[str, Any], count: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and WordNet ids in the order of the outputs; empty where the folder says none."""
    names, words = settings.get("label_names"), settings.get("label_descriptions")
    if isinstance(names, dict):
        names = [names.get(str(i), f"label {i}") for i in range(count)]
    if not isinstance(names, list):
        return (), ()
    listed = tuple("" if name is None else str(name) for name in names)
    ids = listed if all(re.fullmatch(r"n\d{8}", name) for name in listed) else ()
    return tuple(str(words.get(name, name)) for name in listed) if isinstance(words, dict) else listed, ids


def _normalisation(folder: Path, prepared: Mapping[str, Any]) -> Normalisation | None:
    if prepared.get("mean") is None or prepared.get("std") is None:
        return None
    mean, std = (channels_of(folder / CONFIG, name, prepared[name]) for name in ("mean", "std"))
    return Normalisation(mean, std)


def _input(config: ViTConfig, prepared: Mapping[str, Any]) -> InputSpec:
    """The middle of a photo, or all of it squashed, as timm's own evaluation does."""
    resize: ResizeMode = "squash" if prepared.get("crop_mode") == "squash" else "crop"
    fraction = 1.0 if resize == "squash" else min(1.0, float(prepared.get("crop_pct") or CROP_FRACTION))
    return InputSpec(*config.image_size, resize, fraction, INTERPOLATION)
