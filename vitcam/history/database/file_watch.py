"""Notices what others do to the file of an open database: SQLite itself continues with the file that it has opened."""

import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from vitcam.history.database.connections import FILE

Change = Literal["", "deleted", "replaced", "emptied", "overwritten", "without its log"]
NOTICES: Mapping[Change, str] = {
    "deleted": "the history {} was deleted while vitcam ran, and a new one has begun",
    "replaced": "another file took the place of the history {} while vitcam ran, and is used from now on",
    "overwritten": "the history {} was overwritten while vitcam ran; what is in it now is used from now on",
    "without its log": "the log of the history {} was deleted while vitcam ran; what was in it is kept",
}
"""What is said of a change, with the path of the file."""

_LATE_S = 30.0


class FileWatch:
    """Of one open connection. It only asks for the state of the files: to open one and close it again would end the
    locks that SQLite holds on it.

    source  https://www.sqlite.org/howtocorrupt.html, 2.2
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self._path = folder / FILE
        self._connection = connection
        self._inodes = self._found_inodes()
        self._version, self._stamp = self._data_version(), self._found_stamp()
        self._others_s = float("-inf")

    def wrote(self) -> None:
        """This connection has written, and may have moved its log into the file."""
        before, self._version, self._stamp = self._version, self._data_version(), self._found_stamp()
        if self._version != before:
            self._others_s = time.monotonic()

    def change(self) -> Change:
        """What happened to the file since it was opened; empty: nothing. Raises sqlite3.Error.

        Other programs that write by SQLite, as `vitcam events delete` does, change nothing in this sense. They may move
        the log into the file some time after their last commit.
        """
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return "deleted"
        if found.st_ino != self._inodes[0]:
            return "replaced"
        if not found.st_size:
            return "emptied"
        if self._found_inodes() != self._inodes:
            return "without its log"
        if found.st_mtime_ns == self._stamp:
            return ""
        self.wrote()
        return "overwritten" if time.monotonic() - self._others_s > _LATE_S else ""

    def _data_version(self) -> int:
        """Another one after each commit of another connection."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def _found_stamp(self) -> int:
        try:
            return self._path.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def _found_inodes(self) -> tuple[int, ...]:
        """Of the database and its two companions; 0: there is no such file."""
        return tuple(map(_inode, (self._path, *(self._path.with_name(FILE + end) for end in ("-wal", "-shm")))))


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0
