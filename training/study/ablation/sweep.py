"""A table of rows, each to be run with several seeds: what is left, run and kept, so that no run is made twice."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from vitcam_training.data.catalogue import open_dataset
from vitcam_training.provenance import processor
from vitcam_training.recipes.recipe import Recipe
from vitcam_training.study.ablation.page import Conditions
from vitcam_training.study.ablation.result import AblationJob, RunLine, add_result, jobs, read_lines, unfinished
from vitcam_training.study.ablation.rows import Row
from vitcam_training.study.runs import run_all

AnyRow = TypeVar("AnyRow", bound=Row)
AnyLine = TypeVar("AnyLine", bound=RunLine)


@dataclass(frozen=True)
class Sweep(Generic[AnyRow, AnyLine]):
    """What is to be run, and where it is kept."""

    base: Recipe
    recipe: str
    """The name by which each process finds the base."""
    rows: tuple[AnyRow, ...]
    seeds: int
    folder: Path
    kind: type[AnyLine]
    """Of a result."""
    module: str
    """`python -m MODULE FOLDER RECIPE ROW SEED` does one run."""

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
        make: Any = self.kind
        for result in run_all(self.left, self.recipe, self.folder, make, self.module):
            add_result(self.results, result)
            yield result

    def conditions(self, command: str, results: Sequence[RunLine]) -> Conditions:
        """What the figures of these runs hold for."""
        return Conditions(
            command=command,
            date=datetime.date.today().isoformat(),
            machine=processor(),
            epochs=self.base.train.epochs,
            seeds=self.seeds,
            test_photos=len(open_dataset(self.base.data).part("heldout")),
            cpu_hours=sum(result.cpu_seconds for result in results) / 3600,
            cores=len(os.sched_getaffinity(0)),
        )

    def _lines(self) -> list[AnyLine]:
        return read_lines(self.results, self.kind)
