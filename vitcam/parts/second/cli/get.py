"""`vitcam models get`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from vitcam.cli.options import StateOptions
from vitcam.errors import UsageError, VitcamError
from vitcam.model.files import model_folders
from vitcam.terminal.consoles import stdout_console
from vitcam.terminal.verbs import grouped


@grouped
def get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Fetch this model: birds.")],
    folder: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="DIR", help="Take its files from this folder, where they were fetched by another machine."
        ),
    ] = None,
    *,
    state: StateOptions,
) -> None:
    """Fetch a small model of others, for a second look: nothing of it comes with vitcam."""
    from vitcam.model.foreign_card import write_described
    from vitcam.parts.second.published import PUBLISHED, files_of
    from vitcam.storage.files import write_new
    from vitcam.storage.owner import owned

    if (model := PUBLISHED.get(name)) is None:
        raise UsageError(f"no model {name[:40]!r} can be fetched; there are {', '.join(PUBLISHED)}")
    own, below = (state.owned_folder(), "models") if state.is_of_service else (owned(model_folders()[0]), "")
    place = own.folder / below / f"{name}.tflite"
    try:
        with files_of(model, folder) as (graph, labels):
            made = graph.with_name(place.name)
            card = write_described(graph, replace(model.given, labels=labels), (), made)
            content = made.read_bytes()
        with own.acting() as into:
            write_new(into / below / place.name, content, over=True)
    except OSError as error:
        raise VitcamError(f"{place} cannot be written: {error.strerror}; make room, or use sudo") from error
    said = f"{card.description}; {card.licence}; trained on {model.given.trained_on}"
    for line in (said, f"wrote {place}"):
        stdout_console().print(line, markup=False, highlight=False, soft_wrap=True)
