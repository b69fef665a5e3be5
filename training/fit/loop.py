"""The training loop: batches in, a checkpoint and a line of a CSV log out after every epoch.

A run lives in a folder: `state.npz` (all that it takes to go on exactly, at any step), `weights.safetensors` (the
averaged weights, what is exported), `log.csv`. Keras computes; no TensorFlow is imported unless it is the backend.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import keras
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import UsageError, VitcamError
from vitcam_training.data.augment import Images
from vitcam_training.data.batches import BatchPlan, plain_batches, training_batches
from vitcam_training.data.dataset import Dataset, Sample
from vitcam_training.fit.csv_log import add_line, history, read_log, trim_log
from vitcam_training.fit.data_parallel import (
    as_first,
    check_folder,
    check_together,
    is_first,
    predictor,
    share,
    together,
    wait,
)
from vitcam_training.fit.display import Display
from vitcam_training.fit.distil import DistilLoss, Teacher, accuracy
from vitcam_training.fit.event_files import EventWriter
from vitcam_training.fit.optimiser import (
    LayerwiseAdamW,
    LayerwiseMuon,
    decaying,
    in_blocks,
    layer_scales,
    warmup_cosine,
)
from vitcam_training.fit.remaining import StageWork, photo_cost
from vitcam_training.fit.session import Session, Stop, Stopped
from vitcam_training.fit.state import STATE, Place, load_state, save_state
from vitcam_training.recipes.fingerprint import fingerprint
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.vit import Tensor, ViT
from vitcam_training.weights.checkpoints import Weights, read_weights, save_weights, to_timm
from vitcam_training.weights.metadata import PLANNED, Metadata

log = logging.getLogger(__name__)

WEIGHTS = "weights.safetensors"
SETTINGS = "settings"  # in the state, beside the variables


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


class FitRun:
    """One training run in one folder; make it anew with the same arguments and it goes on where it stopped."""

    def __init__(
        self,
        vit: ViT,
        dataset: Dataset,
        recipe: Recipe,
        folder: Path,
        about: Metadata,
        teacher: Teacher | None = None,
        later: Sequence[StageWork] = (),
    ) -> None:
        """Later: the stages that follow this one."""
        self.vit, self.dataset, self.recipe, self.folder, self.about = vit, dataset, recipe, folder, about
        self.teacher, self.later = teacher, later
        train = recipe.train
        self.plan = BatchPlan(
            recipe.spec, len(dataset.labels), train.batch_size, recipe.seed, train.loader_threads,
            share(train.batch_size),
        )  # fmt: skip
        self.model = Logits(vit)
        make = partial(LayerwiseMuon, in_blocks(vit)) if train.optimiser == "muon" else LayerwiseAdamW
        self.optimizer = make(
            layer_scales(vit, train.layer_decay), decaying(vit), train.weight_decay, train.decoupled, train.average,
            learning_rate=0.0, global_clipnorm=train.clip_norm or None,
        )  # fmt: skip
        loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=train.label_smoothing)
        if recipe.distil:
            loss = DistilLoss(recipe.distil, train.label_smoothing)
        self.model.compile(self.optimizer, loss, metrics=[accuracy], jit_compile=keras.backend.backend() != "torch")
        self.optimizer.build(self.model.trainable_variables)
        self.predict = predictor(self.model)
        self.place = Place()
        check_folder(folder)
        self._resume()
        check_together((self.place.epoch, self.place.step))

    @property
    def steps(self) -> int:
        """Batches of one epoch."""
        return self._work.steps

    def train(self, session: Session | None = None) -> None:
        """Train up to the recipe's last epoch, saving after each, every few minutes between, and before it leaves.

        raises  UsageError if the photos do not suffice; Stopped if the session ends it early, saved; VitcamError if
                the loss is no number any more
        """
        self._check_photos()
        epochs, session = self.recipe.train.epochs, together(session or Session())
        if self._finished:
            log.info("%s: nothing is left to train; another folder (--out) begins anew", self.folder)
        with ExitStack() as stack:
            stack.enter_context(session.stop)
            board = stack.enter_context(EventWriter(self.folder, self._done)) if session.tensorboard else None
            display = stack.enter_context(Display(self._work, self._done, self.later, session.quiet))
            try:
                while not self._finished:
                    self._epoch(session, display, board)
            except Stopped as stopped:
                self._save_state()
                place = f"in epoch {self.place.epoch + 1} of {epochs} after step {self.place.step} of {self.steps}"
                text = f"{stopped}: stopped {place}, saved in {self.folder}; run the same command to go on"
                raise Stopped(text, stopped.exit_code) from None
        self._save_weights(anew=not self.recipe.train.patience)  # what they say of themselves may have changed

    def _check_photos(self) -> None:
        size, name = self.recipe.train.batch_size, self.dataset.name
        if self.steps == 0:
            found = len(self.dataset.parts["train"])
            raise UsageError(
                f"{found} photos to train on do not fill a batch of {size}; give more, or a smaller batch_size"
            )
        if self.recipe.train.patience and not self.dataset.parts.get("calibration"):
            raise UsageError(
                f"patience stops by the loss on a part 'calibration', which {name} does not have; split one off "
                "(heldout is for figures alone), or give patience = 0"
            )

    def score(self, samples: Sequence[Sample], stop: Stop | None = None, display: Display | None = None) -> Score:
        """Loss and accuracy of the averaged weights on photos as the shipped model will see them.

        raises  Stopped if `stop` says so in between
        """
        losses: list[float] = []
        right: list[bool] = []
        with self._averaged(), closing(plain_batches(samples, self.plan)) as batches:
            for images, targets in batches:
                logits = self.predict(images)
                losses += cross_entropy(logits, targets).tolist()
                right += (logits.argmax(-1) == targets.argmax(-1)).tolist()
                if display:
                    display.scored(len(logits))
                if stop:
                    stop.check(gained=False)
        return Score(*as_first(float(np.mean(losses)), float(np.mean(right))))

    def weights(self) -> Weights:
        """The averaged weights under timm's names: the trained model."""
        with self._averaged():
            return to_timm(self.vit)

    def log(self) -> list[dict[str, str]]:
        """The lines of `log.csv`, one an epoch, by `COLUMNS`."""
        return read_log(self.folder)

    @property
    def _work(self) -> StageWork:
        return work(self.recipe, self.dataset)

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

    @property
    def _finished(self) -> bool:
        return self.place.epoch >= self.recipe.train.epochs or self._overdue(self.place.epoch)

    def _overdue(self, epoch: int) -> bool:
        """Whether nothing has become better for as long as patience lasts."""
        patience = self.recipe.train.patience
        return bool(patience and self.place.best_epoch and epoch - self.place.best_epoch >= patience)

    def _epoch(self, session: Session, display: Display, board: EventWriter | None) -> None:
        """Train what is left of an epoch, score it, log it, save it."""
        session.stop.check(gained=False)
        saved_s = time.monotonic()
        for loss in self._steps():
            mean, rate = self._mean, float(self.optimizer.learning_rate)
            text = f"epoch {self.place.epoch + 1}/{self.recipe.train.epochs}, loss {mean.loss:.3f}"
            display.show(self._done, f"{text}, right {mean.accuracy:.1%}")
            if board:
                board.add("step", self._done, loss=loss, learning_rate=rate)
            session.stop.check(gained=True)
            if time.monotonic() - saved_s >= session.save_every_s:
                self._save_state()
                saved_s = time.monotonic()
        self._save_state()  # a scoring that is interrupted begins again, the epoch before it does not
        line = self._scored(session.stop, display)
        if is_first():
            add_line(self.folder, line)
        log.info("epoch %d: %s", self.place.epoch + 1, _in_words(line))
        if board:
            board.add("epoch", self._done, **line)
        better = line.get("calibration_loss", math.inf) < self.place.best_loss
        self.place = self.place.after_epoch(line["calibration_loss"] if better else None)
        if better or not self.recipe.train.patience:
            self._save_weights()
        self._save_state()
        display.epoch_ended()

    def _scored(self, stop: Stop, display: Display) -> dict[str, float]:
        """The line of the log of the epoch that was just trained; without test figures where no scoring is due."""
        train, epoch, started_s = self.recipe.train, self.place.epoch + 1, time.monotonic()
        line = {"epoch": epoch, "train_loss": self._mean.loss, "train_accuracy": self._mean.accuracy}
        if epoch % train.score_every == 0 or epoch == train.epochs or self._overdue(epoch):
            for name, part in {"test": "heldout", "calibration": "calibration"}.items():
                if part == "heldout" or train.patience:
                    score = self.score(self.dataset.parts[part], stop, display)
                    line |= {f"{name}_loss": score.loss, f"{name}_accuracy": score.accuracy}
        seconds = self.place.seconds + time.monotonic() - started_s
        return line | {"learning_rate": float(self.optimizer.learning_rate), "seconds": seconds}

    def _steps(self) -> Iterator[float]:
        """Train the batches that are left of the epoch; yields the loss of each."""
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
                loss, right = map(float, self.model.train_on_batch(images, self._taught(images, targets)))
                if not math.isfinite(loss):
                    raise VitcamError(
                        f"the loss is {loss} in epoch {place.epoch + 1} at step {self.place.step + 1}: training came "
                        "apart; run it again with a smaller learning_rate, or with clip_norm = 1.0"
                    )
                now_s = time.monotonic()
                self.place = self.place.after_step(self.steps, loss, right, now_s - started_s)
                started_s = now_s
                yield loss

    def _taught(self, images: Images, targets: NDArray[np.float32]) -> NDArray[np.float32]:
        """Targets (B, C), with the teacher's behind them where there is one: (B, 2 C)."""
        if not (self.teacher and self.recipe.distil):
            return targets
        return np.hstack([targets, self.teacher.soft_labels(images, self.recipe.distil.temperature)])

    @property
    def _mean(self) -> Score:
        """Over the epoch so far; a blend counts as its larger half."""
        return Score(self.place.loss / self.place.step, self.place.right / self.place.step)

    def _variables(self) -> dict[str, Any]:
        """All that changes while it trains, the states of Keras' random generators too, by its name in the state."""
        optimizer = self.optimizer.variables[: -len(self.optimizer.averages)]
        named = {f"variable{i}": variable for i, variable in enumerate([*self.model.variables, *optimizer])}
        return named | {f"average{i}": variable for i, variable in enumerate(self.optimizer.averages)}

    @property
    def _settings(self) -> str:
        """Which they are; where the photos lie is no matter, they may have moved."""
        return fingerprint(replace(self.recipe, data=""))

    def _save_weights(self, anew: bool = True) -> None:
        """Write the averaged weights, or (not anew) those that were written before, and what is known of them."""
        path = self.folder / WEIGHTS
        weights = self.weights() if anew else read_weights(path)
        if is_first():
            save_weights(path, weights, self._about())
        wait()

    def _save_state(self) -> None:
        arrays = {name: keras.ops.convert_to_numpy(variable) for name, variable in self._variables().items()}
        arrays[SETTINGS] = np.array(self._settings)
        if is_first():
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
        if str(arrays.get(SETTINGS, self._settings)) != self._settings:  # states from before have none
            log.warning("%s was begun with other settings than those of this call; it goes on with these", self.folder)
        for name, variable in variables.items():
            variable.assign(arrays[name])
        if is_first():
            trim_log(self.folder, self.place.epoch)
        log.info("going on after %d epochs and %d steps", self.place.epoch, self.place.step)

    def _about(self) -> Metadata:
        """What is known of the network, with the hours that its epochs took on this machine."""
        known, rows = self.about.provenance, self.log()  # of the stages before; of this one
        hours = known.get("hours", 0) + sum(float(row["seconds"]) for row in rows) / 3600
        epochs = known.get("epochs", 0) + (self.place.best_epoch or self.place.epoch)
        return replace(
            self.about,
            provenance=known | {"epochs": epochs, "hours": round(hours, 2)} | self._planned,
            network=asdict(self.vit.config),
            history=history(rows, self.about.history),
        )

    @property
    def _planned(self) -> dict[str, int]:
        """The epochs that were planned, as long as some of them are to come."""
        later = sum(stage.epochs for stage in self.later)
        if self._finished and not later:
            return {}
        return {PLANNED: self.about.provenance.get("epochs", 0) + self.recipe.train.epochs + later}


def work(recipe: Recipe, dataset: Dataset) -> StageWork:
    """What a stage has to do with these photos."""
    train, labels, parts = recipe.train, len(dataset.labels), dataset.parts
    scored = ["heldout", "calibration"] if train.patience else ["heldout"]
    return StageWork(
        train.epochs,
        (train.per_label * labels or len(parts["train"])) // train.batch_size,
        train.batch_size,
        sum(len(parts.get(part, ())) for part in scored),
        train.score_every,
        photo_cost(recipe.model.config(labels)),
    )


def _in_words(line: dict[str, float]) -> str:
    text = f"train loss {line['train_loss']:.3f}"
    if "test_loss" in line:
        text += f", test loss {line['test_loss']:.3f}, test accuracy {line['test_accuracy']:.2%}"
    return f"{text}, {line['seconds']:.0f} s"


def cross_entropy(logits: NDArray[np.float32], targets: NDArray[np.float32]) -> NDArray[np.float32]:
    """Per row, for targets (B, C) whose rows sum to 1; returns (B,) float32."""
    shifted = logits - logits.max(-1, keepdims=True)
    normaliser = np.log(np.exp(shifted).sum(-1, keepdims=True))
    return np.asarray(((normaliser - shifted) * targets).sum(-1), np.float32)
