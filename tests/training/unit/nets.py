"""Small networks with random weights, and what a second implementation of the ViT makes of them."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vitcam.pictures.resize import InputSpec
from vitcam_training.study import reference
from vitcam_training.vit import ViT, ViTConfig
from vitcam_training.weights.checkpoints import Weights, config_of, load_into, to_timm
from vitcam_training.weights.metadata import Metadata
from vitcam_training.weights.normalisation import IMAGENET

SMALL = ViTConfig(classes=5, image_size=(32, 32), patch_size=8, width=128, depth=3, heads=2)

Floats = NDArray[Any]


def small_vit(config: ViTConfig = SMALL, seed: int = 0, scaled: bool = True) -> ViT:
    """Every weight random, norms and biases too, so that no term can vanish unseen."""
    vit = ViT(config, scaled)
    rng = np.random.default_rng(seed)
    weights = {}
    for name, array in to_timm(vit).items():
        noise = rng.normal(0, 0.3 if array.ndim == 1 else array.shape[-1] ** -0.5, array.shape)
        weights[name] = (noise + (1.0 if "norm" in name and name.endswith("weight") else 0.0)).astype(np.float32)
    load_into(vit, weights)
    return vit


def learned(vit: ViT) -> int:
    """How many numbers training changes."""
    return sum(int(np.prod(variable.shape)) for variable in vit.trainable_variables)


def small_about(labels: int = 5, side: int = 32) -> Metadata:
    return Metadata("small", "five things", tuple(f"thing {i}" for i in range(labels)), InputSpec(side, side))


def photos(count: int, config: ViTConfig = SMALL, seed: int = 1) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (count, *config.image_size, 3)).astype(np.uint8)


def reference_vit(weights: Weights, images: NDArray[np.uint8], heads: int) -> tuple[Floats, Floats, Floats]:
    """What `reference.py` makes of weights in timm's layouts that somebody else may have trained.

    returns  logits (B, C), last block's attention (B, h, T, T), class token after the final norm (B, D)
    """
    config = replace(config_of(weights, IMAGENET), heads=heads)
    logits, taps = reference.vit(images, weights, config)
    return logits, taps[f"block{config.depth - 1:02}/attention"], taps["embedding"]
