"""A small file of the state folder, and beside it a copy of the same content for the day on which it is damaged."""

import errno
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from vitcam.storage.files import write_atomically
from vitcam.storage.reading import UnfitFileError, read_text

log = logging.getLogger(__name__)

T = TypeVar("T")

_LONGEST_REASON = 200
_MOST_BYTES = 8 * 2**20  # twice as much as the largest that is written, the names of a thousand labels
_DAMAGES = (ValueError, TypeError, LookupError, ArithmeticError, RecursionError)
"""What parsing raises for a damaged text; ArithmeticError for a number that is absurd."""


class StateFile:
    """`path`, `NAME.copy` beside it, and `NAME.damaged`: the last one that was found damaged.

    The copy is written first. So it is never older than the file, and what was deleted does not come back.
    What could not be read is never written over: whoever rewrites it would lose what is there.

    private  only the owner may read them
    """

    def __init__(self, path: Path, private: bool = False) -> None:
        self.path = path
        self._private = private
        self._unread = ""
        """Why the last reading failed; empty if it did not."""

    @property
    def copy(self) -> Path:
        return self.path.with_name(f"{self.path.name}.copy")

    def write(self, text: str) -> None:
        """Write both, each as a whole. Raises OSError, also where what is there could not be read."""
        if self._unread:
            raise OSError(errno.EPERM, f"it stays as it is, since it could not be read: {self._unread}")
        write_atomically(self.copy, text, self._private)
        write_atomically(self.path, text, self._private)

    def read(self, parse: Callable[[str], T]) -> T | None:
        """What `parse` makes of the file; None if there is no file.

        A damaged file is set aside, its copy takes its place, and the log says so.

        parse   raises one of `_DAMAGES` for a text that is damaged; a part of it that cannot be read costs no more
                than itself (`vitcam.storage.entries`)
        raises  ValueError if neither the file nor its copy is good: both stay where they are; OSError if the file
                cannot be read
        """
        self._unread = ""
        try:
            return parse(read_text(self.path, _MOST_BYTES))
        except FileNotFoundError:
            return None
        except _DAMAGES as error:
            reason = str(error)[:_LONGEST_REASON]
        except UnfitFileError as error:
            reason = str(error.strerror)
        except OSError as error:
            if error.errno != errno.EIO:  # a bad block
                self._unread = error.strerror or type(error).__name__
                raise
            reason = str(error.strerror)
        return self._from_copy(parse, reason)

    def read_if_good(self, parse: Callable[[str], T]) -> T | None:
        """As `read`, but what cannot be used is logged, and counts as no file."""
        try:
            return self.read(parse)
        except ValueError as error:
            aside = self._set_aside()
            log.warning("%s is damaged (%s) and there is no good copy of it; %s", self.path, error, aside)
        except OSError as error:
            log.warning("%s cannot be read: %s; vitcam runs without it", self.path, error.strerror)
        return None

    def begin_again(self, text: str) -> str:
        """Write another content in place of a damaged one, which is set aside.

        Where links can be made there is a file at every moment.

        returns  a sentence on that. Where it cannot be done, the damaged file stays for the next start
        """
        aside = self._aside
        try:
            write_atomically(self.copy, text, self._private)
            self._link_or_rename(aside)
            write_atomically(self.path, text, self._private)
        except OSError as error:
            self._unread = f"it is damaged and cannot be set aside: {error.strerror}"
            return f"it stays as it is: {error.strerror}"
        return f"it was renamed to {aside.name}"

    def _link_or_rename(self, aside: Path) -> None:
        aside.unlink(missing_ok=True)
        try:
            os.link(self.path, aside)
        except OSError:  # not every file system has links
            self.path.replace(aside)

    @property
    def _aside(self) -> Path:
        return self.path.with_name(f"{self.path.name}.damaged")

    def _from_copy(self, parse: Callable[[str], T], reason: str) -> T:
        try:
            text = read_text(self.copy, _MOST_BYTES)
            found = parse(text)
        except (*_DAMAGES, OSError):
            raise ValueError(reason) from None
        aside = self._set_aside()
        log.warning("%s is damaged (%s), so its last good copy is used; %s", self.path, reason, aside)
        try:
            write_atomically(self.path, text, self._private)
        except OSError as error:
            log.warning("%s cannot be written: %s", self.path, error.strerror)
        return found

    def _set_aside(self) -> str:
        """Rename the file, so that somebody may look at it; returns a sentence on that."""
        aside = self._aside
        try:
            self.path.replace(aside)
        except OSError as error:
            self._unread = f"it is damaged and cannot be renamed: {error.strerror}"
            return f"it cannot be renamed: {error.strerror}"
        return f"it was renamed to {aside.name}"
