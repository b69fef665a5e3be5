"""`vitcam-train split`."""

from pathlib import Path
from typing import Annotated

import typer

from vitcam_training.cli.options import say


def split(
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
