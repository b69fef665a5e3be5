"""One run for each state folder: a lock that the kernel releases with the process, however that ends."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from vitcam.errors import VitcamError

_FILE = "lock"
SERVING_LOCK = "serving.lock"
"""Held by the run that serves the commands of a folder: one that keeps no events does not hold the other."""


class FolderLock:
    """The lock of a folder: a run that writes events, pictures or clips in it holds it. Given back with the `with`.

    A folder that cannot be written needs no lock: nothing is kept in it. None: there is no folder.

    file    its name in the folder; what is said of a lock that is held speaks of the folder as a whole
    source  flock(2)
    """

    def __init__(self, folder: Path | None, file: str = _FILE) -> None:
        self._folder = folder
        self._file = file
        self._number: int | None = None

    def __enter__(self) -> "FolderLock":
        return self

    def __exit__(self, *_: object) -> None:
        if self._number is not None:
            os.close(self._number)
        self._number = None

    def take(self) -> None:
        """Hold it from now on; nothing if it is held. Raises VitcamError if another process holds it."""
        if self._folder is None or self._number is not None:
            return
        number = _open(self._folder, self._file)
        if number is None:
            return
        try:
            _take(self._folder, number)
        except VitcamError:
            os.close(number)
            raise
        self._number = number


def holder_of(folder: Path, file: str = _FILE) -> int | None:
    """The number of the process that holds the lock of a folder; None if none does, or nobody may know."""
    try:
        number = os.open(folder / file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(number, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = os.pread(number, 20, 0).strip()
        return int(pid) if pid.isdigit() else None
    except OSError:  # a file system without locks
        return None
    finally:
        os.close(number)
    return None


def _open(folder: Path, file: str) -> int | None:
    """Raises VitcamError for the lock of another user in a folder that can be written."""
    try:
        folder.mkdir(0o750, parents=True, exist_ok=True)
        return os.open(folder / file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except PermissionError:
        if os.access(folder, os.W_OK):
            raise VitcamError(
                f"the file {folder / file} belongs to another user; delete it if no vitcam of that user runs, or give "
                f"this one a state folder of its own, such as STATE_DIRECTORY={folder}-2"
            ) from None
        return None
    except OSError:
        return None


def _take(folder: Path, number: int) -> None:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise VitcamError(
            f"{_holder(number)} uses the state folder {folder}; end that one, or give this one a state folder of its "
            f"own, such as STATE_DIRECTORY={folder}-2"
        ) from None
    except OSError:  # a file system without locks
        return
    with suppress(OSError):  # a full disk
        os.ftruncate(number, 0)
        os.pwrite(number, f"{os.getpid()}\n".encode(), 0)


def _holder(number: int) -> str:
    pid = os.pread(number, 20, 0).strip()
    return f"another vitcam, process {int(pid)}," if pid.isdigit() else "another vitcam"
