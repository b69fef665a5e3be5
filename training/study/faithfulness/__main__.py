"""`python -m vitcam_training.study.faithfulness`: whether overlays show what the answer depends on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from vitcam_training.cli.options import JsonOption, ModelArgument, PhotosOption, ThreadsOption
from vitcam_training.cli.tables import as_text, pairs
from vitcam_training.study.program import as_given, program, start

PACKAGE = "vitcam_training.study.faithfulness"


def overlays(
    model: ModelArgument,
    data: PhotosOption,
    split: Annotated[
        str, typer.Option("--split", help="Measure on this part of the data: heldout, calibration or train.")
    ] = "heldout",
    photos: Annotated[
        int, typer.Option("--photos", help="Measure on this many photos, equally many of each label.")
    ] = 500,
    steps: Annotated[int, typer.Option("--steps", help="Measure this many points of each curve.")] = 8,
    neutral: Annotated[
        str, typer.Option("--neutral", help="Replace missing patches by blur, mean or both (blur,mean).")
    ] = "blur",
    seed: Annotated[
        int, typer.Option("--seed", help="Choose photos, random orders and the bootstrap with this seed.")
    ] = 0,
    float_: Annotated[
        Path | None, typer.Option("--float", help="Compare with this checkpoint. Default: the one beside the model.")
    ] = None,
    threads: ThreadsOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the results here. Default: MODEL.overlays.json, beside the model."),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", help="Write the figures into this page, with plot and sheet beside it."),
    ] = None,
    kept: Annotated[Path, typer.Option("--kept", help="Keep the curves of each photo in this folder.")] = Path(
        "runs/overlays"
    ),
    as_json: JsonOption = False,
) -> None:
    """Measure whether overlays show what the answer depends on. The same command continues an interrupted run."""
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.study.faithfulness.measure import Plan
    from vitcam_training.study.faithfulness.overlays import FaithfulnessCase, measure_and_write

    plan = Plan(photos, seed, steps, tuple(name for name in neutral.split(",") if name))
    case = FaithfulnessCase(model, open_dataset(data), split, plan, kept, float_, threads)
    result, written = measure_and_write(case, out, page, as_given(PACKAGE))
    record = {"model": result.model, "shown": result.shown, "photos": result.photos}
    better = result.beats_baselines()
    typer.echo(json.dumps({**record, **better}) if as_json else _table(record, better, written))


def _table(record: Mapping[str, Any], better: Mapping[str, bool], written: Sequence[Path]) -> str:
    """Whether the overlay beats a random order and the middle of the picture, curve by curve."""
    words = {True: "better than a random order and the middle", False: "not better than a random order and the middle"}
    rows = [("overlay", f"{record['shown']}, on {record['photos']:,} photos")]
    rows += [(curve, words[beats]) for curve, beats in better.items()]
    return as_text(pairs(record["model"], rows)) + f"\nwrote {' and '.join(map(str, written))}"


app = program(overlays)
if __name__ == "__main__":
    start(app, "faithfulness")
