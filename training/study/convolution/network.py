"""A small convolutional network (Keras 3, any backend), to compare a ViT with. Nothing exports it.

Its training has the loop, the optimiser, the batches and the loss of a ViT.

In and out as in `vit.py`: camera bytes, (B, H, W, 3) RGB in 0..255 -> `(logits, taps)`. Only what mixes the pixels is
not the ViT's: 3 x 3 convolutions take the place of patches, positions and attention. Normalisation of the pixels,
LayerNorm over the channels of each place (as in ConvNeXt, Liu et al. 2022, arXiv 2201.03545), exact GELU, the mean over
all places and a head that begins with zeros are the same.

Letters in the shape comments: B images, H x W pixels, C channels, F channels of the last layer, K classes.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import keras
import numpy as np
from keras import ops
from numpy.typing import NDArray

from vitcam_training.data.dataset import Dataset
from vitcam_training.fit.loop import FitRun
from vitcam_training.fit.stage import Stage
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.study.convolution.config import SIDE, ConvolutionConfig, ConvolutionRecipe
from vitcam_training.vit import ACTIVATIONS, LUMA, Taps, Tensor
from vitcam_training.weights.metadata import Metadata


class ConvNet(keras.Model):  # type: ignore[misc]
    """The network. `call` returns logits (B, K) and the taps below.

    layer0/output  (B, H / s, W / s, C) what leaves a layer, s being the product of the strides so far
    embedding      (B, F) what the head sees: the mean over all places
    """

    def __init__(self, config: ConvolutionConfig, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.config = config
        policy, epsilon = self.dtype_policy, config.vit.norm_epsilon
        layers = config.layers
        convolution = partial(keras.layers.Conv2D, kernel_size=SIDE, padding="same", dtype=policy)
        self.convolutions = [
            convolution(width, strides=stride, name=f"convolution{i}")
            for i, (width, stride) in enumerate(zip(layers.widths, layers.strides, strict=True))
        ]
        self.norms = [
            keras.layers.LayerNormalization(epsilon=epsilon, name=f"norm{i}", dtype=policy)
            for i in range(len(layers.widths))
        ]
        self.head = keras.layers.Dense(config.classes, kernel_initializer="zeros", name="head", dtype="float32")
        self.build((None, *config.vit.image_size, 3))

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        channels = self.config.vit.channels
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            convolution.build((None, None, None, channels))
            channels = convolution.filters
            norm.build((None, None, None, channels))
        self.head.build((None, channels))

    def call(self, images: Tensor, training: bool = False) -> tuple[Tensor, Taps]:
        taps: Taps = {}
        x = self._normalised(images)  # (B, H, W, C)
        for i, (convolution, norm) in enumerate(zip(self.convolutions, self.norms, strict=True)):
            x = ACTIVATIONS[self.config.vit.activation](norm(convolution(x)))
            taps[f"layer{i}/output"] = x
        x = ops.mean(x, axis=(1, 2))  # (B, F)
        taps["embedding"] = x
        return self.head(x), taps  # (B, K)

    def named_weights(self) -> dict[str, NDArray[np.floating[Any]]]:
        """Every variable by a name, float32, in Keras' layouts: a kernel is (3, 3, in, out)."""
        return {
            "/".join(variable.path.split("/")[-2:]): np.asarray(ops.convert_to_numpy(variable), np.float32)
            for variable in self.variables
        }

    def _normalised(self, images: Tensor) -> Tensor:
        """Bytes (B, H, W, 3) -> (B, H, W, C), as the ViT sees them."""
        vit = self.config.vit
        mean, std = (ops.array(values, "float32") for values in (vit.mean, vit.std))
        x = ops.cast((ops.cast(images, "float32") / 255.0 - mean) / std, self.compute_dtype)
        return ops.sum(x * ops.array(LUMA, x.dtype), axis=-1, keepdims=True) if vit.channels == 1 else x


def prepare_convolutional(recipe: Recipe, layers: ConvolutionRecipe, folder: Path, dataset: Dataset) -> FitRun:
    """The run of a network with these layers, which takes everything else from the recipe of a ViT.

    It is ready to train, or to continue where the one in `folder` stopped.
    """
    keras.utils.set_random_seed(recipe.seed)
    config = ConvolutionConfig(layers, recipe.model.config(len(dataset.labels)))
    network = ConvNet(config, dtype=keras.dtype_policies.DTypePolicy(recipe.train.precision))
    about = Metadata(f"{recipe.model_name}-convolutional", "to compare a ViT with", dataset.labels, recipe.spec)
    return FitRun(Stage(network, dataset, recipe, folder, about, named=ConvNet.named_weights))
