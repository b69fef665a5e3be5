"""`python -m vitcam_training.study.ablation`: run what is left to run, then write the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from vitcam.errors import UsageError
from vitcam_training.data.catalogue import open_dataset
from vitcam_training.progress import with_progress
from vitcam_training.recipes.recipe import read_recipe
from vitcam_training.study.ablation.page import findings, write_page
from vitcam_training.study.ablation.rows import RECIPE, Row, chosen
from vitcam_training.study.ablation.sweep import Result, Sweep, jobs
from vitcam_training.study.program import as_given, program, start
from vitcam_training.study.seeds import check_seeds

PACKAGE = "vitcam_training.study.ablation"


def ablate(
    recipe: Annotated[
        str,
        typer.Argument(
            help="Start from this recipe: the name of one that comes with vitcam, or a TOML file. Default: the study's "
            "own."
        ),
    ] = "",
    out: Annotated[Path, typer.Option("--out", "-o", help="Keep the runs in this folder.")] = Path("runs/ablation"),
    rows: Annotated[
        str,
        typer.Option("--rows", help="Run only these rows, with commas between; the base is always run. Default: all."),
    ] = "",
    seeds: Annotated[int, typer.Option("--seeds", help="Run each row this many times, 2 to 10.")] = 3,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the figures into this page, with its plot beside it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each run that ends.")] = False,
) -> None:
    """Measure what each part of a ViT is for, on digits. The same command continues an interrupted run."""
    ablation = plan(recipe or str(RECIPE), [name for name in rows.split(",") if name], seeds, out)
    for result in with_progress(ablation.run(), "runs", len(ablation.left)):
        typer.echo(json.dumps(asdict(result)) if as_json else _in_words(result))
    target = page or out / "ablation.md"
    ablation.write(target, as_given(PACKAGE))
    if not as_json:
        typer.echo(f"wrote {target} and {target.with_suffix('.svg').name}")


def _in_words(result: Result) -> str:
    return f"{result.row}, seed {result.seed}: {result.accuracy:.2%} of the test photos right, {result.seconds:.0f} s"


@dataclass(frozen=True)
class Ablation(Sweep[Row, Result]):
    """What is to be run, and where it is kept."""

    def write(self, page: Path, command: str) -> None:
        """The page and its plot, from the lines of all runs."""
        results = self.found
        cpu_seconds = sum(result.cpu_seconds for result in results)
        write_page(page, findings(self.rows, results, self.seeds), command, cpu_seconds)


def plan(recipe: str, rows: Sequence[str], seeds: int, folder: Path) -> Ablation:
    """Check everything before the first run.

    raises  UsageError for an unknown recipe or row, a number of seeds without a spread, or data that are not there
    """
    check_seeds(seeds)
    base, table = read_recipe(recipe), chosen(rows)
    try:
        jobs(table, base, seeds)  # builds every network's sizes once
    except ValueError as error:
        raise UsageError(f"{recipe} cannot be the base of the ablation: {error}") from error
    open_dataset(base.data)
    return Ablation(base, (recipe,), table, seeds, folder, Result, f"{PACKAGE}.worker")


app = program(ablate)
if __name__ == "__main__":
    start(app, "ablation")
