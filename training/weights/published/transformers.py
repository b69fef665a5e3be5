"""A Vision Transformer as Hugging Face's `transformers` saves it: a folder with `config.json` and `model.safetensors`.

`preprocessor_config.json` beside them says how photos were cropped, resized and normalised. Nothing is guessed: what
this reader does not know is refused by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError
from vitcam_training.config import Activation, Pooling, ViTConfig
from vitcam_training.weights.checkpoints import Weights
from vitcam_training.weights.normalisation import Normalisation
from vitcam_training.weights.published.network import (
    CONFIG,
    TENSORS,
    UNNAMED,
    PublishedNetwork,
    check_meaning,
    one_normalisation,
    read_settings,
    with_empty_head,
    with_one_head,
)
from vitcam_training.weights.published.preprocessing import (
    input_of,
    normalisation_of,
    read_preparation,
    size_of,
)
from vitcam_training.weights.published.shards import read_tensors

ACTIVATIONS: dict[str, Activation] = {"gelu": "gelu", "relu": "relu"}
KINDS = ("vit", "deit", "dinov2", "dinov2_with_registers")
_LAYER = {
    "attention.output.dense": "attn.proj",
    "intermediate.dense": "mlp.fc1",
    "output.dense": "mlp.fc2",
    "layernorm_before": "norm1",
    "layernorm_after": "norm2",
}
_DINO_LAYER = {
    "attention.output.dense": "attn.proj",
    "mlp.fc1": "mlp.fc1",
    "mlp.fc2": "mlp.fc2",
    "norm1": "norm1",
    "norm2": "norm2",
}
_HEADS = {"classifier": "head", "cls_classifier": "head", "distillation_classifier": "head_dist"}


def read_transformers(folder: Path, normalisation: Normalisation | None = None) -> PublishedNetwork:
    """Read the folder of a ViT, a DeiT or a DINOv2.

    A DeiT whose head reads the class token alone keeps its distillation token as a register.

    normalisation  of the pixels, where the folder does not say it
    raises         UsageError for a file that is missing or broken, for another kind of network, and for what this
                   reader does not know
    """
    settings = read_settings(folder / CONFIG)
    prepared = read_preparation(folder)
    given = {_plain(name): array for name, array in read_tensors(folder).items()}
    _check_kind(folder, settings, given)
    weights, leftovers = _renamed(folder, given, settings)
    has_head = "head.weight" in weights
    labels = _labels(folder, settings, len(weights["head.weight"])) if has_head else (UNNAMED,)
    if not has_head:
        weights = with_empty_head(weights, int(settings["hidden_size"]))
    pooling: Pooling = "distilled" if "dist_token" in weights else "cls_token"
    pixels = one_normalisation(folder, normalisation_of(folder, prepared), normalisation)
    try:
        config = ViTConfig(
            classes=len(weights["head.weight"]),
            image_size=size_of(settings["image_size"]),
            patch_size=int(settings["patch_size"]),
            width=int(settings["hidden_size"]),
            depth=int(settings["num_hidden_layers"]),
            heads=int(settings["num_attention_heads"]),
            mlp_width=int(settings.get("intermediate_size") or settings["hidden_size"] * settings.get("mlp_ratio", 4)),
            pooling=pooling,
            registers=weights["reg_token"].shape[1] if "reg_token" in weights else 0,
            layer_scale=1.0 if "blocks.0.ls1.gamma" in weights else 0.0,
            qkv_bias="blocks.0.attn.qkv.bias" in weights,
            channels=int(settings.get("num_channels", 3)),
            mean=pixels.mean,
            std=pixels.std,
            norm_epsilon=float(settings.get("layer_norm_eps", 1e-12)),
            activation=ACTIVATIONS[settings.get("hidden_act", "gelu")],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{folder / CONFIG} describes a network that cannot be built: {error}") from error
    return PublishedNetwork(config, weights, labels, input_of(folder, config, prepared), leftovers)


def _check_kind(folder: Path, settings: Mapping[str, Any], given: Weights) -> None:
    kind, activation = settings.get("model_type"), settings.get("hidden_act", "gelu")
    if kind not in KINDS:
        raise UsageError(f"{folder} holds a network of the type {kind!r}; vitcam reads the types {', '.join(KINDS)}")
    if settings.get("use_swiglu_ffn"):
        raise UsageError(f"{folder} holds a network with a gated MLP (SwiGLU), which vitcam has not")
    if any(f"{name}.weight" in given for name in _HEADS):
        check_meaning(folder, settings)
    if str(kind).startswith("dinov2") and "classifier.weight" in given:
        raise UsageError(
            f"{folder} holds a network whose head reads the class token and the mean of the patches; "
            "vitcam reads DINOv2 without a head"
        )
    if activation not in ACTIVATIONS:
        raise UsageError(f"{folder} has the activation {activation!r}; allowed: {', '.join(ACTIVATIONS)}")
    needed = ["hidden_size", "num_hidden_layers", "num_attention_heads", "image_size", "patch_size"]
    missing = [
        name
        for name in (*needed, *(() if str(kind).startswith("dinov2") else ("intermediate_size",)))
        if name not in settings
    ]
    if missing:
        raise UsageError(f"{folder / CONFIG} does not say {missing[0]!r}; download the folder again")
    for name in needed[:3]:
        if not isinstance(settings[name], int) or settings[name] < 1:
            raise UsageError(f"{folder / CONFIG} says {name} = {settings[name]!r}; a whole number from 1 is allowed")


def _plain(name: str) -> str:
    """A tensor's name without the network's own before it: some are saved alone, some below a head."""
    for start in ("vit.", "deit.", "dinov2.", "dinov2_with_registers."):
        name = name.removeprefix(start)
    return name


class _Renaming:
    """Tensors on their way from the names of transformers to those of timm."""

    def __init__(self, folder: Path, given: Weights) -> None:
        self._folder = folder
        self.rest = dict(given)
        self.found: Weights = {}

    def take(self, name: str) -> NDArray[Any]:
        """Of any shape. Raises UsageError if it is missing."""
        if name not in self.rest:
            raise UsageError(f"{self._folder / TENSORS} lacks {name!r}; download it again, or give a plain ViT")
        return self.rest.pop(name)

    def layer(self, ours: str, theirs: str) -> None:
        """Weight and bias."""
        for part in ("weight", "bias"):
            self.found[f"{ours}.{part}"] = self.take(f"{theirs}.{part}")

    def block(self, ours: str, theirs: str, is_dino: bool) -> None:
        """All of one block, its q, k and v in one."""
        for part in ("weight", "bias"):
            thirds = [f"{theirs}.attention.attention.{name}.{part}" for name in ("query", "key", "value")]
            if part == "weight" or thirds[0] in self.rest:  # `qkv_bias` may be off
                self.found[f"{ours}.attn.qkv.{part}"] = np.concatenate([self.take(name) for name in thirds])
        for name, place in (_DINO_LAYER if is_dino else _LAYER).items():
            self.layer(f"{ours}.{place}", f"{theirs}.{name}")
        for scale in (1, 2) if is_dino else ():
            self.found[f"{ours}.ls{scale}.gamma"] = self.take(f"{theirs}.layer_scale{scale}.lambda1")


def _renamed(folder: Path, given: Weights, settings: Mapping[str, Any]) -> tuple[Weights, tuple[str, ...]]:
    """Under timm's names, and what has no place there."""
    names, is_dino = _Renaming(folder, given), str(settings["model_type"]).startswith("dinov2")
    names.found["cls_token"] = names.take("embeddings.cls_token")
    names.found["pos_embed"] = names.take("embeddings.position_embeddings")
    names.layer("patch_embed.proj", "embeddings.patch_embeddings.projection")
    if is_dino:
        names.rest.pop("embeddings.mask_token", None)  # of the pretraining
    for i in range(int(settings["num_hidden_layers"])):
        names.block(f"blocks.{i}", f"encoder.layer.{i}", is_dino)
    names.layer("norm", "layernorm")
    for name, place in _HEADS.items():
        if f"{name}.weight" in names.rest:
            names.layer(place, name)
    if "embeddings.register_tokens" in names.rest:
        names.found["reg_token"] = names.take("embeddings.register_tokens")
    found = names.found
    if "embeddings.distillation_token" in names.rest:
        found = _with_distillation_token(found, names.take("embeddings.distillation_token"))
    return found, tuple(sorted(names.rest))


def _with_distillation_token(found: Weights, token: NDArray[Any]) -> Weights:
    """Two tokens that are read; or, where the head reads the class token alone, a register with its position in it."""
    if "head_dist.weight" in found:
        return with_one_head(found, "head", "head_dist") | {"dist_token": token}
    position = found["pos_embed"]
    return found | {"reg_token": token + position[:, 1:2], "pos_embed": np.delete(position, 1, axis=1)}


def _labels(folder: Path, settings: Mapping[str, Any], count: int) -> tuple[str, ...]:
    """In the order of the outputs; numbers where the folder names none."""
    listed = settings.get("id2label") or {}
    names = listed if isinstance(listed, dict) else {str(i): name for i, name in enumerate(listed)}
    wrong = sorted(set(names) - {str(i) for i in range(count)})
    if wrong:
        raise UsageError(
            f"{folder / CONFIG} names a label of the output {wrong[0]!r} (id2label), and the head has the outputs 0 to "
            f"{count - 1}; correct it"
        )
    return tuple("" if (name := names.get(str(i), f"LABEL_{i}")) is None else str(name) for i in range(count))
