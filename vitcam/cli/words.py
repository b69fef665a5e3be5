"""`vitcam words`."""

import json
from typing import Annotated

import typer

from vitcam.cli.options import ClassifierOptions, JsonOption, ModelOption
from vitcam.errors import VitcamError
from vitcam.model.files import find_model
from vitcam.terminal.consoles import stdout_console


def words(
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEXT]...", help="Tell pictures of these apart: 'a cat' 'a dog'. Default: show the words."
        ),
    ] = None,
    model: ModelOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change the words of a model whose labels are words, or show them."""
    from vitcam.model.text.relabel import read_open_vocabulary

    name = ClassifierOptions(model).settings().model.name
    if texts:
        labels, file = _change(name, texts)
    else:
        labels, file = read_open_vocabulary(find_model(name)).labels, None
    console = stdout_console()
    if as_json:
        console.print_json(json.dumps({"words": list(labels), "file": file}), indent=None)
        return
    for label in labels:
        console.print(label, markup=False, highlight=False)
    if file:
        console.print(f"wrote {file}; a running vitcam takes it at its next start", markup=False, highlight=False)


def _change(model: str, texts: list[str]) -> tuple[tuple[str, ...], str]:
    """Write the model with other words where the same name finds it; the words, and the file."""
    from vitcam.model.text.relabel import destination_of, new_labels, read_open_vocabulary, write_relabelled
    from vitcam.storage.owner import owned

    path = find_model(model)
    described = read_open_vocabulary(path)
    labels, vectors = new_labels(described, texts)
    place = destination_of(model, path)
    try:
        with owned(place.parent).acting() as folder:
            folder.mkdir(parents=True, exist_ok=True)
            write_relabelled(described, labels, vectors, folder / place.name)
    except OSError as error:
        raise VitcamError(
            f"{place} cannot be written: {error.strerror}; free the disk, or run this as the user who owns the folder"
        ) from error
    return labels, str(place)
