"""`vitcam-train report`."""

from pathlib import Path
from typing import Annotated

import typer

from vitcam_training.cli.options import ModelArgument, ThreadsOption, say, warn


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
