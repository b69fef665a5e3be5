"""AdamW for fine-tuning a ViT: no decay on norms, biases and embeddings, and slower layers near the input. It keeps the
running mean of the weights, which is evaluated and shipped. Muon is for training from scratch."""

from __future__ import annotations

import math
import re
from typing import Any

import keras
import numpy as np

from vitcam_training.recipes.recipe import TrainRecipe
from vitcam_training.vit import ViT


class LayerwiseAdamW(keras.optimizers.Adam):  # type: ignore[misc]
    """Adam with decoupled weight decay (Loshchilov & Hutter 2019) and a learning rate of its own for each layer.

    scales     path of a variable -> factor on the learning rate
    decays     paths of the variables that decay
    decoupled  False: the decay joins the gradient (L2), as Adam had it before AdamW
    average    what the running mean keeps of itself at each step (Polyak & Juditsky 1992); 0: the weights themselves
    """

    def __init__(
        self,
        scales: dict[str, float],
        decays: set[str],
        weight_decay: float,
        decoupled: bool = True,
        average: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.scales, self.decays, self.decay_rate, self.decoupled = scales, decays, weight_decay, decoupled
        self.average = average

    def build(self, variables: list[Any]) -> None:
        """Make Adam's two moments of each variable, and its running mean, which begins where the variable is."""
        if self.built:
            return
        super().build(variables)
        self.averages = self.add_optimizer_variables(variables, "average")
        for average, variable in zip(self.averages, variables, strict=True):
            average.assign(_copy(variable))  # a copy: JAX gives a buffer away once only

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        path = self._path(variable)
        rate = learning_rate * self.scales[path]
        if path in self.decays:
            if self.decoupled:
                self.assign(variable, variable * (1.0 - rate * self.decay_rate))
            else:
                gradient = gradient + self.decay_rate * variable
        self.step(gradient, variable, rate)
        average, steps = (
            self.averages[self._get_variable_index(variable)],
            keras.ops.cast(self.iterations + 1, "float32"),
        )
        kept = keras.ops.minimum(self.average, steps / (steps + 10))  # forgets the start quickly
        self.assign_add(average, keras.ops.cast(1 - kept, average.dtype) * (variable - average))

    def _path(self, variable: Any) -> str:
        """Of a variable; TensorFlow hands over its own, which has none."""
        return str(self._trainable_variables[self._get_variable_index(variable)].path)

    def step(self, gradient: Any, variable: Any, rate: Any) -> None:
        """Change a variable along its gradient: as Adam does."""
        super().update_step(gradient, variable, rate)

    def swap(self) -> None:
        """Exchange the weights and their running means. Call it again to undo."""
        for average, variable in zip(self.averages, self._trainable_variables, strict=True):
            mean, current = _copy(average), _copy(variable)
            variable.assign(mean)
            average.assign(current)


class LayerwiseMuon(LayerwiseAdamW):
    """The same, but the matrices within the blocks take steps whose singular values are all about 1 (Muon).

    Adam's steps lie in few directions; these move all of them, and from scratch a ViT learns as much in fewer steps.
    Steps are as long as Adam's are usually, so that learning rate and decay mean the same.

    turned  paths of those matrices
    source  Jordan et al. 2024 (kellerjordan.github.io/posts/muon); for the length Liu et al. 2025 (arXiv 2502.16982)
    """

    def __init__(self, orthogonalised: set[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.orthogonalised = orthogonalised
        self.rule = keras.optimizers.Muon(momentum=0.95)

    def step(self, gradient: Any, variable: Any, rate: Any) -> None:
        if self._path(variable) not in self.orthogonalised:
            super().step(gradient, variable, rate)
            return
        kept, momentum = self.rule.momentum, self._momentums[self._get_variable_index(variable)]
        self.assign(momentum, kept * momentum + gradient)
        ahead = gradient + kept * momentum  # Nesterov's
        orthogonalised = self.rule.zeropower_via_newtonschulz5(ahead, self.rule.ns_steps)
        self.assign_sub(variable, rate * self.rule.lr_adjust(orthogonalised))


def layer_scales(model: ViT, layer_decay: float) -> dict[str, float]:
    """Path of each variable -> factor on its learning rate: 1 for head and final norm, `layer_decay` less a block.

    source  Bao et al. 2021, BEiT (arXiv 2106.08254)
    """
    depth = model.config.depth
    scales = {}
    for variable in model.trainable_variables:
        block = re.search(r"block(\d+)/", variable.path)
        layer = (
            int(block[1]) + 1 if block else depth + 1 if re.search(r"/(norm|pre_logits|head)/", variable.path) else 0
        )
        scales[variable.path] = layer_decay ** (depth + 1 - layer)
    return scales


def decaying(model: ViT) -> set[str]:
    """Paths of the matrices: norms, biases, class token and position embedding do not decay."""
    return {variable.path for variable in model.trainable_variables if variable.path.endswith("/kernel")}


def in_blocks(model: ViT) -> set[str]:
    """Paths of the matrices within the blocks: neither patch embedding nor head."""
    return {path for path in decaying(model) if re.search(r"block\d+/", path)}


def learning_rate(step: int, epoch_steps: int, train: TrainRecipe) -> float:
    """Of a step: it rises evenly over the warm-up, then does what the recipe's schedule says.

    epoch_steps  steps of an epoch
    source       cosine: Loshchilov & Hutter 2017 (SGDR, arXiv 1608.03983), equation 5, without restarts
    """
    peak, low, warmup = train.learning_rate, train.final_rate, train.warmup_epochs * epoch_steps
    if train.rate_by_epoch:
        step -= step % epoch_steps
    if step < warmup:
        return peak * min(1.0, (step + 1) / warmup)  # a warm-up may be shorter than a step
    epochs = train.schedule_epochs or train.epochs
    share = (step - warmup) / max(1, epochs * epoch_steps - warmup)  # of what follows the warm-up
    match train.schedule:
        case "linear":
            return low + (peak - low) * (1 - share)
        case "step":
            return float(peak * train.step_factor ** (step // (train.step_epochs * epoch_steps)))
        case "constant":
            return peak
        case _:
            return low + (peak - low) * 0.5 * (1 + math.cos(math.pi * share))


def _copy(variable: Any) -> Any:
    return np.array(keras.ops.convert_to_numpy(variable))
