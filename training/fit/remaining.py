"""The time that a run still needs: from the times of steps, scorings and ends of epochs so far, and their number.

It has no clock: its caller says what happened and when.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vitcam_training.config import ViTConfig

FORWARD = 0.4
"""Time to score a photo, as a share of the time to train on it; used until it is measured."""

FEW = 3
"""Steps after which their time is said."""


@dataclass(frozen=True)
class StageWork:
    """The amount of one stage."""

    epochs: int
    steps: int
    """Of an epoch."""
    photos: int
    """Of a step."""
    scored: int = 0
    """Photos of a scoring."""
    score_every: int = 1
    """Epochs from one scoring to the next; the last epoch is always scored."""
    cost: float = 1.0
    """Of one photo, in any unit that all stages share."""

    def scorings(self, behind: int) -> int:
        """How many are left after `behind` epochs."""
        return sum(
            epoch % self.score_every == 0 or epoch == self.epochs for epoch in range(behind + 1, self.epochs + 1)
        )


def photo_cost(config: ViTConfig) -> float:
    """Multiplications that a photo takes on its way through the network."""
    tokens, width = config.tokens, config.width
    dense = tokens * (4 * width * config.attention_width + 2 * width * config.hidden_width)
    return float(config.depth * (dense + 2 * tokens**2 * config.attention_width))


class Remaining:
    """Estimates the seconds that are left from each step, scored batch and epoch that ends.

    The first step and the first scored batch of a stage are left out of the rates: they compile.
    """

    def __init__(self, stage: StageWork, later: Sequence[StageWork], now_s: float) -> None:
        self.stage, self.later = stage, tuple(later)
        self._started_s = self._last_s = now_s
        self._last: Literal["start", "step", "score", "epoch"] = "start"
        self._step_s, self._steps = 0.0, 0
        self._score_s, self._scored = 0.0, 0
        self._compile_s: float | None = None
        self._step_end_s: float | None = None  # of this epoch, if any step of it was done here
        self._end_s, self._ends = 0.0, 0  # of epochs that were scored, after the first
        self._compiled = False  # the scoring
        self._in_scoring = 0  # photos of the scoring that is under way

    def stepped(self, now_s: float) -> None:
        """A training step is done."""
        if self._compile_s is None:
            self._compile_s = now_s - self._started_s
        else:
            self._step_s += now_s - self._last_s
            self._steps += 1
        self._step_end_s = now_s
        self._event("step", now_s)

    def scored(self, photos: int, now_s: float) -> None:
        """A batch of this many photos is scored."""
        if self._last == "score":
            self._score_s += now_s - self._last_s
            self._scored += photos
        self._in_scoring += photos
        self._event("score", now_s)

    def epoch_ended(self, now_s: float) -> None:
        """An epoch is scored, where that was due, and saved."""
        if self._in_scoring and self._step_end_s is not None and self._compiled:
            self._end_s += now_s - self._step_end_s
            self._ends += 1
        self._compiled |= self._in_scoring > 0
        self._in_scoring = 0
        self._event("epoch", now_s)

    def left_s(self, done: int, now_s: float) -> float | None:
        """Seconds until the last stage ends.

        done  steps of this stage that lie behind it
        returns  None as long as no step was measured
        """
        if not self._steps:
            return None
        step, score = self._step_s / self._steps, self._score_per_photo
        stage, behind = self.stage, done // self.stage.steps
        ending = self._last == "score" or (self._last == "step" and done % stage.steps == 0)
        behind -= ending and behind > 0  # its last step is done, its scoring is not
        seconds = (stage.epochs * stage.steps - done) * step
        seconds += stage.scorings(behind) * self._end_of_epoch_s - (self._in_scoring * score if ending else 0)
        seconds += sum(self._of_later_s(each, step, score) for each in self.later)
        return max(0.0, seconds - min(now_s - self._last_s, step))

    def epoch_s(self) -> float | None:
        """Seconds of an epoch with its share of the scorings; None as long as too few steps were measured."""
        if self._steps < FEW:
            return None
        steps_s = self.stage.steps * self._step_s / self._steps
        return steps_s + self._end_of_epoch_s / self.stage.score_every

    def _event(self, kind: Literal["step", "score", "epoch"], now_s: float) -> None:
        self._last, self._last_s = kind, now_s

    @property
    def _score_per_photo(self) -> float:
        if self._scored:
            return self._score_s / self._scored
        return FORWARD * self._step_s / self._steps / self.stage.photos

    @property
    def _end_of_epoch_s(self) -> float:
        return self._end_s / self._ends if self._ends else self.stage.scored * self._score_per_photo

    def _of_later_s(self, stage: StageWork, step: float, score: float) -> float:
        ratio = stage.cost / self.stage.cost
        steps = stage.epochs * stage.steps * step * ratio * stage.photos / self.stage.photos
        return (self._compile_s or 0.0) + steps + stage.scorings(0) * stage.scored * score * ratio
