"""The blocks that learn, their lesson, and how many photos they name rightly."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import keras
import numpy as np
from keras import ops
from numpy.typing import NDArray

from vitcam.interval import wilson
from vitcam_training.data.dataset import Sample
from vitcam_training.study.night.copies import COPIES, Tokens
from vitcam_training.vit import Tensor, ViT

BATCH = 64
SPEED = 1e-4
TEMPERATURE = 2.0
OF_EMBEDDING = 1.0
"""The weight of the distance between what the head reads, beside that between answers: added rows read it, too."""


class Tail(keras.Model):  # type: ignore[misc]
    """(B, T, D), what enters block `first` -> (B, D) what the head reads, (B, R) logits. The head stays as it is."""

    def __init__(self, vit: ViT, first: int) -> None:
        super().__init__(name="tail")
        self.blocks, self.norm, self.head = vit.blocks[first:], vit.norm, vit.head
        self.head.trainable = False

    def call(self, tokens: Tensor, training: bool = False) -> dict[str, Tensor]:
        x = ops.cast(tokens, "float32")
        for block in self.blocks:
            x, _ = block(x, training=training)
        embedding = self.norm(x[:, 0])  # of the class token
        return {"embedding": embedding, "logits": self.head(embedding)}


class _Lesson(keras.utils.PyDataset):  # type: ignore[misc]
    """Batches of pictures by day and in the dark, with the answers by day of each."""

    def __init__(self, by_day: Tokens, dark: Tokens) -> None:
        super().__init__()
        self._tokens, self._by_day = (by_day.tokens, dark.tokens), by_day
        self._order = np.arange(0)
        self.on_epoch_begin()

    def __len__(self) -> int:
        return len(self._order) // BATCH

    def on_epoch_begin(self) -> None:
        self._order = np.random.permutation(sum(map(len, self._tokens)))

    def __getitem__(self, place: int) -> tuple[NDArray[np.float16], dict[str, NDArray[np.float32]]]:
        chosen = np.sort(self._order[place * BATCH : (place + 1) * BATCH])
        days = len(self._tokens[0])
        day, dark = chosen[chosen < days], chosen[chosen >= days] - days
        photo = np.concatenate([day, dark // len(COPIES)])
        raised = np.exp((self._by_day.logits[photo] - self._by_day.logits[photo].max(-1, keepdims=True)) / TEMPERATURE)
        return np.concatenate([self._tokens[0][day], self._tokens[1][dark]]), {
            "embedding": self._by_day.embedding[photo],
            "logits": raised / raised.sum(-1, keepdims=True),
        }


def learn(tail: Tail, by_day: Tokens, dark: Tokens, epochs: int, folder: Path) -> None:
    """Train the blocks. Each epoch is kept in `folder`, and the same call goes on after the last one."""
    keras.utils.set_random_seed(1)
    tail(by_day.tokens[:1])  # it must be built before what is kept is read
    lesson = _Lesson(by_day, dark)
    steps = epochs * len(lesson)
    speed = keras.optimizers.schedules.CosineDecay(0.0, steps, warmup_target=SPEED, warmup_steps=min(100, steps // 4))
    tail.compile(
        keras.optimizers.AdamW(speed, weight_decay=0.01, clipnorm=1.0),
        loss={"embedding": _distance, "logits": _surprise},
        loss_weights={"embedding": OF_EMBEDDING, "logits": TEMPERATURE**2},
    )
    tail.fit(
        lesson,
        epochs=epochs,
        verbose=2,
        shuffle=False,
        callbacks=[keras.callbacks.BackupAndRestore(folder / "epochs", delete_checkpoint=False)],
    )


def _distance(right: Tensor, said: Tensor) -> Tensor:
    return ops.mean(ops.square(said - right), axis=-1) / ops.mean(ops.square(right), axis=-1)


def _surprise(right: Tensor, said: Tensor) -> Tensor:
    return keras.losses.categorical_crossentropy(right, said / TEMPERATURE, from_logits=True)


def values_of(tail: Tail) -> list[NDArray[np.float32]]:
    """The weights that learn, as they are now: matrices (D, M) and vectors (D,)."""
    return [np.array(ops.convert_to_numpy(variable)) for variable in tail.trainable_variables]


def mixed(
    tail: Tail, before: Sequence[NDArray[np.float32]], after: Sequence[NDArray[np.float32]], share: float
) -> None:
    """Set the weights to `share` of those after learning and the rest of those before.

    before, after  as of `values_of`: (D, M) and (D,)
    """
    for variable, old, new in zip(tail.trainable_variables, before, after, strict=True):
        variable.assign((1 - share) * old + share * new)


def right(tail: Tail, tokens: Tokens, samples: Sequence[Sample], rows: NDArray[np.intp]) -> str:
    """The share of photos that the most likely label is right for, with its interval of 95 %.

    rows  (R,) the label of each row of the head
    """
    logits = tail.predict(tokens.tokens, batch_size=BATCH, verbose=0)["logits"]
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    by_label = np.zeros((len(logits), rows.max() + 1), np.float32)
    np.add.at(by_label.T, rows, raised.T)
    count = sum(int(label in sample.right) for label, sample in zip(by_label.argmax(-1), samples, strict=True))
    low, high = wilson(count, len(samples))
    return f"{count / len(samples):.1%} ({low:.1%} to {high:.1%})"
