"""`python -m vitcam_training.study.mistakes`: run what is left to run, then write the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vitcam_training.progress import with_progress
from vitcam_training.study.program import as_given, program, start

if TYPE_CHECKING:
    from vitcam_training.study.ablation.sweep import Sweep
    from vitcam_training.study.mistakes.digits import MistakeResult
    from vitcam_training.study.mistakes.rows import Mistake

PACKAGE = "vitcam_training.study.mistakes"


def mistakes(
    rows: Annotated[
        str,
        typer.Option(
            "--rows",
            help="Run only these mistakes, with commas between; the right networks that they need are run, too. "
            "Default: all.",
        ),
    ] = "",
    seeds: Annotated[int, typer.Option("--seeds", help="Run each mistake this many times, 2 to 10.")] = 3,
    out: Annotated[Path, typer.Option("--out", "-o", help="Keep the runs in this folder.")] = Path("runs/mistakes"),
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the figures into this page, with its plot beside it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each run that ends.")] = False,
) -> None:
    """Measure what mistakes that circulate cost, and how they show. The same command continues an interrupted run."""
    from vitcam_training.study.mistakes.page import mistake_findings, write_page  # imports Keras

    planned = plan([name for name in rows.split(",") if name], seeds, out)
    for result in with_progress(planned.run(), "runs", len(planned.left)):
        in_words = f"{result.row}, seed {result.seed}: {result.seconds:.0f} s"
        typer.echo(json.dumps(asdict(result)) if as_json else in_words)
    target = page or out / "mistakes.md"
    write_page(target, mistake_findings(planned.rows, planned.found, seeds), as_given(PACKAGE))
    if not as_json:
        typer.echo(f"wrote {target} and {target.with_suffix('.svg').name}")


def plan(rows: Sequence[str], seeds: int, folder: Path) -> Sweep[Mistake, MistakeResult]:
    """Every mistake, checked before the first run.

    raises  UsageError for an unknown row, a number of seeds without a spread, or data that are not there
    """
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.study.ablation.sweep import Sweep
    from vitcam_training.study.mistakes.digits import MistakeResult
    from vitcam_training.study.mistakes.rows import base, with_right
    from vitcam_training.study.seeds import check_seeds

    check_seeds(seeds)
    recipe, chosen = base(), with_right(rows)
    open_dataset(recipe.data)
    return Sweep(recipe, (), chosen, seeds, folder / "digits", MistakeResult, f"{PACKAGE}.digits")


app = program(mistakes)
if __name__ == "__main__":
    start(app, "mistakes")
