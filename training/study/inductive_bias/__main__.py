"""`python -m vitcam_training.study.inductive_bias`: the options of the measurement."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from vitcam_training.cli.options import JsonOption
from vitcam_training.progress import with_progress
from vitcam_training.study.inductive_bias.runs import FOLDER, SEEDS, BiasResult
from vitcam_training.study.program import program, start


def bias(
    only: Annotated[
        str,
        typer.Option("--only", help="Measure only these parts, with commas between: attention, shift, curve."),
    ] = "",
    out: Annotated[Path, typer.Option("--out", "-o", help="Keep the runs in this folder.")] = FOLDER,
    seeds: Annotated[int, typer.Option("--seeds", help="Run each training this many times, 2 to 10.")] = SEEDS,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page", help="Write the figures into this page, with its plots beside it. Default: OUT/inductive-bias.md."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure what a ViT has to learn that a CNN has built in. The same command continues an interrupted run."""
    from vitcam_training.study.inductive_bias.measure import plan  # imports Keras

    target = page or out / "inductive-bias.md"
    measurement = plan([name for name in only.split(",") if name], seeds, out, target)
    for result in with_progress(measurement.run(), "runs", len(measurement.left)):
        typer.echo(json.dumps(asdict(result)) if as_json else _in_words(result))
    if not as_json:
        typer.echo(f"wrote {target}")


def _in_words(result: BiasResult) -> str:
    text = f"{result.network} on {result.photos:,} photos, seed {result.seed}"
    return f"{text}: {result.accuracy:.2%} of the test photos right, {result.seconds:.0f} s"


app = program(bias)
if __name__ == "__main__":
    start(app, "inductive_bias")
