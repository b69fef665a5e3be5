"""Where model files lie: beside the program, and in the folders where users put theirs."""

import os
from pathlib import Path

from vitcam.errors import ModelError

DEFAULT = "everyday"


def model_folders() -> tuple[Path, ...]:
    """Folders that are searched for `NAME.tflite`, first wins."""
    state = os.environ.get("STATE_DIRECTORY")  # set by systemd's StateDirectory=
    package = Path(__file__).parents[1]
    own = [Path(state) / "models"] if state else []
    return (*own, *_users_folder(), package / "bundled", package.parent / "models")


def _users_folder() -> tuple[Path, ...]:
    """None for a user without a home, such as one that a container made up."""
    data_home = os.environ.get("XDG_DATA_HOME", "")
    try:
        return (Path(data_home or Path.home() / ".local/share") / "vitcam/models",)
    except RuntimeError:
        return ()


def list_models() -> dict[str, Path]:
    """Every model by name."""
    found: dict[str, Path] = {}
    for folder in model_folders():
        for path in sorted(folder.glob("*.tflite")):
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
