"""The networks that are compared: a ViT and a CNN of equal size from scratch, the ViT without positions, DeiT-Tiny."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vitcam_training.data.dataset import data_root, missing_data
from vitcam_training.recipes.recipe import Recipe, read_recipe
from vitcam_training.study.convolution.config import ConvolutionRecipe

PRETRAINED = "deit_tiny/deit_tiny_patch16_224.npz"
PRETRAINED_SOURCE = "github.com/facebookresearch/deit"


@dataclass(frozen=True)
class Contestant:
    """One network and how it is trained."""

    name: str
    title: str
    recipe_name: str = "bias"
    model: dict[str, Any] = field(default_factory=dict)
    """Changes of the recipe's [model]."""
    convolution: ConvolutionRecipe | None = None
    """The layers of a convolutional network that takes the ViT's place."""
    pretrained: bool = False
    """It begins with DeiT-Tiny's weights."""

    @property
    def recipe(self) -> Recipe:
        """For any seed."""
        base = read_recipe(self.recipe_name)
        return replace(base, model=replace(base.model, **self.model))


LAYERS = ConvolutionRecipe(widths=(32, 48, 64, 64), strides=(1, 2, 2, 1))

VIT = Contestant("vit", "ViT from scratch")
CNN = Contestant("cnn", "CNN from scratch", convolution=LAYERS)
BARE = Contestant("vit-no-position", "ViT from scratch, no positions", model={"position": "none"})
FINETUNED = Contestant("finetuned", "DeiT-Tiny, fine-tuned", "bias-finetuned", pretrained=True)

CONTESTANTS = {each.name: each for each in (VIT, CNN, BARE, FINETUNED)}


def pretrained_weights() -> Path:
    """DeiT-Tiny's weights. Raises UsageError if they are not there."""
    path = data_root() / PRETRAINED
    if not path.is_file():
        raise missing_data(path, PRETRAINED_SOURCE)
    return path
