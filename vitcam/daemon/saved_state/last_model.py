"""Remembers which model file worked at the last start, for a start at which another one is damaged."""

import json
import logging
from pathlib import Path

from vitcam.storage.state_file import StateFile

log = logging.getLogger(__name__)


class LastModel:
    """Kept in the state folder; without a folder nothing is remembered."""

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / "model.json") if folder else None

    @property
    def path(self) -> Path | None:
        """Its file; None if none is known."""
        return self._file.read_if_good(_parsed) if self._file else None

    def remember(self, path: Path) -> None:
        """This one works. Writes only if it is another one than before, and a disk that is full costs nothing else."""
        if self._file is None or self.path == path.resolve():
            return
        try:
            self._file.write(json.dumps({"path": str(path.resolve())}) + "\n")
        except OSError as error:
            log.warning("%s cannot be written: %s", self._file.path, error.strerror)


def _parsed(text: str) -> Path:
    return Path(json.loads(text)["path"])
