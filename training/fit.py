"""The training loop: batches in, a checkpoint and a line of a CSV log out after every epoch.

A run lives in a folder: `state.npz` (all that it takes to go on exactly, at any step), `weights.safetensors` (the
averaged weights, what is exported), `log.csv`. Keras computes; no TensorFlow is imported unless it is the backend.
"""

from __future__ import annotations

import csv
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError

from .about import About
from .checkpoints import Weights, save_weights, to_timm
from .data.batches import BatchPlan, plain_batches, training_batches
from .data.dataset import Dataset, Sample
from .display import Display
from .optimiser import LayerwiseAdamW, decaying, layer_scales, warmup_cosine
from .recipe import Recipe
from .session import Session, Stop, Stopped
from .state import STATE, Place, load_state, save_state
from .vit import Tensor, ViT

log = logging.getLogger(__name__)

WEIGHTS = "weights.safetensors"
LOG = "log.csv"
COLUMNS = ("epoch", "train_loss", "train_accuracy", "test_loss", "test_accuracy", "learning_rate", "seconds")


class Logits(keras.Model):  # type: ignore[misc]
    """A ViT without its taps, for Keras' training step, which wants one output."""

    def __init__(self, vit: ViT) -> None:
        super().__init__()
        self.vit = vit

    def call(self, images: Tensor, training: bool = False) -> Tensor:
        return self.vit(images, training=training)[0]


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
            layer_scales(vit, train.layer_decay), decaying(vit), train.weight_decay, train.decoupled, train.average,
            learning_rate=0.0,
        )  # fmt: skip
        loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=train.label_smoothing)
        self.model.compile(self.optimizer, loss, metrics=["accuracy"], jit_compile=keras.backend.backend() != "torch")
        self.optimizer.build(self.model.trainable_variables)
        self.place = Place()
        folder.mkdir(parents=True, exist_ok=True)
        self._resume()

    @property
    def steps(self) -> int:
        """Batches of one epoch."""
        photos, labels = self.dataset.parts["train"], len(self.dataset.labels)
        return (self.recipe.train.per_label * labels or len(photos)) // self.recipe.train.batch_size

    def train(self, session: Session | None = None) -> None:
        """Train up to the recipe's last epoch, saving after each, every few minutes between, and before it leaves.

        raises  UsageError if there are too few photos for a batch; Stopped if the session ends it early, saved
        """
        epochs, session = self.recipe.train.epochs, session or Session()
        if self.steps == 0:
            found, size = len(self.dataset.parts["train"]), self.recipe.train.batch_size
            raise UsageError(
                f"{found} photos to train on do not fill a batch of {size}; give more, or a smaller batch_size"
            )
        if self.place.epoch >= epochs:
            self._save_weights()  # nothing is left to train, but what it says of itself may have changed
        with session.stop, Display(epochs * self.steps, self._done, session.quiet) as display:
            try:
                while self.place.epoch < epochs:
                    self._epoch(session, display)
            except Stopped as stopped:
                self._save_state()
                place = f"in epoch {self.place.epoch + 1} of {epochs} after step {self.place.step} of {self.steps}"
                text = f"{stopped}: stopped {place}, saved in {self.folder}; run the same command to go on"
                raise Stopped(text, stopped.exit_code) from None

    def score(self, samples: Sequence[Sample], stop: Stop | None = None) -> Score:
        """Loss and accuracy of the averaged weights on photos as the shipped model will see them.

        raises  Stopped if `stop` says so in between
        """
        losses: list[float] = []
        right: list[bool] = []
        with self._averaged(), closing(plain_batches(samples, self.plan)) as batches:
            for images, targets in batches:
                logits = np.asarray(self.model.predict_on_batch(images), np.float32)
                losses += cross_entropy(logits, targets).tolist()
                right += (logits.argmax(-1) == targets.argmax(-1)).tolist()
                if stop:
                    stop.check(gained=False)
        return Score(float(np.mean(losses)), float(np.mean(right)))

    def weights(self) -> Weights:
        """The averaged weights under timm's names: the trained model."""
        with self._averaged():
            return to_timm(self.vit)

    def log(self) -> list[dict[str, str]]:
        """The lines of `log.csv`, one an epoch, by `COLUMNS`."""
        with (self.folder / LOG).open(newline="") as file:
            return list(csv.DictReader(file))

    @property
    def _done(self) -> int:
        """Steps of the run that lie behind it."""
        return self.place.epoch * self.steps + self.place.step

    @contextmanager
    def _averaged(self) -> Iterator[None]:
        """The model with its averaged weights in place of those that are trained."""
        self.optimizer.swap()
        try:
            yield
        finally:
            self.optimizer.swap()

    def _epoch(self, session: Session, display: Display) -> None:
        """Train what is left of an epoch, score it, log it, save it."""
        session.stop.check(gained=False)
        saved_s = time.monotonic()
        for trained in self._steps():
            text = f"epoch {self.place.epoch + 1}/{self.recipe.train.epochs}, loss {trained.loss:.3f}"
            display.show(self._done, f"{text}, right {trained.accuracy:.1%}")
            session.stop.check(gained=True)
            if time.monotonic() - saved_s >= session.save_every_s:
                self._save_state()
                saved_s = time.monotonic()
        self._save_state()  # a scoring that is interrupted begins again, the epoch before it does not
        started_s = time.monotonic()
        tested = self.score(self.dataset.parts["heldout"], session.stop)
        self._log(self._mean, tested, self.place.seconds + time.monotonic() - started_s)
        self.place = self.place.after_epoch()
        self._save_weights()
        self._save_state()

    def _steps(self) -> Iterator[Score]:
        """Train the batches that are left of the epoch; yields its mean so far after each."""
        train, photos, place = self.recipe.train, self.dataset.parts["train"], self.place
        total, warmup = train.epochs * self.steps, train.warmup_epochs * self.steps
        batches = training_batches(
            photos, self.plan, self.recipe.augment, place.epoch, train.per_label, first=place.step
        )
        started_s = time.monotonic()
        with closing(batches):
            for images, targets in batches:
                self.optimizer.learning_rate = warmup_cosine(self._done, total, warmup, train.learning_rate)
                self.model.reset_metrics()  # backends differ in whether they add up over batches
                loss, right = map(float, self.model.train_on_batch(images, targets))
                now_s = time.monotonic()
                self.place = self.place.after_step(self.steps, loss, right, now_s - started_s)
                started_s = now_s
                yield self._mean

    @property
    def _mean(self) -> Score:
        """Over the epoch so far; a blend counts as its larger half."""
        return Score(self.place.loss / self.place.step, self.place.right / self.place.step)

    def _variables(self) -> dict[str, Any]:
        """All that changes while it trains, the states of Keras' random generators too, by its name in the state."""
        optimizer = self.optimizer.variables[: -len(self.optimizer.averages)]
        named = {f"variable{i}": variable for i, variable in enumerate([*self.model.variables, *optimizer])}
        return named | {f"average{i}": variable for i, variable in enumerate(self.optimizer.averages)}

    def _save_weights(self) -> None:
        save_weights(self.folder / WEIGHTS, self.weights(), self._about())

    def _save_state(self) -> None:
        arrays = {name: keras.ops.convert_to_numpy(variable) for name, variable in self._variables().items()}
        save_state(self.folder, self.place, arrays)

    def _resume(self) -> None:
        found, variables = load_state(self.folder), self._variables()
        if found is None:
            return
        path, (self.place, arrays) = self.folder / STATE, found
        wanted = {name: tuple(variable.shape) for name, variable in variables.items()}
        if wanted != {name: array.shape for name, array in arrays.items() if name in wanted}:
            raise UsageError(f"{path} is of another network or optimiser; give an empty folder, or the same recipe")
        if self.place.step and self.place.steps != self.steps:
            raise UsageError(
                f"{path} stands at step {self.place.step} of an epoch of {self.place.steps}, and now an epoch has "
                f"{self.steps}; give an empty folder, or the same recipe and photos"
            )
        for name, variable in variables.items():
            variable.assign(arrays[name])
        self._trim_log()
        log.info("going on after %d epochs and %d steps", self.place.epoch, self.place.step)

    def _trim_log(self) -> None:
        """Drop the line of an epoch that was logged and then not saved."""
        path = self.folder / LOG
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
        if self.place.epoch == 0:
            path.unlink(missing_ok=True)
        elif len(lines) > self.place.epoch + 1:
            partial = path.with_suffix(".partial")
            partial.write_text("".join(lines[: self.place.epoch + 1]), encoding="utf-8")
            partial.replace(path)

    def _about(self) -> About:
        """What is known of the network, with the hours that its epochs took on this machine."""
        known = self.about.provenance  # of the stages before
        hours = known.get("hours", 0) + sum(float(row["seconds"]) for row in self.log()) / 3600
        provenance = known | {"epochs": known.get("epochs", 0) + self.place.epoch, "hours": round(hours, 2)}
        earlier = self.about.history
        history = {
            name: [*earlier.get(name, ()), *(float(row[name]) for row in self.log())]
            for name in COLUMNS
            if name != "epoch"
        }
        return replace(self.about, provenance=provenance, network=asdict(self.vit.config), history=history)

    def _log(self, trained: Score, tested: Score, seconds: float) -> None:
        rate = float(self.optimizer.learning_rate)
        row = (self.place.epoch + 1, trained.loss, trained.accuracy, tested.loss, tested.accuracy, rate, seconds)
        path = self.folder / LOG
        fresh = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.writer(file)
            if fresh:
                writer.writerow(COLUMNS)
            writer.writerow([f"{value:.6g}" for value in row])
        log.info(
            "epoch %d: train loss %.3f, test loss %.3f, test accuracy %.2f %%, %.0f s",
            self.place.epoch + 1, trained.loss, tested.loss, 100 * tested.accuracy, seconds,
        )  # fmt: skip


def cross_entropy(logits: NDArray[np.float32], targets: NDArray[np.float32]) -> NDArray[np.float32]:
    """Per row, for targets (B, C) whose rows sum to 1; returns (B,) float32."""
    shifted = logits - logits.max(-1, keepdims=True)
    normaliser = np.log(np.exp(shifted).sum(-1, keepdims=True))
    return np.asarray(((normaliser - shifted) * targets).sum(-1), np.float32)
