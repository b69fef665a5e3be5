"""AdamW as fine-tuning a ViT wants it: no decay on norms, biases and embeddings, slower layers near the input."""

from __future__ import annotations

import math
import re
from typing import Any

import keras

from .vit import ViT


class LayerwiseAdamW(keras.optimizers.Adam):  # type: ignore[misc]
    """Adam with decoupled weight decay (Loshchilov & Hutter 2019) and a learning rate of its own for each layer.

    scales     path of a variable -> factor on the learning rate
    decays     paths of the variables that decay
    decoupled  False: the decay joins the gradient (L2), as Adam had it before AdamW
    """

    def __init__(
        self, scales: dict[str, float], decays: set[str], weight_decay: float, decoupled: bool = True, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.scales, self.decays, self.decay_rate, self.decoupled = scales, decays, weight_decay, decoupled

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        rate = learning_rate * self.scales[variable.path]
        if variable.path in self.decays:
            if self.decoupled:
                self.assign(variable, variable * (1.0 - rate * self.decay_rate))
            else:
                gradient = gradient + self.decay_rate * variable
        super().update_step(gradient, variable, rate)


def layer_scales(model: ViT, layer_decay: float) -> dict[str, float]:
    """Path of each variable -> factor on its learning rate: 1 for head and final norm, `layer_decay` less a block.

    source  Bao et al. 2021, BEiT (arXiv 2106.08254)
    """
    depth = model.config.depth
    scales = {}
    for variable in model.trainable_variables:
        block = re.search(r"block(\d+)/", variable.path)
        layer = int(block[1]) + 1 if block else depth + 1 if re.search(r"/(norm|head)/", variable.path) else 0
        scales[variable.path] = layer_decay ** (depth + 1 - layer)
    return scales


def decaying(model: ViT) -> set[str]:
    """Paths of the matrices: norms, biases, class token and position embedding do not decay."""
    return {variable.path for variable in model.trainable_variables if variable.path.endswith("/kernel")}


def warmup_cosine(step: int, steps: int, warmup: float, peak: float) -> float:
    """Learning rate of a step: linear from 0 to `peak` over `warmup` steps, then half a cosine down to 0."""
    if step < warmup:
        return peak * (step + 1) / warmup
    return peak * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, steps - warmup)))
