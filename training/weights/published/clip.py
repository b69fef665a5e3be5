"""CLIP and networks of its kind as Hugging Face's `transformers` saves them: `config.json`, `model.safetensors`.

The image tower becomes a ViT whose head reads a place in the space that pictures share with words; the text tower and
its `tokenizer.json` become the file that turns words into such places. Nothing is guessed: what this reader does not
know is refused by its name.

Source: Radford et al. 2021, arXiv 2103.00020; the defaults of settings are those of the library's CLIPConfig.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import numpy as np

from vitcam.errors import UsageError
from vitcam.model.text.text_file import AboutTower
from vitcam.model.text.text_tower import ACTIVATIONS, TextSizes
from vitcam_training.config import Activation, ViTConfig
from vitcam_training.weights.checkpoints import Weights
from vitcam_training.weights.normalisation import Normalisation
from vitcam_training.weights.published.network import (
    CONFIG,
    TENSORS,
    TOKENIZER,
    UNNAMED,
    PublishedNetwork,
    PublishedText,
    one_normalisation,
    read_settings,
    with_empty_head,
)
from vitcam_training.weights.published.preprocessing import (
    input_of,
    normalisation_of,
    read_preparation,
    size_of,
)
from vitcam_training.weights.published.shards import read_tensors

KINDS = ("clip", "clip_vision_model")
"""Of the first one both towers are saved, of the second the image tower alone."""
LEGACY_END = 2
"""The number that OpenAI's settings give for the end of a text. It means: the token of the highest number."""
MOST_SCALE = 100.0
_VISION = {
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12,
    "image_size": 224, "patch_size": 32, "num_channels": 3, "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5,
}  # fmt: skip
_TEXT = {
    "num_hidden_layers": 12, "num_attention_heads": 8, "hidden_act": "quick_gelu", "layer_norm_eps": 1e-5,
    "eos_token_id": 49407,
}  # fmt: skip
_LAYER = {
    "self_attn.out_proj": "proj",
    "layer_norm1": "norm1",
    "layer_norm2": "norm2",
    "mlp.fc1": "fc1",
    "mlp.fc2": "fc2",
}
_PLACES = {"proj": "attn.proj", "fc1": "mlp.fc1", "fc2": "mlp.fc2", "qkv": "attn.qkv"}
"""What timm calls them in an image tower."""


def read_clip(folder: Path, normalisation: Normalisation | None = None) -> PublishedNetwork:
    """Read the folder of a CLIP, or of its image tower alone.

    normalisation  of the pixels, where the folder does not say it
    raises         UsageError for a file that is missing or broken, and for what this reader does not know
    """
    settings = read_settings(folder / CONFIG)
    prepared = read_preparation(folder)
    said = settings.get("vision_config", {}) if settings["model_type"] == "clip" else settings
    tower = _Tower(folder, read_tensors(folder), "vision_model", _VISION | said)
    weights = _image_tower(tower)
    shared = len(weights["shared.weight"])
    pixels = one_normalisation(folder, normalisation_of(folder, prepared), normalisation)
    try:
        config = ViTConfig(
            classes=1,
            image_size=size_of(tower.settings["image_size"]),
            patch_size=int(tower.settings["patch_size"]),
            width=int(tower.settings["hidden_size"]),
            depth=tower.depth,
            heads=int(tower.settings["num_attention_heads"]),
            mlp_width=int(tower.settings["intermediate_size"]),
            channels=int(tower.settings["num_channels"]),
            mean=pixels.mean,
            std=pixels.std,
            norm_epsilon=float(tower.settings["layer_norm_eps"]),
            activation=_image_activation(folder, tower.settings["hidden_act"]),
            first_norm=True,
            shared_width=shared,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{folder / CONFIG} describes a network that cannot be built: {error}") from error
    text = _text(folder, tower.given, settings.get("text_config", {})) if settings["model_type"] == "clip" else None
    rest = tuple(sorted(name for name in tower.given if not name.endswith("position_ids")))
    return PublishedNetwork(
        config, with_empty_head(weights, shared), (UNNAMED,), input_of(folder, config, prepared), rest, text
    )


class _Tower:
    """The tensors of one tower, taken out one by one."""

    def __init__(self, folder: Path, given: Weights, name: str, settings: Mapping[str, Any]) -> None:
        self.folder, self.given, self.name, self.settings = folder, given, name, settings
        self.depth = int(settings["num_hidden_layers"])

    def take(self, name: str) -> Any:
        """A tensor of the file by its whole name."""
        if name not in self.given:
            raise UsageError(f"{self.folder / TENSORS} lacks {name!r}; download it again, or give a plain CLIP")
        return self.given.pop(name)

    def layer(self, ours: str, theirs: str) -> Weights:
        """Weight and bias."""
        return {f"{ours}.{part}": self.take(f"{self.name}.{theirs}.{part}") for part in ("weight", "bias")}

    def block(self, index: int) -> Weights:
        """The tensors of a block, named as `_LAYER` says."""
        name = f"encoder.layers.{index}"
        found: Weights = {}
        for part in ("weight", "bias"):
            thirds = [self.take(f"{self.name}.{name}.self_attn.{third}_proj.{part}") for third in "qkv"]
            found[f"qkv.{part}"] = np.concatenate(thirds)
        for theirs, ours in _LAYER.items():
            found |= self.layer(ours, f"{name}.{theirs}")
        return found


def _image_tower(tower: _Tower) -> Weights:
    """Under timm's names. Its patches have no bias."""
    start = "vision_model.embeddings"
    found: Weights = {
        "cls_token": tower.take(f"{start}.class_embedding")[None, None],
        "pos_embed": tower.take(f"{start}.position_embedding.weight")[None],
        "patch_embed.proj.weight": tower.take(f"{start}.patch_embedding.weight"),
        "shared.weight": tower.take("visual_projection.weight"),
    }
    found["patch_embed.proj.bias"] = np.zeros(len(found["patch_embed.proj.weight"]), np.float32)
    found |= tower.layer("norm_pre", "pre_layrnorm") | tower.layer("norm", "post_layernorm")
    for i in range(tower.depth):
        for name, array in tower.block(i).items():
            layer, _, part = name.partition(".")
            found[f"blocks.{i}.{_PLACES.get(layer, layer)}.{part}"] = array
    return found


def _image_activation(folder: Path, name: str) -> Activation:
    found: dict[str, Activation] = {each: each for each in get_args(Activation)}
    if name not in found:
        raise UsageError(f"{folder} has the activation {name!r}; allowed: {', '.join(found)}")
    return found[name]


def _text(folder: Path, given: Weights, said: Mapping[str, Any]) -> PublishedText:
    tower = _Tower(folder, given, "text_model", _TEXT | dict(said))
    activation, end = tower.settings["hidden_act"], int(tower.settings["eos_token_id"])
    if activation not in ACTIVATIONS:
        raise UsageError(
            f"{folder} has a text tower with the activation {activation!r}; allowed: {', '.join(ACTIVATIONS)}"
        )
    found: Weights = {
        "token_embedding": tower.take("text_model.embeddings.token_embedding.weight"),
        "position": tower.take("text_model.embeddings.position_embedding.weight"),
        "projection": tower.take("text_projection.weight"),
    }
    found |= tower.layer("norm", "final_layer_norm")
    for i in range(tower.depth):
        found |= {f"blocks.{i}.{name}": array for name, array in tower.block(i).items()}
    sizes = TextSizes(
        tower.depth, int(tower.settings["num_attention_heads"]), activation, float(tower.settings["layer_norm_eps"]),
        None if end == LEGACY_END else end,
    )  # fmt: skip
    scale = min(MOST_SCALE, math.exp(float(tower.take("logit_scale"))))  # CLIP, section 2.5: it is clipped there
    return PublishedText(AboutTower(sizes, scale), found, _tokenizer(folder))


def _tokenizer(folder: Path) -> str:
    try:
        return (folder / TOKENIZER).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{folder / TOKENIZER} cannot be read ({error}); a text tower needs it, so put it beside {TENSORS}"
        ) from error
