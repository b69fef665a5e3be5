"""Model files: the installed ones and those in the user's folders, and how one is read."""

import os
import stat
from pathlib import Path

from vitcam.errors import ModelError
from vitcam.folders import data_folder, state_folder
from vitcam.storage.reading import read_file
from vitcam.text import printable, shortened

DEFAULT = "everyday"
_IDENTIFIER = b"TFL3"  # at byte 4 of every TFLite flatbuffer
MOST_BYTES = 2**30  # a ViT-L in float32 has more, and no Raspberry Pi runs it
_LONGEST_SHOWN = 300  # characters of a name in a sentence


def model_folders() -> tuple[Path, ...]:
    """Folders that are searched for `NAME.tflite`, first wins."""
    own = [state_folder(os.environ)] if "STATE_DIRECTORY" in os.environ else []  # of a systemd service, not of a user
    folders = [folder / "models" for folder in (*own, data_folder(os.environ)) if folder is not None]
    return (*folders, *shipped_folders())


def shipped_folders() -> tuple[Path, ...]:
    """Folders of the models that came with vitcam: in a package, and in a checkout."""
    package = Path(__file__).parents[1]
    return package / "bundled", package.parent / "models"


def list_models() -> dict[str, Path]:
    """Every model by name."""
    found: dict[str, Path] = {}
    for folder in model_folders():
        try:
            paths = sorted(folder.glob("[!.]*.tflite"))  # a hidden one is being written
        except OSError:  # of Python 3.11 alone; `unreadable_models` says it
            continue
        for path in paths:
            found.setdefault(path.stem, path)
    return found


def unreadable_models() -> list[str]:
    """Why folders of models, and models in them, cannot be read: a sentence for each. Reads a few bytes of each."""
    troubles = [_trouble_with_folder(folder) for folder in model_folders()]
    return [*filter(None, (*troubles, *map(_trouble_with_model, list_models().values())))]


def _trouble_with_folder(folder: Path) -> str:
    try:
        os.scandir(folder).close()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return f"the models in {folder} cannot be read: {error.strerror}"
    return ""


def _trouble_with_model(path: Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe would hold up who opens it
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return f"the model {path} cannot be read: it is not a regular file; move it away"
            if os.read(descriptor, 8)[4:] != _IDENTIFIER:
                return f"{path} is not a TFLite model: it does not begin like one; move it away"
        finally:
            os.close(descriptor)
    except OSError as error:
        return f"the model {path} cannot be read: {error.strerror}"
    return ""


def find_model(name_or_file: str) -> Path:
    """The file of a model given by name or path.

    raises  ModelError if there is neither a model nor a file of that name
    """
    if name_or_file.endswith(".tflite") or "/" in name_or_file:
        if not os.path.isfile(name_or_file):  # noqa: PTH113 - False, too, for what can be no name of a file
            raise ModelError(f"there is no model file {printable(name_or_file)[:_LONGEST_SHOWN]}")
        return Path(name_or_file)
    models = list_models()
    if name_or_file not in models:
        known = ", ".join(models) or "none is installed"
        raise ModelError(
            f"there is no model called {shortened(printable(name_or_file))!r}; known: {known}; or give a .tflite file"
        )
    return models[name_or_file]


def content_of(path: Path) -> bytes:
    """The bytes of a model file, to be read once: then later changes of the file have no effect on the running model.

    raises  ModelError if it cannot be read, or is not a TFLite flatbuffer
    """
    try:
        content = read_file(path, MOST_BYTES)
    except OSError as error:
        raise ModelError(f"the model {path} cannot be read: {error.strerror}") from error
    if content[4:8] != _IDENTIFIER:
        raise ModelError(f"{path} is not a TFLite model: it does not begin like one; give a .tflite file")
    return content
