"""Pictures sorted into one folder for each label, as `vitcam-train` reads them."""

import contextlib
import errno
import re
from pathlib import Path

from vitcam.history.stored import is_file_name
from vitcam.storage.files import write_new

CORRECTIONS = "datasets/corrections"
"""Below the state folder: pictures whose label a person has given."""
_NOT_IN_NAMES = re.compile(r"[/\0-\x1f\x7f]")
_LONGEST = 200  # bytes; a name of a file may have 255


class LabelFolders:
    """`folder/LABEL/ID.jpg`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, label: str, event_id: str, jpeg: bytes) -> None:
        """Write a picture, in place of one of the same event. Raises OSError, also for an id that cannot be a name."""
        path = self._path(label, event_id)
        path.unlink(missing_ok=True)
        write_new(path, jpeg)

    def remove(self, label: str, event_id: str) -> None:
        """Delete a picture, and the folder of its label if that is empty then. One that is gone is fine."""
        with contextlib.suppress(OSError):
            path = self._path(label, event_id)
            path.unlink()
            path.parent.rmdir()

    def _path(self, label: str, event_id: str) -> Path:
        if not is_file_name(event_id):
            raise OSError(errno.EINVAL, "an id of an event that is not a plain name")
        return self._folder / folder_name(label) / f"{event_id}.jpg"


def folder_name(label: str) -> str:
    """A label as the name of a folder: what a name may not hold becomes `_`."""
    name = _NOT_IN_NAMES.sub("_", label).encode()[:_LONGEST].decode(errors="ignore")
    return f"_{name[1:]}" if name.startswith(".") else name
