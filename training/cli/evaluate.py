"""`vitcam-train evaluate`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from vitcam_training.cli.options import JsonOption, ModelArgument, PhotosOption, ThreadsOption, say


def evaluate(
    model: ModelArgument,
    data: PhotosOption,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            help="Measure on this part: heldout, calibration, train or all. Default: heldout, or all if there is none.",
        ),
    ] = None,
    float_: Annotated[
        Path | None, typer.Option("--float", help="Compare with this checkpoint, measured again.")
    ] = None,
    unknown: Annotated[
        str | None,
        typer.Option(
            "--unknown",
            help="Take photos of none of the model's labels from here, and measure how many it calls unknown.",
        ),
    ] = None,
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a model file on photos: accuracy, calibration, closeness to its float network, and each label."""
    from vitcam_training.cli.tables import evaluation_table
    from vitcam_training.data import catalogue
    from vitcam_training.evaluation.evaluate import evaluate_model
    from vitcam_training.evaluation.unknown import rejection
    from vitcam_training.weights import metadata

    if unknown:
        catalogue.check_there(unknown)
    if float_:
        metadata.check_there(float_)
    found = evaluate_model(model, data, split, float_, threads)
    found |= {"unknown": rejection(model, data, unknown, threads)} if unknown else {}
    say(json.dumps(found) if as_json else evaluation_table(found))
