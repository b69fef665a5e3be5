"""Small files that only the daemon's user may read."""

import os
import tempfile
from pathlib import Path

_MODE = 0o600
_FOLDER_MODE = 0o750


def write_private(path: Path, text: str) -> None:
    """Write the whole file or nothing, also when the power fails.

    Root writes it for the owner of the folder, so that a service that runs as somebody else can read it.

    raises  OSError if it cannot be written
    """
    path.parent.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
    number, partial = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # its mode is 0600
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fchmod(file.fileno(), _MODE)
            if os.geteuid() == 0:
                owner = path.parent.stat()
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            os.fsync(file.fileno())
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Without this the new name may be lost with the power."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
