"""The loss means the same on every backend, within a compiled step as well: Keras' own is another one on TensorFlow."""

from typing import Any

import keras
import numpy as np
import pytest
from keras import ops

from vitcam_training.fit.cross_entropy import CrossEntropy


class Straight(keras.Model):  # type: ignore[misc]
    """One matrix, (B, 2) -> (B, 3), with a softmax behind it or without."""

    def __init__(self, softmax: bool) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(3, use_bias=False, kernel_initializer="zeros")
        self.dense.build((None, 2))
        self.softmax = softmax

    def call(self, x: Any) -> Any:
        found = self.dense(x)
        return ops.softmax(found, axis=-1) if self.softmax else found


def compiled(softmax: bool) -> Straight:
    model = Straight(softmax)
    model.compile(keras.optimizers.SGD(1.0), CrossEntropy(), jit_compile=True)
    return model


def test_probabilities_are_taken_for_logits_and_no_softmax_is_undone() -> None:
    """Keras takes the softmax away again where TensorFlow's graph ends with one: a mistake would not show."""
    model = compiled(softmax=True)
    model.dense.kernel.assign(np.array([[100.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    loss = model.test_on_batch(np.array([[1.0, 0.0]], np.float32), np.array([[1.0, 0.0, 0.0]], np.float32))

    assert float(np.ravel(loss)[0]) == pytest.approx(np.log(1 + 2 / np.e), abs=1e-5)


def test_a_photo_without_a_label_moves_no_weight() -> None:
    """The gradient of TensorFlow's own cross-entropy is right only where the targets of a photo sum to 1."""
    model = compiled(softmax=False)
    x, y = np.ones((2, 2), np.float32), np.zeros((2, 3), np.float32)
    model.train_on_batch(x, y)
    unmoved = ops.convert_to_numpy(model.dense.kernel).copy()
    model.train_on_batch(x, np.array([[1, 0, 0], [0, 0, 0]], np.float32))
    moved = ops.convert_to_numpy(model.dense.kernel).copy()

    np.testing.assert_array_equal(unmoved, 0)
    np.testing.assert_allclose(moved, [[1 / 3, -1 / 6, -1 / 6]] * 2, atol=1e-6)  # the mean over two photos
