"""What one run found, and the file that keeps it: a JSON object a line, so that no finished run is run again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from vitcam.errors import UsageError
from vitcam_training.recipes.fingerprint import chosen, digits
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.study.ablation.rows import Row

R = TypeVar("R")

PHOTOS = 10_000  # of the training part, the first ones: few enough to overfit in a minute


@dataclass(frozen=True)
class AblationJob:
    """One row with one seed."""

    row: Row
    recipe: Recipe

    @property
    def name(self) -> str:
        """Distinct for each run; the settings are in it, so that others never pass for these."""
        return f"{self.row.name}-{self.recipe.seed}-{self.settings}"

    @property
    def settings(self) -> str:
        """Fingerprint of what decides the outcome; an option that is added later and left alone does not change it."""
        layers = [chosen(self.row.convolution)] if self.row.convolution else []
        return digits([chosen(self.recipe), self.row.scaled, PHOTOS, *layers])


class RunLine(Protocol):
    """What a line of every kind says: whose it is, and what it took."""

    @property
    def row(self) -> str:
        """The row's name."""

    @property
    def seed(self) -> int:
        """With which it ran."""

    @property
    def settings(self) -> str:
        """Fingerprint of the job."""

    @property
    def cpu_seconds(self) -> float:
        """Of the process that ran it."""


@dataclass(frozen=True)
class Result:
    """One line. Accuracies are fractions of 1."""

    row: str
    seed: int
    settings: str
    parameters: int
    train_accuracy: float
    """Of the last epoch, while it trained."""
    accuracy: float
    """On all test photos, after the last epoch."""
    loss: float
    shuffled_accuracy: float
    """On the same photos, the patches of each in random order."""
    seconds: float
    """By the clock; more than the next where other programs took the core."""
    cpu_seconds: float
    """Of the process that ran it, its start included."""


def jobs(rows: Iterable[Row], base: Recipe, seeds: int) -> list[AblationJob]:
    """Every row with the seeds 1, 2, ...; one seed of all rows before the next, so that what is there compares."""
    return [AblationJob(row, row.recipe(base, seed)) for seed in range(1, seeds + 1) for row in rows]


def read_results(path: Path) -> list[Result]:
    """The results in a file; none if there is no file yet. A last line that was cut off is left out.

    raises  UsageError for a line that is not a result
    """
    return read_lines(path, Result)


def read_lines(path: Path, kind: Callable[..., R]) -> list[R]:
    """The same for results of any kind, which is made of a line's fields."""
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    try:
        return [kind(**json.loads(line)) for line in whole.splitlines()]
    except (json.JSONDecodeError, TypeError) as error:
        raise UsageError(
            f"{path} holds a line that is not a result ({error}); delete it, or give another --out"
        ) from error


def add_result(path: Path, result: Any) -> None:
    """Append a line, in place of one that was cut off.

    result  a dataclass of what JSON can write
    """
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    partial = path.with_suffix(".partial")
    partial.write_text(text[: text.rfind("\n") + 1] + json.dumps(asdict(result)) + "\n", encoding="utf-8")
    partial.replace(path)


def unfinished(wanted: Iterable[AblationJob], found: Iterable[RunLine]) -> list[AblationJob]:
    """The jobs that no result is of, settings and all."""
    done = {(result.row, result.seed, result.settings) for result in found}
    return [job for job in wanted if (job.row.name, job.recipe.seed, job.settings) not in done]
