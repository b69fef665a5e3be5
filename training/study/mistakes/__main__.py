"""`python -m vitcam_training.study.mistakes`: run what is left to run, then write the page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from vitcam.errors import UsageError
from vitcam_training.progress import with_progress
from vitcam_training.study.program import as_given, program, start

PACKAGE = "vitcam_training.study.mistakes"
PARTS = ("digits", "cifar10")


def mistakes(
    only: Annotated[
        str,
        typer.Option("--only", help="Run this part alone: digits, cifar10, or none to write the page. Default: both."),
    ] = "",
    rows: Annotated[
        str,
        typer.Option(
            "--rows",
            help="Run only these mistakes on digits, with commas between; the right networks that they need are run, "
            "too. Default: all.",
        ),
    ] = "",
    seeds: Annotated[int, typer.Option("--seeds", help="Run each mistake on digits this many times, 2 to 10.")] = 3,
    out: Annotated[Path, typer.Option("--out", "-o", help="Keep the runs in this folder.")] = Path("runs/mistakes"),
    page: Annotated[
        Path | None, typer.Option("--page", help="Write this page, with its plots beside it. Default: OUT/mistakes.md.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each run that ends.")] = False,
) -> None:
    """Measure what mistakes that circulate cost, and how they show. The same command continues an interrupted run."""
    from vitcam_training.study.mistakes.sweeps import plan_cifar10, plan_digits, write_mistakes  # imports Keras

    if only not in ("", "none", *PARTS):
        raise UsageError(f"--only is {only!r}; allowed: {', '.join(PARTS)}, none")
    on_digits = plan_digits([name for name in rows.split(",") if name], seeds, out)
    on_cifar10 = plan_cifar10(out)
    parts: dict[str, Any] = {"digits": on_digits, "cifar10": on_cifar10}
    for name, part in parts.items():
        if only in ("", name):
            results: Iterable[Any] = with_progress(part.run(), f"runs on {name}", len(part.left))
            for result in results:
                in_words = f"{result.row}, seed {result.seed}: {result.seconds:.0f} s"
                typer.echo(json.dumps(asdict(result)) if as_json else in_words)
    target = page or out / "mistakes.md"
    command = f"python -m {PACKAGE} --page {target}" if only == "none" else as_given(PACKAGE)
    written = write_mistakes(target, on_digits, on_cifar10, command)
    if not as_json:
        typer.echo("wrote " + ", ".join(str(path) for path in written))


app = program(mistakes)
if __name__ == "__main__":
    start(app, "mistakes")
