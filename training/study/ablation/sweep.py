"""A table of rows, each to be run with several seeds: what is left, run and kept, so that no run is made twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from vitcam_training.recipes.recipe import Recipe, chosen, digits
from vitcam_training.study.ablation.rows import Row
from vitcam_training.study.runs import add_result, read_results, side_by_side

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
    backend: str = ""
    """Of Keras; empty in lines of before."""


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


def jobs(rows: Iterable[Row], base: Recipe, seeds: int) -> list[AblationJob]:
    """Every row with the seeds 1, 2, ...; one seed of all rows before the next, so that what is there compares."""
    return [AblationJob(row, row.recipe(base, seed)) for seed in range(1, seeds + 1) for row in rows]


def unfinished(wanted: Iterable[AblationJob], found: Iterable[RunLine]) -> list[AblationJob]:
    """The jobs that no result is of, settings and all."""
    done = {(result.row, result.seed, result.settings) for result in found}
    return [job for job in wanted if (job.row.name, job.recipe.seed, job.settings) not in done]


AnyRow = TypeVar("AnyRow", bound=Row)
AnyLine = TypeVar("AnyLine", bound=RunLine)


@dataclass(frozen=True)
class Sweep(Generic[AnyRow, AnyLine]):
    """What is to be run, and where it is kept."""

    base: Recipe
    words: tuple[str, ...]
    """What `work` gets between the folder and a row's name and seed."""
    rows: tuple[AnyRow, ...]
    seeds: int
    folder: Path
    kind: Callable[..., AnyLine]
    """Of a result."""
    module: str
    """Its `work` does one run."""

    @property
    def results(self) -> Path:
        """One line a run."""
        return self.folder / "runs.jsonl"

    @property
    def jobs(self) -> list[AblationJob]:
        """Every run of it."""
        return jobs(self.rows, self.base, self.seeds)

    @property
    def left(self) -> list[AblationJob]:
        """Those without a line yet."""
        return unfinished(self.jobs, self._lines())

    @property
    def found(self) -> list[AnyLine]:
        """The lines of its runs, one for each; others in the file are left out."""
        wanted = {(job.row.name, job.recipe.seed, job.settings) for job in self.jobs}
        lines = {(line.row, line.seed, line.settings): line for line in self._lines()}
        return [line for run, line in lines.items() if run in wanted]

    def run(self) -> Iterator[AnyLine]:
        """Run what has no line yet; each result is kept before it is handed out."""
        left = [_Run(job.name, (*self.words, job.row.name, str(job.recipe.seed))) for job in self.left]
        for _, found in side_by_side(left, self.module, self.folder):
            result = self.kind(**found)
            add_result(self.results, result)
            yield result

    def _lines(self) -> list[AnyLine]:
        return read_results(self.results, self.kind)


@dataclass(frozen=True)
class _Run:
    name: str
    words: tuple[str, ...]
