"""`python -m vitcam_training.study.input_sizes`: smaller inputs, and a quick look before the full one."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from vitcam.errors import UsageError
from vitcam.model.files import DEFAULT, find_model
from vitcam_training.cli.options import JsonOption
from vitcam_training.cli.tables import as_text
from vitcam_training.study.program import as_given, program, start

if TYPE_CHECKING:
    from vitcam_training.study.input_sizes.measure import InputSizeResult

PACKAGE = "vitcam_training.study.input_sizes"
MOST_SIZES = 8


def input_sizes(
    model: Annotated[
        str, typer.Argument(help="Take this model: a name, or a .tflite file with its weights beside it.")
    ] = DEFAULT,
    sizes: Annotated[
        str, typer.Option("--sizes", metavar="PX,…", help="Try these inputs for the quick look.")
    ] = "192,160,128",
    work: Annotated[
        Path, typer.Option("--work", help="Keep files and answers in this folder; what is there is not made again.")
    ] = Path("runs/input-sizes"),
    page: Annotated[
        Path | None, typer.Option("--page", help="Write a page and its plot, such as input-sizes.md.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure smaller inputs of a network, and a quick look that the full one follows where it is not sure."""
    from vitcam_training.study.input_sizes.measure import measure
    from vitcam_training.study.input_sizes.page import write_page

    path = find_model(model)
    found = measure(path, _sizes(sizes), work)
    typer.echo(json.dumps(asdict(found)) if as_json else _table(found))
    if page:
        write_page(page, found, as_given(PACKAGE))
        if not as_json:
            typer.echo(f"wrote {page}")


def _sizes(text: str) -> list[int]:
    """Raises UsageError unless these are sizes."""
    words = [word.strip() for word in text.split(",")]
    if len(words) > MOST_SIZES or not all(
        word.isascii() and word.isdigit() and 0 < int(word) <= 4096 for word in words
    ):
        raise UsageError(f"--sizes is {text!r}; give 1 to {MOST_SIZES} numbers of px with commas, such as 192,160,128")
    return [int(word) for word in dict.fromkeys(words)]


def _table(found: InputSizeResult) -> str:
    """A line for each size and share of answers that shall be the same."""
    table = Table("first look", "wanted the same", "by", box=SIMPLE_HEAD)
    for name in ("full looks", "the same", "time"):
        table.add_column(name, justify="right")
    for size in found.quick:
        for at in size.rules:
            time = at.measured.time(size.ratios[0])
            table.add_row(
                f"{size.px} px", f"{at.level:.1%}", at.rule.score, f"{at.measured.full_share.value:.1%}",
                f"{at.measured.same_share.value:.1%}", f"{time.value:.2f} ({time.low:.2f} to {time.high:.2f})",
            )  # fmt: skip
    return as_text(table)


app = program(input_sizes)
if __name__ == "__main__":
    start(app, "input_sizes")
