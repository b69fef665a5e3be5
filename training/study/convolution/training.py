"""The training of a convolutional network that a ViT is compared with: the same loop, optimiser, batches and loss."""

from __future__ import annotations

from pathlib import Path

import keras

from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.stage import Stage
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.study.convolution.config import ConvolutionConfig, ConvolutionRecipe
from vitcam_training.study.convolution.network import ConvNet
from vitcam_training.weights.metadata import Metadata


def prepare_convolutional(recipe: Recipe, layers: ConvolutionRecipe, folder: Path, dataset: Dataset) -> FitRun:
    """The run of a network with these layers, which takes everything else from the recipe of a ViT.

    It is ready to train, or to continue where the one in `folder` stopped.
    """
    keras.utils.set_random_seed(recipe.seed)
    config = ConvolutionConfig(layers, recipe.model.config(len(dataset.labels)))
    network = ConvNet(config, dtype=keras.dtype_policies.DTypePolicy(recipe.train.precision))
    about = Metadata(f"{recipe.model_name}-convolutional", "to compare a ViT with", dataset.labels, recipe.spec)
    return FitRun(Stage(network, dataset, recipe, folder, about, named=ConvNet.named_weights))
