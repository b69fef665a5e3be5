"""The training loop: batches in, a checkpoint and a line of a CSV log out after every epoch.

A run lives in a folder: `state.npz` (all that it takes to continue exactly, at any step), `weights.safetensors` (the
averaged weights, what is exported), `log.csv`. Keras computes; no TensorFlow is imported unless it is the backend.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from itertools import islice

import keras
import numpy as np

from vitcam.errors import UsageError, VitcamError
from vitcam_training.data.batches import Batch, training_batches
from vitcam_training.data.dataset import Sample
from vitcam_training.fit.cross_entropy import adjustment
from vitcam_training.fit.data_parallel import check_folder, check_same_step, in_all_processes, is_first, wait_for_all
from vitcam_training.fit.display import Display
from vitcam_training.fit.learner import Learner
from vitcam_training.fit.logs import EventWriter, add_line, history, read_log, trim_log
from vitcam_training.fit.many_steps import batches_at_once
from vitcam_training.fit.optimiser import learning_rate
from vitcam_training.fit.scoring import Score, score_photos
from vitcam_training.fit.session import Session, Stop, Stopped
from vitcam_training.fit.stage import Stage
from vitcam_training.fit.state import STATE, RunPosition, load_state, save_state
from vitcam_training.weights.checkpoints import read_weights, save_weights
from vitcam_training.weights.metadata import PLANNED, Metadata

log = logging.getLogger(__name__)

WEIGHTS = "weights.safetensors"
SETTINGS = "settings"  # in the state, beside the variables


class FitRun:
    """The training of one stage. Made again with the same stage, it continues where it stopped."""

    def __init__(self, stage: Stage) -> None:
        _ = stage.plan  # where the devices cannot share a batch, this refuses it before anything is built
        self.stage = stage
        adjusted = adjustment(stage.dataset, stage.recipe.train)
        self.learner = Learner(stage.vit, stage.recipe, stage.teacher, adjusted, stage.origin, stage.named)
        self.position = RunPosition()
        check_folder(stage.folder)
        self._resume()
        check_same_step((self.position.epoch, self.position.step))

    def train(self, session: Session | None = None) -> None:
        """Train up to the recipe's last epoch, saving after each, every few minutes between, and before it leaves.

        raises  UsageError if the photos do not suffice; Stopped if the session ends it early, saved; VitcamError if
                the loss is not a number any more
        """
        stage = self.stage
        stage.check_photos()
        session = in_all_processes(session or Session())
        if self._finished:
            log.info("%s: nothing is left to train; another folder (--out) starts a new run", stage.folder)
        with ExitStack() as stack:
            stack.enter_context(session.stop)
            events = stack.enter_context(EventWriter(stage.folder, self._done)) if session.tensorboard else None
            display = stack.enter_context(Display(stage.work, self._done, stage.later, session.quiet))
            try:
                while not self._finished:
                    self._epoch(session, display, events)
            except Stopped as stopped:
                self._save_state()
                place = f"in epoch {self.position.epoch + 1} of {stage.work.epochs}"
                place += f" after step {self.position.step} of {stage.work.steps}"
                text = f"{stopped}: stopped {place}, saved in {stage.folder}; run the same command to continue"
                raise Stopped(text, stopped.exit_code) from None
        self._save_weights(fresh=not stage.recipe.train.patience)  # what they say of themselves may have changed

    def score(self, samples: Sequence[Sample], stop: Stop | None = None, display: Display | None = None) -> Score:
        """Loss and accuracy of the averaged weights on photos. Raises Stopped if `stop` says so in between."""
        return score_photos(self.learner, samples, self.stage.plan, stop, display)

    def log(self) -> list[dict[str, str]]:
        """The lines of `log.csv`, one an epoch, by `COLUMNS`."""
        return read_log(self.stage.folder)

    def epoch_steps(self) -> Generator[float, None, None]:
        """Train the batches that are left of the epoch; yields the loss of each, or of the last of several at once.

        raises  VitcamError if a loss is not a number any more
        """
        stage, train, start = self.stage, self.stage.recipe.train, self.position
        batches = training_batches(
            stage.dataset.parts["train"], stage.plan, stage.recipe.augment, start.epoch, train.per_label,
            first=start.step, others=stage.others,
        )  # fmt: skip
        started_s = time.monotonic()
        with closing(batches):
            for some, room in _grouped(batches):
                rates = [learning_rate(self._done + i, stage.work.steps, train) for i in range(len(some))]
                for loss, right in self.learner.steps(some, rates, room):
                    if not math.isfinite(loss):
                        raise VitcamError(
                            f"the loss is {loss} in epoch {start.epoch + 1} at step {self.position.step + 1}: training "
                            "diverged; run it again with a smaller learning_rate, or with clip_norm = 1.0"
                        )
                    now_s = time.monotonic()
                    self.position = self.position.after_step(stage.work.steps, loss, right, now_s - started_s)
                    started_s = now_s
                yield loss

    @property
    def _done(self) -> int:
        """Steps of the run that lie behind it."""
        return self.position.epoch * self.stage.work.steps + self.position.step

    @property
    def _finished(self) -> bool:
        return self.position.epoch >= self.stage.recipe.train.epochs or self._overdue(self.position.epoch)

    def _overdue(self, epoch: int) -> bool:
        """Whether nothing has become better for as long as patience lasts."""
        patience = self.stage.recipe.train.patience
        return bool(patience and self.position.best_epoch and epoch - self.position.best_epoch >= patience)

    def _epoch(self, session: Session, display: Display, events: EventWriter | None) -> None:
        """Train what is left of an epoch, score it, log it, save it."""
        session.stop.check(gained=False)
        self._train_epoch(session, display, events)
        self._save_state()  # a scoring that is interrupted begins again, the epoch before it does not
        line = self._scored(session.stop, display)
        if is_first():
            add_line(self.stage.folder, line)
        if not session.quiet:
            log.info("epoch %d: %s", self.position.epoch + 1, _in_words(line))
        if events:
            events.add("epoch", self._done, **line)
        better = line.get("calibration_loss", math.inf) < self.position.best_loss
        self.position = self.position.after_epoch(line["calibration_loss"] if better else None)
        if better or not self.stage.recipe.train.patience:
            self._save_weights()
        self._save_state()
        display.epoch_ended()

    def _train_epoch(self, session: Session, display: Display, events: EventWriter | None) -> None:
        saved_s = time.monotonic()
        for loss in self.epoch_steps():
            mean = self._mean
            text = f"epoch {self.position.epoch + 1}/{self.stage.work.epochs}, loss {mean.loss:.3f}"
            display.show(self._done, f"{text}, right {mean.accuracy:.1%}")
            if events:
                events.add("step", self._done, loss=loss, learning_rate=self.learner.learning_rate)
            session.stop.check(gained=True)
            if time.monotonic() - saved_s >= session.save_every_s:
                self._save_state()
                saved_s = time.monotonic()

    def _scored(self, stop: Stop, display: Display) -> dict[str, float]:
        """The line of the log of the epoch that was just trained; without test figures where no scoring is due."""
        train, epoch, started_s = self.stage.recipe.train, self.position.epoch + 1, time.monotonic()
        line = {"epoch": epoch, "train_loss": self._mean.loss, "train_accuracy": self._mean.accuracy}
        if epoch % train.score_every == 0 or epoch == train.epochs or self._overdue(epoch):
            for name, part in {"test": self.stage.tested, "calibration": "calibration"}.items():
                if name == "test" or train.patience:
                    score = self.score(self.stage.dataset.parts[part], stop, display)
                    line |= {f"{name}_loss": score.loss, f"{name}_accuracy": score.accuracy}
        seconds = self.position.seconds + time.monotonic() - started_s
        return line | {"learning_rate": self.learner.learning_rate, "seconds": seconds}

    @property
    def _mean(self) -> Score:
        """Over the epoch so far; a blend counts as its larger half."""
        return Score(self.position.loss / self.position.step, self.position.right / self.position.step)

    def _save_weights(self, fresh: bool = True) -> None:
        """Write the averaged weights, or keep those that were written before, and write the metadata."""
        path = self.stage.folder / WEIGHTS
        weights = self.learner.weights() if fresh else read_weights(path)
        if is_first():
            save_weights(path, weights, self._metadata())
        wait_for_all()

    def _save_state(self) -> None:
        arrays = {name: keras.ops.convert_to_numpy(variable) for name, variable in self.learner.variables().items()}
        arrays[SETTINGS] = np.array(self.stage.settings)
        if is_first():
            save_state(self.stage.folder, self.position, arrays)

    def _resume(self) -> None:
        stage, variables = self.stage, self.learner.variables()
        found = load_state(stage.folder)
        if found is None:
            return
        path, (position, arrays) = stage.folder / STATE, found
        wanted = {name: tuple(variable.shape) for name, variable in variables.items()}
        if wanted != {name: array.shape for name, array in arrays.items() if name in wanted}:
            raise UsageError(f"{path} is of another network or optimiser; give an empty folder, or the same recipe")
        if position.step and position.steps != stage.work.steps:
            raise UsageError(
                f"{path} stands at step {position.step} of an epoch of {position.steps}, and now an epoch has "
                f"{stage.work.steps}; give an empty folder, or the same recipe and photos"
            )
        if str(arrays.get(SETTINGS, stage.settings)) != stage.settings:  # states from before have none
            log.warning("%s was started with other settings; it continues with those of this call", stage.folder)
        for name, variable in variables.items():
            variable.assign(arrays[name])
        self.position = position
        if is_first():
            trim_log(stage.folder, position.epoch)
        log.info("continuing after %d epochs and %d steps", position.epoch, position.step)

    def _metadata(self) -> Metadata:
        """What is known of the network, with the hours that its epochs took on this machine."""
        before, rows = self.stage.metadata, self.log()  # of the stages before; of this one
        known = before.provenance
        hours = known.get("hours", 0) + sum(float(row["seconds"]) for row in rows) / 3600
        epochs = known.get("epochs", 0) + (self.position.best_epoch or self.position.epoch)
        return replace(
            before,
            provenance=known | {"epochs": epochs, "hours": round(hours, 2)} | self._planned,
            network=asdict(self.stage.vit.config),
            history=history(rows, before.history),
        )

    @property
    def _planned(self) -> dict[str, int]:
        """The epochs that were planned, as long as some of them are to come."""
        stage = self.stage
        later = sum(each.epochs for each in stage.later)
        if self._finished and not later:
            return {}
        return {PLANNED: stage.metadata.provenance.get("epochs", 0) + stage.recipe.train.epochs + later}


def _grouped(batches: Iterator[Batch]) -> Iterator[tuple[list[Batch], int]]:
    """Batches, as many together as one call trains, with how many it is compiled for."""
    room = 0
    while some := list(islice(batches, room or 1)):
        if not room:
            room = batches_at_once(some[0][0].nbytes)
            some += islice(batches, room - 1)
        yield some, room


def _in_words(line: dict[str, float]) -> str:
    text = f"train loss {line['train_loss']:.3f}"
    if "test_loss" in line:
        text += f", test loss {line['test_loss']:.3f}, test accuracy {line['test_accuracy']:.2%}"
    return f"{text}, {line['seconds']:.0f} s"
