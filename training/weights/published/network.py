"""What a published network is, whichever library saved it, and how its files are read."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vitcam.errors import UsageError
from vitcam.model.text.text_file import AboutTower
from vitcam.pictures.resize import InputSpec, Interpolation
from vitcam_training.config import Channels, ViTConfig
from vitcam_training.weights.normalisation import ASK, Normalisation

if TYPE_CHECKING:  # it imports Keras, for which a download has no use
    from vitcam_training.weights.checkpoints import Weights

CONFIG, TENSORS, PREPROCESSING = "config.json", "model.safetensors", "preprocessor_config.json"
"""Files of a folder; timm writes no third one."""
TOKENIZER = "tokenizer.json"
"""Beside them in the folder of a network that reads text, too."""


@dataclass(frozen=True, eq=False)
class PublishedText:
    """The text tower of a network that puts words beside pictures."""

    about: AboutTower
    weights: Weights
    """As `TextTower` takes them."""
    tokenizer: str
    """What `tokenizer.json` holds."""


@dataclass(frozen=True, eq=False)
class PublishedNetwork:
    """A network, and all that was published with it."""

    config: ViTConfig
    weights: Weights
    """Under timm's names, a dense layer's (out, in)."""
    labels: tuple[str, ...]
    """Empty where nothing names them; `UNNAMED` alone for a network without a head."""
    input: InputSpec
    leftovers: tuple[str, ...]
    """Tensors that the network has no place for."""
    text: PublishedText | None = None
    """None: it knows no words."""
    ids: tuple[str, ...] = ()
    """WordNet id of each output, where the publisher says them."""
    name: str = ""
    """What its library calls it, such as `vit_tiny_patch16_224.augreg_in21k_ft_in1k`; empty: nobody says it."""
    family: str = ""
    """By which the pixels are known, where only the name of the file tells it."""


CROP_FRACTION = 0.875
INTERPOLATION: Interpolation = "area"
"""Of most published networks. Whatever their libraries call it, Pillow averages when it shrinks a picture; of vitcam's
three, only `area` does. On frames of 360 and 432 px its answers are nearer to theirs than those with `bicubic`."""
UNNAMED = "unnamed"
"""The one label of a network that came without a head."""


def read_settings(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises UsageError if it cannot be read or is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as JSON ({error}); download the folder again") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path} holds no settings; download the folder again")
    return found


def with_empty_head(weights: Weights, width: int) -> Weights:
    """A head of one label, all zeros, for a network that came without one: (1, D) and (1,)."""
    return weights | {"head.weight": np.zeros((1, width), np.float32), "head.bias": np.zeros(1, np.float32)}


def with_one_head(weights: Weights, first: str, second: str) -> Weights:
    """One head for what two tokens say, side by side: the mean of their two heads, (K, 2 D) and (K,).

    first, second  names of the heads of the class token and of the distillation token
    source         Touvron et al. 2021 (DeiT, arXiv 2012.12877), section 4: their outputs are added
    """
    pairs = {part: [weights[f"{name}.{part}"] for name in (first, second)] for part in ("weight", "bias")}
    others = {name: array for name, array in weights.items() if name.rpartition(".")[0] not in (first, second)}
    head = np.concatenate(pairs["weight"], axis=1) / 2
    return others | {"head.weight": head, "head.bias": np.mean(pairs["bias"], axis=0)}


def one_normalisation(source: Path, said: Normalisation | None, given: Normalisation | None) -> Normalisation:
    """What the source says, or else what the user gives. Raises UsageError if that is nothing, or both."""
    if said and given:
        raise UsageError(f"{source} says itself how its pixels are normalised; leave out --mean and --std")
    found = said or given
    if found is None:
        raise UsageError(f"{source} does not say how pixels are normalised; {ASK}")
    return found


def channels_of(place: Path, name: str, value: Any, channels: int = 3) -> Channels:
    """Red, green and blue, of a list of as many numbers as the network has channels, or of one number for all of them.

    raises  UsageError for anything else
    """
    listed = value if isinstance(value, list | tuple) else [value] * channels
    numbers = [float(each) for each in listed if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(numbers) != len(listed) or len(numbers) != channels or not all(map(math.isfinite, numbers)):
        raise UsageError(f"{place} says {name} = {value!r}; allowed: a number, or a list of {channels}")
    red, green, blue = numbers * (3 // channels)
    return red, green, blue


def check_meaning(folder: Path, settings: Mapping[str, Any]) -> None:
    """Raise UsageError for a head whose outputs do not compete: vitcam's probabilities add up to 1.

    settings  of a network with a head
    """
    kind = settings.get("problem_type")
    if kind == "multi_label_classification":
        raise UsageError(
            f"{folder} holds a network that gives several labels at once (problem_type {kind!r}); vitcam chooses one, "
            "so fine-tune it on photos of one label each, or give another network"
        )
    if kind not in (None, "", "single_label_classification"):
        raise UsageError(
            f"{folder} holds a network for {kind!r} (problem_type); vitcam reads those that choose one label"
        )


def check_outputs(source: object, count: int) -> None:
    """Raise UsageError for a head of one output: there is nothing to choose."""
    if count < 2:
        raise UsageError(
            f"{source} has {count} output, a number or a yes; vitcam chooses among labels, so two are needed at least"
        )
