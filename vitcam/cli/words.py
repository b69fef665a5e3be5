"""What `vitcam words` does: it shows the words of a model, or gives it others."""

import json
from collections.abc import Sequence

from vitcam.errors import VitcamError
from vitcam.model.files import find_model
from vitcam.storage.owner import owned
from vitcam.terminal.consoles import stdout_console
from vitcam.words.relabel import destination_of, new_labels, read_open_vocabulary, write_relabelled


def show(model: str, as_json: bool) -> None:
    """Print the words of a model, one a line. Raises UsageError if its labels are not words."""
    _print(read_open_vocabulary(find_model(model)).labels, None, as_json)


def change(model: str, words: Sequence[str], as_json: bool) -> None:
    """Write the model with other words where the same name finds it.

    raises  UsageError, ModelError as `new_labels`; VitcamError if the file cannot be written
    """
    path = find_model(model)
    described = read_open_vocabulary(path)
    labels, vectors = new_labels(described, words)
    place = destination_of(model, path)
    try:
        with owned(place.parent).acting() as folder:
            folder.mkdir(parents=True, exist_ok=True)
            write_relabelled(described, labels, vectors, folder / place.name)
    except OSError as error:
        raise VitcamError(
            f"{place} cannot be written: {error.strerror}; free the disk, or run this as the user who owns the folder"
        ) from error
    _print(labels, str(place), as_json)


def _print(labels: Sequence[str], file: str | None, as_json: bool) -> None:
    console = stdout_console()
    if as_json:
        console.print_json(json.dumps({"words": list(labels), "file": file}), indent=None)
        return
    for label in labels:
        console.print(label, markup=False, highlight=False)
    if file:
        console.print(f"wrote {file}; a running vitcam takes it at its next start", markup=False, highlight=False)
