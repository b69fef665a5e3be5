"""The training loop: batches in, a checkpoint and a line of a CSV log out after every epoch.

A run lives in a folder: `state.npz` (all that a resumed run needs to go on exactly), `weights.safetensors` (the
averaged weights, what is exported), `log.csv`. Keras computes; no TensorFlow is imported unless it is the backend.
"""

from __future__ import annotations

import csv
import logging
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from vitcam.errors import UsageError

from .about import About
from .checkpoints import Weights, save_weights, to_timm
from .data.batches import BatchPlan, plain_batches, training_batches
from .data.dataset import Dataset, Sample
from .optimiser import LayerwiseAdamW, decaying, layer_scales, warmup_cosine
from .recipe import Recipe
from .vit import Tensor, ViT

log = logging.getLogger(__name__)

WEIGHTS = "weights.safetensors"
COLUMNS = ("epoch", "train_loss", "train_accuracy", "test_loss", "test_accuracy", "learning_rate", "seconds")


class Logits(keras.Model):  # type: ignore[misc]
    """A ViT without its taps, for Keras' training step, which wants one output."""

    def __init__(self, vit: ViT) -> None:
        super().__init__()
        self.vit = vit

    def call(self, images: Tensor, training: bool = False) -> Tensor:
        return self.vit(images, training=training)[0]


class Average:
    """Exponential moving average of the weights (Polyak & Juditsky 1992). In NumPy: 10 ms a step for DeiT-Tiny."""

    def __init__(self, model: ViT, decay: float) -> None:
        self.variables, self.decay, self.steps = model.trainable_variables, decay, 0
        self.values = [_copy(variable) for variable in self.variables]

    def update(self) -> None:
        self.steps += 1
        decay = min(self.decay, self.steps / (self.steps + 10))  # forgets the start quickly
        for value, variable in zip(self.values, self.variables, strict=True):
            value += (1 - decay) * (keras.ops.convert_to_numpy(variable) - value)

    def swap(self) -> None:
        """Exchange the model's weights and the average. Call it again to undo."""
        for i, variable in enumerate(self.variables):
            current = _copy(variable)
            variable.assign(self.values[i])
            self.values[i] = current


@dataclass(frozen=True)
class Score:
    """Mean cross-entropy and share of right answers over a set of photos."""

    loss: float
    accuracy: float


class Run:
    """One training run in one folder; make it anew with the same arguments and it goes on where it stopped."""

    def __init__(self, vit: ViT, dataset: Dataset, recipe: Recipe, folder: Path, about: About) -> None:
        self.vit, self.dataset, self.recipe, self.folder, self.about = vit, dataset, recipe, folder, about
        train = recipe.train
        self.plan = BatchPlan(recipe.spec, len(dataset.labels), train.batch_size, recipe.seed, train.loader_threads)
        self.model = Logits(vit)
        self.optimizer = LayerwiseAdamW(
            layer_scales(vit, train.layer_decay), decaying(vit), train.weight_decay, train.decoupled, learning_rate=0.0
        )
        loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=train.label_smoothing)
        self.model.compile(self.optimizer, loss, metrics=["accuracy"], jit_compile=keras.backend.backend() != "torch")
        self.optimizer.build(self.model.trainable_variables)
        self.average = Average(vit, train.average)
        self.epoch = 0
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "state.npz").is_file():
            self._resume()

    @property
    def steps(self) -> int:
        """Batches of one epoch."""
        photos, labels = self.dataset.parts["train"], len(self.dataset.labels)
        return (self.recipe.train.per_label * labels or len(photos)) // self.recipe.train.batch_size

    def train(self, quiet: bool = False) -> None:
        """Train up to the recipe's last epoch, saving after each. An interruption loses the current epoch only.

        quiet   show no progress bar
        raises  UsageError if there are too few photos for a batch
        """
        epochs = self.recipe.train.epochs
        if self.steps == 0:
            found, size = len(self.dataset.parts["train"]), self.recipe.train.batch_size
            raise UsageError(
                f"{found} photos to train on do not fill a batch of {size}; give more, or a smaller batch_size"
            )
        if self.epoch >= epochs:
            self._save()  # nothing is left to train, but what the checkpoint says of itself may have changed
        with _progress(quiet) as progress:
            task = progress.add_task("", total=epochs * self.steps, completed=self.epoch * self.steps)
            while self.epoch < epochs:
                started = time.monotonic()
                for trained in self._epoch():
                    text = f"epoch {self.epoch + 1}/{epochs}  loss {trained.loss:.3f}  right {trained.accuracy:.1%}"
                    progress.update(task, advance=1, description=text)
                tested = self.score(self.dataset.parts["heldout"])
                self.epoch += 1
                self._log(trained, tested, time.monotonic() - started)
                self._save()

    def score(self, samples: Sequence[Sample]) -> Score:
        """Loss and accuracy of the averaged weights on photos as the shipped model will see them."""
        losses: list[float] = []
        right: list[bool] = []
        self.average.swap()
        try:
            for images, targets in plain_batches(samples, self.plan):
                logits = np.asarray(self.model.predict_on_batch(images), np.float32)
                losses += cross_entropy(logits, targets).tolist()
                right += (logits.argmax(-1) == targets.argmax(-1)).tolist()
        finally:
            self.average.swap()
        return Score(float(np.mean(losses)), float(np.mean(right)))

    def weights(self) -> Weights:
        """The averaged weights under timm's names: the trained model."""
        self.average.swap()
        try:
            return to_timm(self.vit)
        finally:
            self.average.swap()

    def log(self) -> list[dict[str, str]]:
        """The lines of `log.csv`, one an epoch, by `COLUMNS`."""
        with (self.folder / "log.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def _epoch(self) -> Iterator[Score]:
        """Train one epoch; yields the epoch's mean so far, after each batch; a blend counts as its larger half."""
        train, photos = self.recipe.train, self.dataset.parts["train"]
        total, warmup = train.epochs * self.steps, train.warmup_epochs * self.steps
        batches = training_batches(photos, self.plan, self.recipe.augment, self.epoch, train.per_label)
        seen = np.zeros(2)  # sums of loss and accuracy over the batches
        for i, (images, targets) in enumerate(batches):
            step = self.epoch * self.steps + i
            self.optimizer.learning_rate = warmup_cosine(step, total, warmup, train.learning_rate)
            self.model.reset_metrics()  # backends differ in whether they add up over batches
            seen += np.array(self.model.train_on_batch(images, targets), np.float64)
            self.average.update()
            yield Score(*(seen / (i + 1)).tolist())

    def _state(self) -> list[Any]:
        return [*self.model.variables, *self.optimizer.variables]

    def _save(self) -> None:
        save_weights(self.folder / WEIGHTS, self.weights(), self._about())
        state = {f"variable{i}": keras.ops.convert_to_numpy(v) for i, v in enumerate(self._state())}
        state |= {f"average{i}": value for i, value in enumerate(self.average.values)}
        partial = self.folder / "state.partial.npz"
        np.savez(partial, epoch=self.epoch, average_steps=self.average.steps, **state)
        partial.replace(self.folder / "state.npz")  # a run that is killed here still has the epoch before

    def _resume(self) -> None:
        path = self.folder / "state.npz"
        with np.load(path, allow_pickle=False) as state:
            variables = self._state()
            shapes = [state[f"variable{i}"].shape for i in range(len(variables)) if f"variable{i}" in state]
            if shapes != [tuple(v.shape) for v in variables]:
                raise UsageError(f"{path} is of another network or optimiser; give an empty folder, or the same recipe")
            for i, variable in enumerate(variables):
                variable.assign(state[f"variable{i}"])
            self.average.values = [state[f"average{i}"].copy() for i in range(len(self.average.values))]
            self.average.steps, self.epoch = int(state["average_steps"]), int(state["epoch"])
        self._trim_log()
        log.info("resumed after epoch %d", self.epoch)

    def _trim_log(self) -> None:
        """Drop lines of epochs that were logged and then not saved."""
        path = self.folder / "log.csv"
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(lines[: self.epoch + 1]), encoding="utf-8")

    def _about(self) -> About:
        """What is known of the network, with the hours that its epochs took on this machine."""
        known = self.about.provenance  # of the stages before
        hours = known.get("hours", 0) + sum(float(row["seconds"]) for row in self.log()) / 3600
        provenance = known | {"epochs": known.get("epochs", 0) + self.epoch, "hours": round(hours, 2)}
        return replace(self.about, provenance=provenance, network=asdict(self.vit.config))

    def _log(self, trained: Score, tested: Score, seconds: float) -> None:
        rate = float(self.optimizer.learning_rate)
        row = (self.epoch, trained.loss, trained.accuracy, tested.loss, tested.accuracy, rate, seconds)
        path = self.folder / "log.csv"
        fresh = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.writer(file)
            if fresh:
                writer.writerow(COLUMNS)
            writer.writerow([f"{value:.6g}" for value in row])
        log.info(
            "epoch %d: train loss %.3f, test loss %.3f, test accuracy %.2f %%, %.0f s",
            self.epoch, trained.loss, tested.loss, 100 * tested.accuracy, seconds,
        )  # fmt: skip


def cross_entropy(logits: NDArray[np.float32], targets: NDArray[np.float32]) -> NDArray[np.float32]:
    """Per row, for targets (B, C) whose rows sum to 1; returns (B,) float32."""
    shifted = logits - logits.max(-1, keepdims=True)
    normaliser = np.log(np.exp(shifted).sum(-1, keepdims=True))
    return np.asarray(((normaliser - shifted) * targets).sum(-1), np.float32)


def _copy(variable: Any) -> NDArray[np.float32]:
    return np.array(keras.ops.convert_to_numpy(variable), np.float32)


def _progress(quiet: bool) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), disable=quiet)
