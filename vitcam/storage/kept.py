"""A small file of the state folder, and beside it a copy of the same content for the day on which it is damaged."""

import errno
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from vitcam.storage.whole import write_whole

log = logging.getLogger(__name__)

T = TypeVar("T")

_DAMAGES = (ValueError, TypeError, LookupError, RecursionError)  # what parsing raises for a damaged text


class KeptFile:
    """`path`, `NAME.copy` beside it, and `NAME.damaged`: the last one that was found damaged.

    The copy is written first. So it is never older than the file, and what was deleted does not come back.

    private  only the owner may read them
    """

    def __init__(self, path: Path, private: bool = False) -> None:
        self.path = path
        self._private = private

    @property
    def copy(self) -> Path:
        return self.path.with_name(f"{self.path.name}.copy")

    def write(self, text: str) -> None:
        """Write both, each as a whole. Raises OSError."""
        write_whole(self.copy, text, self._private)
        write_whole(self.path, text, self._private)

    def read(self, parse: Callable[[str], T]) -> T | None:
        """What `parse` makes of the file; None if there is no file, or neither it nor its copy is good.

        A damaged file is set aside, its copy takes its place, and the log says so.

        parse  raises ValueError, TypeError, LookupError or RecursionError for a text that is damaged
        """
        try:
            return parse(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return None
        except _DAMAGES as error:
            return self._from_copy(parse, str(error))
        except OSError as error:
            if error.errno == errno.EIO:  # a bad block
                return self._from_copy(parse, str(error.strerror))
            log.warning("%s cannot be read: %s; vitcam runs without it", self.path, error.strerror)
            return None

    def _from_copy(self, parse: Callable[[str], T], reason: str) -> T | None:
        damaged = self._set_aside()
        try:
            text = self.copy.read_text("utf-8")
            found = parse(text)
        except (*_DAMAGES, OSError):
            log.warning("%s is damaged (%s) and there is no good copy of it; %s", self.path, reason[:200], damaged)
            return None
        log.warning("%s is damaged (%s), so its last good copy is used; %s", self.path, reason[:200], damaged)
        try:
            write_whole(self.path, text, self._private)
        except OSError as error:
            log.warning("%s cannot be written: %s", self.path, error.strerror)
        return found

    def _set_aside(self) -> str:
        """Rename the file, so that somebody may look at it; returns a sentence on that."""
        aside = self.path.with_name(f"{self.path.name}.damaged")
        try:
            self.path.replace(aside)
        except OSError as error:
            return f"it cannot be renamed: {error.strerror}"
        return f"it was renamed to {aside.name}"
