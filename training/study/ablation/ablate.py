"""`vitcam-train ablate`: run what is left to run, then write the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vitcam.errors import UsageError
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.recipes.recipe import read_recipe
from vitcam_training.study.ablation.findings import STUDENT, findings
from vitcam_training.study.ablation.page import write_page
from vitcam_training.study.ablation.result import Result, jobs
from vitcam_training.study.ablation.rows import Row, chosen
from vitcam_training.study.ablation.sweep import Sweep


@dataclass(frozen=True)
class Ablation(Sweep[Row, Result]):
    """What is to be run, and where it is kept."""

    def write(self, page: Path, command: str) -> None:
        """The page and its plot, from the lines of all runs."""
        results = self.found
        page.parent.mkdir(parents=True, exist_ok=True)
        write_page(page, findings(self.rows, results, self.seeds), self.conditions(command, results))


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
    return Ablation(base, recipe, table, seeds, folder, Result, str(__package__))
