"""How a network's pixels are normalised: part of its configuration, and what foreign weights do not tell.

A network that was trained on (pixel - 0.5) / 0.5 still answers if it is given the mean and deviation of ImageNet, only
worse. So nothing is guessed: a checkpoint of vitcam-train says it, a published file is recognised by its SHA-256, and
for all others the user says it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError
from vitcam_training.config import IMAGENET_MEAN, IMAGENET_STD, Channels


@dataclass(frozen=True)
class Normalisation:
    """(pixel / 255 - mean) / std, for red, green and blue."""

    mean: Channels
    std: Channels


IMAGENET = Normalisation(IMAGENET_MEAN, IMAGENET_STD)
"""Of DeiT, and of most networks that began in PyTorch."""
HALVES = Normalisation((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
"""Of Google's networks, AugReg among them: pixels from -1 to 1."""
OF_DEIT = (
    "a1311bcf", "cd65a155", "b5f2ef4d", "8de9b5d1",  # tiny, small, base and base at 384 px, from their authors
    "a75bc663bdc0c755", "3f9f2b38f939626b",  # tiny, as NumPy archives in float32 and in float16
)  # fmt: skip
"""How the SHA-256 of DeiT's published files begin; the authors' names of the files end with it."""
ASK = (
    "say with --mean and --std how its pixels were normalised: imagenet for DeiT, 0.5 for Google's ViT and for AugReg, "
    "or three fractions of 255 such as 0.48,0.46,0.41"
)


def published_normalisation(path: Path) -> Normalisation | None:
    """The normalisation of a file that its authors published, recognised by its SHA-256. None: it is another file."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return IMAGENET if digest.startswith(OF_DEIT) else None


def parse_normalisation(mean: str | None, std: str | None) -> Normalisation | None:
    """The options `--mean` and `--std`: `imagenet`, one number for all three channels, or three with commas.

    returns  None if neither is given
    raises   UsageError if only one is given, or one is none of these
    """
    if mean is None and std is None:
        return None
    if mean is None or std is None:
        raise UsageError(f"only --{'std' if mean is None else 'mean'} is given; give --mean and --std together")
    return Normalisation(_channels("mean", mean, IMAGENET_MEAN), _channels("std", std, IMAGENET_STD))


def _channels(name: str, text: str, of_imagenet: Channels) -> Channels:
    if text == "imagenet":
        return of_imagenet
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if len(values) not in (1, 3):
        raise UsageError(f"--{name} is {text!r}; allowed: imagenet, a fraction of 255, or three with commas")
    red, green, blue = values * (3 // len(values))
    return red, green, blue
