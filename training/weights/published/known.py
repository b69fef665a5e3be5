"""What is known of published networks by their name, where a file of weights does not say it.

The names are timm's, and the files carry them: `vit_tiny_patch16_224_augreg_in21k_ft_in1k.npz`. A folder of the hub
says how its pixels come itself; none says a temperature.

source  the configurations in timm 1.0.31 (vision_transformer.py, deit.py); for DeiT's crop, its authors' evaluation
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from vitcam_training.weights.normalisation import HALVES, IMAGENET, Normalisation


@dataclass(frozen=True)
class Pixels:
    """How photos come to a network."""

    family: str
    normalisation: Normalisation
    crop_fraction: float
    """Of the short side."""


_FAMILIES: tuple[tuple[str, Pixels], ...] = (
    (r"vit_.*_384_augreg", Pixels("AugReg", HALVES, 1.0)),
    (r"vit_.*_augreg", Pixels("AugReg", HALVES, 0.9)),
    (r"deit_?3_.*(384|2[12]k)", Pixels("DeiT III", IMAGENET, 1.0)),
    (r"deit_?3_", Pixels("DeiT III", IMAGENET, 0.9)),
    (r"deit_.*_384", Pixels("DeiT", IMAGENET, 1.0)),
    (r"deit_(tiny|small|base)_", Pixels("DeiT", IMAGENET, 0.875)),
    (r"vit_.*_dinov2|dinov2_vit", Pixels("DINOv2", IMAGENET, 1.0)),
)
"""Patterns of the beginning of a name; the first that fits counts."""

TEMPERATURES = {
    "vit_tiny_patch16_224_augreg_in21k_ft_in1k": 0.92,
    "deit_tiny_patch16_224_fb_in1k": 0.75,
    "deit_tiny_patch16_224": 0.75,
}
"""Fitted to what is displayed of the 200 photos of `ordinary` that may choose, with everyday words and groups. Of other
networks nobody has measured it."""


def plain_name(name: str) -> str:
    """A network's name in small letters with `_` between its parts, without the checksum that may end a file's."""
    return re.sub(r"_[0-9a-f]{8}$", "", re.sub(r"\W", "_", name.lower()))


def pixels_of(name: str) -> Pixels | None:
    """By a network's name; None: it is of no family that is known here."""
    return next((pixels for pattern, pixels in _FAMILIES if re.match(pattern, plain_name(name))), None)


def temperature_of(name: str) -> float | None:
    """What was measured for a network; None: nothing."""
    return TEMPERATURES.get(plain_name(name))
