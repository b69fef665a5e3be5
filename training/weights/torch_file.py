"""Weights that PyTorch saved, `.pth`: read by PyTorch where it is installed, as tensors and nothing else."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError

SUFFIXES = (".pth", ".pt")
HASHED = re.compile(r"-([0-9a-f]{8,64})\.pth?$")
"""The name of a file on torch hub: its end is the start of the file's SHA-256."""
INSIDE = ("model", "state_dict", "model_state_dict")
"""Under which training programs keep the weights beside other things, most common first."""


def read_torch(path: Path) -> dict[str, NDArray[np.float32]]:
    """The tensors of a `.pth` file by their names, a dense layer's (out, in); of a training checkpoint, the network's.

    raises  UsageError if PyTorch is not installed, if the file holds anything but tensors and plain data, or if it is
            not what its name says
    """
    _check_hash(path)
    try:
        import torch
    except ImportError as error:
        raise UsageError(
            f"{path} is a file of PyTorch, which is not installed here: give the same network as .safetensors "
            "(`vitcam-train import timm:NAME` fetches it from the hub), or install PyTorch with: pip install torch"
        ) from error
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # PyTorch raises many kinds, with pages of advice
        raise UsageError(
            f"{path} is damaged, or holds more than weights, which could run a program here; give a file that "
            "torch.save wrote of a state_dict, or .safetensors"
        ) from error
    named = max((_tensors(place) for place in _places(found)), key=len, default={})
    if not named:
        raise UsageError(f"{path} holds no named tensors, neither at its top level nor under {', '.join(INSIDE)}")
    return {name: tensor.detach().float().numpy() for name, tensor in named.items()}


def _places(found: Any) -> list[Any]:
    """Where the weights may lie."""
    return [found, *(found.get(name) for name in INSIDE)] if isinstance(found, dict) else []


def _tensors(place: Any) -> dict[str, Any]:
    """Those tensors that have a name; none of what is no dictionary."""
    import torch

    items = place.items() if isinstance(place, dict) else ()
    return {name: each for name, each in items if isinstance(name, str) and isinstance(each, torch.Tensor)}


def _check_hash(path: Path) -> None:
    named = HASHED.search(path.name)
    if not named:
        return
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if not digest.startswith(named[1]):
        raise UsageError(
            f"the SHA-256 of {path} begins with {digest[: len(named[1])]}, and its name says {named[1]}: it is damaged "
            "or another file; download it again, or rename a file of your own so that its name has no hash"
        )
