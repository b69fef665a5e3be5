"""The start of a run: a network with foreign weights and a new head, or one from scratch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import keras

from .checkpoints import config_of, load_into, read_weights
from .recipe import Recipe
from .vit import ViT


def start(recipe: Recipe, labels: int, weights: Path | None) -> ViT:
    """The network that a run begins with.

    weights  a pretrained network: its sizes count, the recipe's input size and drop_path stay; None: from scratch
    raises   UsageError if the weights are missing or of no network that this can build
    """
    keras.utils.set_random_seed(recipe.seed)
    policy = keras.dtype_policies.DTypePolicy(recipe.train.precision)
    if weights is None:
        return ViT(recipe.model.config(labels), dtype=policy)
    given = read_weights(weights)
    found = config_of(given, str(weights))
    config = replace(
        found, classes=labels, image_size=recipe.model.image_size, drop_path=recipe.model.drop_path
    )
    model = ViT(config, dtype=policy)
    load_into(model, given, new_head=found.classes != labels)
    return model
