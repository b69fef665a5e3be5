"""A Vision Transformer as Hugging Face's `transformers` saves it: a folder with `config.json` and `model.safetensors`.

`preprocessor_config.json` beside them says how photos were cropped, resized and normalised. Nothing is guessed: what
this reader does not know is refused by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vitcam.errors import UsageError
from vitcam_training.config import Activation, ViTConfig
from vitcam_training.weights.checkpoints import Weights, read_weights
from vitcam_training.weights.normalisation import Normalisation
from vitcam_training.weights.published.network import (
    CONFIG,
    PREPROCESSING,
    TENSORS,
    UNNAMED,
    PublishedNetwork,
    one_normalisation,
    read_settings,
    with_empty_head,
)
from vitcam_training.weights.published.preprocessing import input_of, normalisation_of, size_of

ACTIVATIONS: dict[str, Activation] = {"gelu": "gelu", "relu": "relu"}
_LAYER = {
    "attention.output.dense": "attn.proj",
    "intermediate.dense": "mlp.fc1",
    "output.dense": "mlp.fc2",
    "layernorm_before": "norm1",
    "layernorm_after": "norm2",
}


def read_transformers(folder: Path, normalisation: Normalisation | None = None) -> PublishedNetwork:
    """Read the folder of a ViT. DeiT without a distillation token is saved as one.

    normalisation  of the pixels, where the folder does not say it
    raises         UsageError for a file that is missing or broken, for another kind of network, and for what this
                   reader does not know
    """
    settings = read_settings(folder / CONFIG)
    prepared = read_settings(folder / PREPROCESSING) if (folder / PREPROCESSING).is_file() else {}
    given = {_plain(name): array for name, array in read_weights(folder / TENSORS).items()}
    _check_kind(folder, settings, given)
    weights, leftovers = _renamed(folder, given, int(settings["num_hidden_layers"]))
    has_head = "head.weight" in weights
    labels = _labels(settings, len(weights["head.weight"])) if has_head else (UNNAMED,)
    if not has_head:
        weights = with_empty_head(weights, int(settings["hidden_size"]))
    pixels = one_normalisation(folder, normalisation_of(prepared), normalisation)
    try:
        config = ViTConfig(
            classes=len(weights["head.weight"]),
            image_size=size_of(settings["image_size"]),
            patch_size=int(settings["patch_size"]),
            width=int(settings["hidden_size"]),
            depth=int(settings["num_hidden_layers"]),
            heads=int(settings["num_attention_heads"]),
            mlp_width=int(settings["intermediate_size"]),
            channels=int(settings.get("num_channels", 3)),
            mean=pixels.mean,
            std=pixels.std,
            norm_epsilon=float(settings.get("layer_norm_eps", 1e-12)),
            activation=ACTIVATIONS[settings.get("hidden_act", "gelu")],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{folder / CONFIG} describes a network that cannot be built: {error}") from error
    return PublishedNetwork(config, weights, labels, input_of(config, prepared), leftovers)


def _check_kind(folder: Path, settings: Mapping[str, Any], given: Weights) -> None:
    kind, activation = settings.get("model_type"), settings.get("hidden_act", "gelu")
    if "embeddings.distillation_token" in given:
        raise UsageError(f"{folder} holds a network with a distillation token, which vitcam has not; give one without")
    if kind != "vit":
        raise UsageError(f"{folder} holds a network of the type {kind!r}; vitcam reads the type 'vit'")
    if activation not in ACTIVATIONS:
        raise UsageError(f"{folder} has the activation {activation!r}; allowed: {', '.join(ACTIVATIONS)}")
    missing = [name for name in ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size",
                                 "image_size", "patch_size") if name not in settings]  # fmt: skip
    if missing:
        raise UsageError(f"{folder / CONFIG} does not say {missing[0]!r}; download the folder again")


def _plain(name: str) -> str:
    """A tensor's name without the network's own before it: some are saved alone, some below a head."""
    return name.removeprefix("vit.").removeprefix("deit.")


def _renamed(folder: Path, given: Weights, depth: int) -> tuple[Weights, tuple[str, ...]]:
    """Under timm's names, and what has no place there."""
    rest, found = dict(given), dict[str, Any]()

    def take(name: str) -> Any:
        if name not in rest:
            raise UsageError(f"{folder / TENSORS} lacks {name!r}; download it again, or give a plain ViT")
        return rest.pop(name)

    def layer(ours: str, theirs: str) -> None:
        for part in ("weight", "bias"):
            found[f"{ours}.{part}"] = take(f"{theirs}.{part}")

    found["cls_token"], found["pos_embed"] = take("embeddings.cls_token"), take("embeddings.position_embeddings")
    layer("patch_embed.proj", "embeddings.patch_embeddings.projection")
    for i in range(depth):
        theirs, ours = f"encoder.layer.{i}", f"blocks.{i}"
        for part in ("weight", "bias"):
            thirds = [f"{theirs}.attention.attention.{name}.{part}" for name in ("query", "key", "value")]
            if part == "bias" and thirds[0] not in rest:  # `qkv_bias` may be off
                found[f"{ours}.attn.qkv.bias"] = np.zeros(len(found[f"{ours}.attn.qkv.weight"]), np.float32)
            else:
                found[f"{ours}.attn.qkv.{part}"] = np.concatenate([take(name) for name in thirds])
        for name, place in _LAYER.items():
            layer(f"{ours}.{place}", f"{theirs}.{name}")
    layer("norm", "layernorm")
    if "classifier.weight" in rest:
        layer("head", "classifier")
    return found, tuple(sorted(rest))


def _labels(settings: Mapping[str, Any], count: int) -> tuple[str, ...]:
    """In the order of the outputs; numbers where the folder names none."""
    named = settings.get("id2label")
    names = named if isinstance(named, dict) else {}
    return tuple(str(names.get(str(i), f"LABEL_{i}")) for i in range(count))
