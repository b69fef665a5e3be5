"""`vitcam-train ablate`: run what is left to run, then write the page."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError
from vitcam_training.ablation.findings import STUDENT, findings
from vitcam_training.ablation.page import Conditions, write_page
from vitcam_training.ablation.result import AblationJob, Result, add_result, jobs, read_results, unfinished
from vitcam_training.ablation.rows import Row, chosen
from vitcam_training.ablation.runner import run_all
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.provenance import processor
from vitcam_training.recipes.recipe import Recipe, read_recipe


@dataclass(frozen=True)
class Ablation:
    """What is to be run, and where it is kept."""

    base: Recipe
    recipe: str
    rows: tuple[Row, ...]
    seeds: int
    folder: Path

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
        return unfinished(self.jobs, read_results(self.results))

    def run(self) -> Iterator[Result]:
        """Run what has no line yet; each result is kept before it is handed out."""
        for result in run_all(self.left, self.recipe, self.folder):
            add_result(self.results, result)
            yield result

    def write(self, page: Path, command: str) -> None:
        """The page and its plot, from the lines of all runs."""
        wanted = {(job.row.name, job.recipe.seed, job.settings) for job in self.jobs}
        results = [r for r in read_results(self.results) if (r.row, r.seed, r.settings) in wanted]
        cores = len(os.sched_getaffinity(0))
        page.parent.mkdir(parents=True, exist_ok=True)
        conditions = Conditions(
            command=command,
            date=datetime.date.today().isoformat(),
            machine=processor(),
            epochs=self.base.train.epochs,
            seeds=self.seeds,
            test_photos=len(open_dataset(self.base.data).part("heldout")),
            cpu_hours=sum(result.cpu_seconds for result in results) / 3600,
            cores=cores,
        )
        write_page(page, findings(self.rows, results, self.seeds), conditions)


def plan(recipe: str, rows: Sequence[str], seeds: int, folder: Path) -> Ablation:
    """Check everything before the first run.

    raises  UsageError for an unknown recipe or row, a number of seeds without a spread, or data that are not there
    """
    if seeds not in STUDENT:
        raise UsageError(f"{seeds} seeds were given; {min(STUDENT)} to {max(STUDENT)} are allowed")
    base, table = read_recipe(recipe), chosen(rows)
    try:
        jobs(table, base, seeds)  # builds every network's sizes once
    except ValueError as error:
        raise UsageError(f"{recipe} cannot be the base of the ablation: {error}") from error
    open_dataset(base.data)
    return Ablation(base, recipe, table, seeds, folder)
