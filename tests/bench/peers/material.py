"""What every peer is made from and measured on: one set of weights, photos to calibrate by, photos to be asked about.

Files in one folder; the processes of the peers read them, so this imports nothing heavy.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Photos = NDArray[np.uint8]
Answers = NDArray[np.float32]

MEAN_RGB = np.array((0.485, 0.456, 0.406), np.float32)
STD_RGB = np.array((0.229, 0.224, 0.225), np.float32)


@dataclass(frozen=True)
class Material:
    """The folder and what is in it."""

    folder: Path

    @property
    def checkpoint(self) -> Path:
        """DeiT-Tiny as `vitcam-train import` brought it in: timm's names, float32."""
        return self.folder / "deit_tiny.safetensors"

    @property
    def asked(self) -> Path:
        """(n, 224, 224, 3) uint8 RGB: the photos that every peer classifies."""
        return self.folder / "asked.npy"

    @property
    def calibration(self) -> Path:
        """(m, 224, 224, 3) uint8 RGB: other photos, for the quantisers that want some."""
        return self.folder / "calibration.npy"

    @property
    def reference(self) -> Path:
        """(n, C) float32: what the float network in Keras, as it was trained, says of `asked`."""
        return self.folder / "reference.npy"

    def calibration_photos(self) -> Photos:
        """The photos themselves."""
        return np.asarray(np.load(self.calibration), np.uint8)

    def asked_photos(self) -> Photos:
        """The photos themselves."""
        return np.asarray(np.load(self.asked), np.uint8)


def as_floats(photo: NDArray[Any]) -> NDArray[np.float32]:
    """(H, W, 3) uint8 RGB -> (1, H, W, 3) float32, normalised as the network was trained."""
    scaled = (photo.astype(np.float32) / 255 - MEAN_RGB) / STD_RGB
    return np.ascontiguousarray(scaled[None], np.float32)


def as_planes(photo: NDArray[Any]) -> NDArray[np.float32]:
    """(H, W, 3) uint8 RGB -> (1, 3, H, W) float32, normalised: what PyTorch's networks take."""
    return np.ascontiguousarray(as_floats(photo).transpose(0, 3, 1, 2))
