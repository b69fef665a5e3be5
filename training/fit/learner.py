"""The Keras side of a run: a network with its optimiser and loss. Batches in, weights out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from vitcam_training.data.augment import Images
from vitcam_training.data.batches import Batch
from vitcam_training.fit.cross_entropy import CrossEntropy
from vitcam_training.fit.data_parallel import predictor
from vitcam_training.fit.distil import DistilLoss, Teacher, accuracy
from vitcam_training.fit.many_steps import ManySteps
from vitcam_training.fit.optimiser import LayerwiseAdamW, LayerwiseMuon, decaying, in_blocks, layer_scales
from vitcam_training.recipes.recipe import Recipe, TrainRecipe
from vitcam_training.vit import Tensor, ViT
from vitcam_training.weights.checkpoints import Weights, in_head, load_into, to_timm


class Logits(keras.Model):  # type: ignore[misc]
    """A network without its taps, (B, H, W, 3) -> (B, C): Keras' training step wants one output."""

    def __init__(self, vit: ViT) -> None:
        super().__init__()
        self.vit = vit

    def call(self, images: Tensor, training: bool = False) -> Tensor:
        return self.vit(images, training=training)[0]


class Learner:
    """A network that is trained step by step, and its averaged weights, which are what is tested and exported."""

    def __init__(
        self,
        vit: ViT,
        recipe: Recipe,
        teacher: Teacher | None = None,
        adjustment: NDArray[np.float32] | None = None,
        origin: Weights | None = None,
        named: Callable[[Any], Weights] = to_timm,
    ) -> None:
        _freeze(vit, recipe.train.frozen_blocks)
        self.vit, self.model, self._named = vit, Logits(vit), named
        self.optimizer = _optimizer(vit, recipe.train)
        self._teacher, self._distil = teacher, recipe.distil
        loss = hard = CrossEntropy(recipe.train.label_smoothing, adjustment)
        if recipe.distil:
            loss = DistilLoss(recipe.distil, hard, teacher.knows if teacher else None)
        self._many = partial(ManySteps, vit, self.optimizer, loss)
        self.model.compile(self.optimizer, loss, metrics=[accuracy], jit_compile=keras.backend.backend() != "torch")
        self.optimizer.build(self.model.trainable_variables)
        self.predict = predictor(self.model)
        self._start_share = recipe.train.start_share
        self._start = origin if origin and self._start_share else {}

    @property
    def learning_rate(self) -> float:
        """Of the last step."""
        return float(self.optimizer.learning_rate)

    def step(self, images: Images, targets: NDArray[np.float32], learning_rate: float) -> tuple[float, float]:
        """Train on one batch.

        images   (B, H, W, 3) uint8 RGB, targets (B, C) float32 whose rows sum to 1
        returns  mean loss, and the share of right answers
        """
        self.optimizer.learning_rate = learning_rate
        self.model.reset_metrics()  # backends differ in whether they add up over batches
        loss, right = map(float, self.model.train_on_batch(images, self._with_soft_labels(images, targets)))
        return loss, right

    def steps(self, batches: Sequence[Batch], learning_rates: Sequence[float], room: int) -> list[tuple[float, float]]:
        """Train on several batches in one call.

        batches  of `step`: (B, H, W, 3) and (B, C)
        room     for how many batches the call is compiled
        returns  what `step` does, for each
        """
        if room == 1:
            return [self.step(*batches[0], learning_rates[0])]
        taught = [(images, self._with_soft_labels(images, targets)) for images, targets in batches]
        found = self._at_once(taught, learning_rates, room)
        self.optimizer.learning_rate = learning_rates[-1]
        return found

    @cached_property
    def _at_once(self) -> ManySteps:
        return self._many()

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """The model with its averaged weights in place of those that are trained, the start's share mixed in.

        The head takes no part: its rows for new labels began with nothing.
        """
        self.optimizer.swap()
        averages = to_timm(self.vit) if self._start else {}
        share = self._start_share
        mixed = {
            name: share * self._start[name] + (1 - share) * average
            for name, average in averages.items()
            if not in_head(name)
        }
        if mixed:
            load_into(self.vit, averages | mixed)
        try:
            yield
        finally:
            if mixed:
                load_into(self.vit, averages)
            self.optimizer.swap()

    def weights(self) -> Weights:
        """The averaged weights by their names: the trained model. Those of a ViT have timm's, (out, in) where dense."""
        with self.averaged():
            return self._named(self.vit)

    def variables(self) -> dict[str, Any]:
        """All that changes while it trains, the states of Keras' random generators too, by its name in the state."""
        optimizer = self.optimizer.variables[: -len(self.optimizer.averages)]
        named = {f"variable{i}": variable for i, variable in enumerate([*self.model.variables, *optimizer])}
        return named | {f"average{i}": variable for i, variable in enumerate(self.optimizer.averages)}

    def _with_soft_labels(self, images: Images, targets: NDArray[np.float32]) -> NDArray[np.float32]:
        """Targets (B, C), with the teacher's behind them where there is one: (B, 2 C)."""
        if not (self._teacher and self._distil):
            return targets
        soft = self._teacher.soft_labels(images, self._distil.temperature)
        nothing = (targets == targets[:, :1]).all(axis=-1) & (targets[:, 0] > 0)  # whatever the teacher says
        soft[nothing] = targets[nothing]
        return np.hstack([targets, soft])


def _freeze(vit: ViT, blocks: int) -> None:
    """Let the first blocks, and what is before them, keep their weights: then no gradient is worked out for them."""
    if blocks == 0:
        return
    vit.patch_embedding.trainable = False
    if vit.config.has_cls_token:
        vit.cls_token.trainable = False
    if vit.config.pooling == "distilled":
        vit.dist_token.trainable = False
    if vit.config.registers:
        vit.registers.trainable = False
    if vit.config.position == "learned":
        vit.position.trainable = False
    for block in vit.blocks[:blocks]:
        block.trainable = False


def _optimizer(vit: ViT, train: TrainRecipe) -> Any:
    make = partial(LayerwiseMuon, in_blocks(vit)) if train.optimiser == "muon" else LayerwiseAdamW
    decays = {variable.path for variable in vit.trainable_variables} if train.decay_all else decaying(vit)
    return make(
        layer_scales(vit, train.layer_decay), decays, train.weight_decay, train.decoupled, train.average,
        learning_rate=0.0, global_clipnorm=train.clip_norm or None, epsilon=train.epsilon,
    )  # fmt: skip
