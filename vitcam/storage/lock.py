"""One daemon for each state folder: a lock that the kernel releases with the process, however that ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vitcam.errors import VitcamError

_FILE = "lock"


@contextmanager
def locked(folder: Path | None) -> Iterator[None]:
    """Hold the lock of a folder. A folder that cannot be written needs no lock: nothing is kept in it.

    raises  VitcamError if another process holds it
    source  flock(2)
    """
    number = None if folder is None else _open(folder)
    try:
        if folder is not None and number is not None:
            _take(folder, number)
        yield
    finally:
        if number is not None:
            os.close(number)


def _open(folder: Path) -> int | None:
    try:
        folder.mkdir(0o750, parents=True, exist_ok=True)
        return os.open(folder / _FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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
