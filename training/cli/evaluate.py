"""`evaluate`, `report`: measure a model; `split`: lay out photos."""

import json
from pathlib import Path
from typing import Annotated

import typer

from vitcam_training.cli.options import JsonOption, ModelArgument, PhotosOption, ThreadsOption, say, warn


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
    from vitcam_training.evaluation.evaluate import evaluate_model
    from vitcam_training.evaluation.unknown import rejection

    found = evaluate_model(model, data, split, float_, threads)
    found |= {"unknown": rejection(model, data, unknown, threads)} if unknown else {}
    say(json.dumps(found) if as_json else evaluation_table(found))


def report(
    model: ModelArgument,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            help="Take photos from this data set, folder or CSV file. Default: the data that the model names.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Write this HTML file.")] = Path("report.html"),
    split: Annotated[
        str | None, typer.Option("--split", help="Measure on this part of the data, as in evaluate.")
    ] = None,
    float_: Annotated[
        Path | None,
        typer.Option(
            "--float", help="Compare with this float network. Default: the .safetensors file beside the model."
        ),
    ] = None,
    unknown: Annotated[
        str | None, typer.Option("--unknown", help="Take photos of none of the model's labels from here.")
    ] = None,
    threads: ThreadsOption = None,
) -> None:
    """Show all that can be measured of a model on one page, an HTML file that loads nothing. It contains photos."""
    from vitcam_training.report.material import ReportRequest, check_place, gather
    from vitcam_training.report.page import write_report

    check_place(out)
    size = write_report(gather(ReportRequest(model, data, split, float_, unknown, threads)), out)
    say(f"wrote {out}, {size / 1e6:.2f} MB")
    warn("the report contains photos of the data; share it only as their licences allow")


def split_data(
    data: Annotated[
        str,
        typer.Argument(
            help="Take photos from here: the name of a data set, a folder of photos, or a CSV file of path,label."
        ),
    ],
    folder: Annotated[Path, typer.Argument(help="Make this new folder of LABEL/photo.jpg, with links to the data.")],
    part: Annotated[
        str, typer.Option("--part", help="Take this part of the data: heldout, calibration, train or all.")
    ] = "heldout",
) -> None:
    """Lay out a part of a data set as a folder tree, which `vitcam run --source FOLDER` can read."""
    from vitcam_training.data.catalogue import open_dataset
    from vitcam_training.data.folder import lay_out

    count = lay_out(open_dataset(data), part, folder)
    say(f"linked {count:,} photos into {folder}")
