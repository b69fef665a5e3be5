"""How photos come to a network of Hugging Face's `transformers`, as `preprocessor_config.json` says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vitcam.pictures.resize import InputSpec, Interpolation, ResizeMode
from vitcam_training.config import ViTConfig
from vitcam_training.weights.normalisation import Normalisation
from vitcam_training.weights.published.network import three

INTERPOLATIONS: dict[int, Interpolation] = {2: "linear", 3: "bicubic"}
"""Pillow's numbers -> ours."""


def normalisation_of(prepared: Mapping[str, Any]) -> Normalisation | None:
    if "image_mean" not in prepared or "image_std" not in prepared or not prepared.get("do_normalize", True):
        return None
    return Normalisation(three(prepared["image_mean"]), three(prepared["image_std"]))


def size_of(value: Any) -> tuple[int, int]:
    """Height and width: a number, a pair, or `{"height": …, "width": …}`."""
    if isinstance(value, dict):
        return int(value["height"]), int(value["width"])
    if isinstance(value, list | tuple):
        return int(value[0]), int(value[1])
    return int(value), int(value)


def input_of(config: ViTConfig, prepared: Mapping[str, Any]) -> InputSpec:
    """How photos come to the network's size: squashed to it, or the middle of what was resized to a larger side."""
    height, width = config.image_size
    interpolation = INTERPOLATIONS.get(prepared.get("resample", 2), "linear")
    resize: ResizeMode = "squash"
    fraction, size = 1.0, prepared.get("size", {})
    shortest = size.get("shortest_edge", size.get("height")) if isinstance(size, dict) else size
    if prepared.get("do_center_crop") and shortest:
        resize, fraction = "crop", min(1.0, min(size_of(prepared.get("crop_size", height))) / int(shortest))
    return InputSpec(height, width, resize, round(fraction, 4), interpolation)
