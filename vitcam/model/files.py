"""Model files: the installed ones and those in the user's folders, and how one is read."""

import os
from pathlib import Path

from vitcam.errors import ModelError
from vitcam.folders import data_folder, state_folder
from vitcam.storage.reading import read_file

DEFAULT = "everyday"
_IDENTIFIER = b"TFL3"  # at byte 4 of every TFLite flatbuffer
MOST_BYTES = 2**30  # a ViT-L in float32 has more, and no Raspberry Pi runs it


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
        for path in sorted(folder.glob("[!.]*.tflite")):  # a hidden one is being written
            found.setdefault(path.stem, path)
    return found


def find_model(name_or_file: str) -> Path:
    """The file of a model given by name or path.

    raises  ModelError if there is neither a model nor a file of that name
    """
    if name_or_file.endswith(".tflite") or "/" in name_or_file:
        path = Path(name_or_file)
        if not path.is_file():
            raise ModelError(f"there is no model file {name_or_file}")
        return path
    models = list_models()
    if name_or_file not in models:
        known = ", ".join(models) or "none is installed"
        raise ModelError(f"there is no model called {name_or_file!r}; known: {known}; or give a .tflite file")
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
