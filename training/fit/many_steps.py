"""Many steps of training in one call of JAX: on an accelerator, Python takes longer between two steps than a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from vitcam_training.data.batches import Batch
from vitcam_training.fit.distil import accuracy
from vitcam_training.vit import ViT

BATCHES = 64
BYTES = 1 << 28
"""Of pictures in one call at most: they wait in memory twice."""


def batches_at_once(batch_bytes: int) -> int:
    """How many batches to give to one call: 1 where the processor trains, or several devices, or another backend.

    batch_bytes  of the pictures of a batch
    """
    if keras.backend.backend() != "jax" or keras.distribution.distribution() is not None:
        return 1
    import jax

    return 1 if jax.default_backend() == "cpu" else max(1, min(BATCHES, BYTES // batch_bytes))


class ManySteps:
    """The step of a network with its optimiser and loss, repeated by the device itself."""

    def __init__(self, vit: ViT, optimizer: Any, loss: Callable[[Any, Any], Any]) -> None:
        import jax

        self._vit, self._optimizer = vit, optimizer
        place = next(i for i, variable in enumerate(optimizer.variables) if variable is optimizer._learning_rate)

        def loss_of(weights: Any, rest: Any, images: Any, targets: Any) -> Any:
            (logits, _), rest = vit.stateless_call(weights, rest, images, training=True)
            return loss(targets, logits), (rest, keras.ops.mean(accuracy(targets, logits)))

        def run(state: Any, count: Any, images: Any, targets: Any, rates: Any) -> Any:
            def step(i: Any, carried: Any) -> Any:
                (weights, rest, kept), losses, rights = carried
                kept = [rates[i] if j == place else value for j, value in enumerate(kept)]
                differentiate = jax.value_and_grad(loss_of, has_aux=True)
                (mean, (rest, right)), gradients = differentiate(weights, rest, images[i], targets[i])
                weights, kept = optimizer.stateless_apply(kept, gradients, weights)
                return (weights, rest, kept), losses.at[i].set(mean), rights.at[i].set(right)

            zeros = keras.ops.zeros(len(images))
            return jax.lax.fori_loop(0, count, step, (state, zeros, zeros))

        self._run = jax.jit(run, donate_argnums=0)

    def __call__(self, batches: Sequence[Batch], rates: Sequence[float], room: int) -> list[tuple[float, float]]:
        """Train on each batch in turn.

        batches  pictures (B, H, W, 3) uint8 RGB with targets (B, C) float32
        rates    the learning rate of each step
        room     for how many batches the call is compiled: fewer take the same program
        returns  of each step the mean loss and the share of right answers
        """
        images, targets = (_stacked([batch[i] for batch in batches], room) for i in range(2))
        padded = np.zeros(room, np.float32)
        padded[: len(rates)] = rates
        variables = (
            self._vit.trainable_variables, self._vit.non_trainable_variables, self._optimizer.variables,
        )  # fmt: skip
        state = tuple([variable.value for variable in each] for each in variables)
        state, losses, rights = self._run(state, len(batches), images, targets, padded)
        for each, values in zip(variables, state, strict=True):
            for variable, value in zip(each, values, strict=True):
                variable.assign(value)
        found = zip(np.asarray(losses)[: len(batches)], np.asarray(rights), strict=False)
        return [(float(mean), float(right)) for mean, right in found]


def _stacked(arrays: Sequence[NDArray[Any]], room: int) -> NDArray[Any]:
    """(room, …); what lies behind the arrays is never read."""
    whole = np.empty((room, *arrays[0].shape), arrays[0].dtype)
    np.stack(arrays, out=whole[: len(arrays)])
    return whole
