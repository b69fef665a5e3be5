"""How photos come to a network of Hugging Face's `transformers`, as `preprocessor_config.json` says it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vitcam.errors import UsageError
from vitcam.pictures.resize import InputSpec, ResizeMode
from vitcam_training.config import ViTConfig
from vitcam_training.weights.normalisation import ASK, Normalisation
from vitcam_training.weights.published.network import INTERPOLATION, PREPROCESSING, channels_of, read_settings

FULL = 255.0


def read_preparation(folder: Path) -> dict[str, Any]:
    """What the folder says; nothing where it has no such file. Raises UsageError if it cannot be read."""
    return read_settings(folder / PREPROCESSING) if (folder / PREPROCESSING).is_file() else {}


def normalisation_of(folder: Path, prepared: Mapping[str, Any]) -> Normalisation | None:
    """Of bytes: scaled by `rescale_factor`, then less `image_mean`, then by `image_std`, each unless it is off.

    returns  None if the folder does not say it
    raises   UsageError for numbers that cannot be, and where the scale that a mean is meant for is not told
    """
    place = folder / PREPROCESSING
    scale = FULL * (_factor(place, prepared) if prepared.get("do_rescale", True) else 1.0)
    if not prepared.get("do_normalize", True):
        return _of_bytes(place, (0.0,) * 3, (1.0,) * 3, scale)
    if prepared.get("image_mean") is None or prepared.get("image_std") is None:
        return None
    mean = channels_of(place, "image_mean", prepared["image_mean"])
    std = channels_of(place, "image_std", prepared["image_std"])
    if scale == FULL and max(*mean, *std) <= 1:  # somebody scales the pixels before: by 255, or otherwise
        raise UsageError(
            f"{place} says that pixels are not rescaled, and a mean of {mean[0]:g}, so they are scaled elsewhere; "
            f"remove image_mean from it, and {ASK}"
        )
    return _of_bytes(place, mean, std, scale)


def _factor(place: Path, prepared: Mapping[str, Any]) -> float:
    value = prepared.get("rescale_factor", 1 / FULL)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise UsageError(f"{place} says rescale_factor = {value!r}; a number more than 0 is allowed, such as 1/255")
    return float(value)


def _of_bytes(place: Path, mean: tuple[float, ...], std: tuple[float, ...], scale: float) -> Normalisation:
    """In fractions of 255: what counts for bytes times `scale` / 255."""
    factor = 1.0 if math.isclose(scale, 1.0, rel_tol=1e-6) else scale
    means, stds = ([value / factor for value in values] for values in (mean, std))
    if not all(0 <= value <= 1 for value in means) or not all(1 / FULL - 1e-9 <= value <= 1 for value in stds):
        raise UsageError(
            f"{place} says that pixels have the mean {list(mean)} and the deviation {list(std)} after they were scaled "
            f"by {scale / FULL:.4g}; bytes have a mean of 0 to 1 and a deviation of 0.004 to 1, in fractions of 255"
        )
    red, green, blue = means
    return Normalisation((red, green, blue), (max(stds[0], 1 / FULL), max(stds[1], 1 / FULL), max(stds[2], 1 / FULL)))


def size_of(value: Any) -> tuple[int, int]:
    """Height and width: a number, a pair, or `{"height": …, "width": …}`."""
    if isinstance(value, dict):
        return int(value["height"]), int(value["width"])
    if isinstance(value, list | tuple):
        return int(value[0]), int(value[1])
    return int(value), int(value)


def input_of(folder: Path, config: ViTConfig, prepared: Mapping[str, Any]) -> InputSpec:
    """How photos come to the network's size: squashed to it, or the middle of what was resized to a larger side.

    raises  UsageError for sizes that cannot be
    """
    height, width = config.image_size
    resize: ResizeMode = "squash"
    fraction, size = 1.0, prepared.get("size", {})
    try:
        shortest = size.get("shortest_edge", size.get("height")) if isinstance(size, dict) else size
        if prepared.get("do_center_crop") and shortest:
            resize, fraction = "crop", min(1.0, min(size_of(prepared.get("crop_size", height))) / int(shortest))
        return InputSpec(height, width, resize, round(fraction, 4), INTERPOLATION)
    except (KeyError, IndexError, TypeError, ValueError, ArithmeticError) as error:
        raise UsageError(f"{folder / PREPROCESSING} describes an input that cannot be: {error}") from error
