"""A file of JSON lines that never grows without limit: whole lines only, also after a kill or on a full disk."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vitcam.actions.task import ActionFailed, Task

_MB = 1_000_000
_LOOK_BACK = 65_536  # bytes: more than the longest line


class LineFiles:
    """Adds the line of a task to the file of its rule.

    folder  where files without a leading / lie, the state folder; None: in the working directory
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def __call__(self, task: Task) -> str:
        """Raises ActionFailed."""
        path = (self._folder or Path()) / task.rule.file
        try:
            path.parent.mkdir(0o750, parents=True, exist_ok=True)
            add_line(path, task.text, round(task.rule.file_mb * _MB), task.rule.file_keep)
        except OSError as error:
            raise ActionFailed(f"{path} cannot be written: {error.strerror}") from error
        return ""


def add_line(path: Path, line: str, most_bytes: int, keep: int) -> None:
    """Write a line at the end. Raises OSError; then the file has the lines that it had.

    most_bytes  a file that would become larger is renamed to NAME.1 first, and that one to NAME.2 …
    keep        renamed files
    """
    data = f"{line}\n".encode()
    with _opened(path) as number:
        size = _whole_lines(number)
        if not size or size + len(data) <= most_bytes:
            _write(number, data, size)
            return
        _rotate(path, keep)
    with _opened(path) as number:
        _write(number, data, _whole_lines(number))


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """A descriptor of the file, which no other run writes meanwhile: two runs may have the same rule."""
    while True:
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)
        try:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(number, fcntl.LOCK_EX)
            if _has_name(number, path):
                yield number
                return
        finally:
            os.close(number)


def _has_name(number: int, path: Path) -> bool:
    """False: it was renamed while this run waited for the lock."""
    try:
        return os.path.samestat(os.fstat(number), path.stat())
    except FileNotFoundError:
        return False


def _whole_lines(number: int) -> int:
    """The size of a file; half a line at its end, as a power cut leaves it, is cut off."""
    size = os.fstat(number).st_size
    begin = max(0, size - _LOOK_BACK)
    end = os.pread(number, size - begin, begin)
    if end and not end.endswith(b"\n"):
        size = begin + end.rfind(b"\n") + 1
        os.ftruncate(number, size)
    return size


def _write(number: int, data: bytes, size: int) -> None:
    try:
        written = os.write(number, data)
        if written < len(data):  # the disk is full now: the rest raises
            os.write(number, data[written:])
    except OSError:
        os.ftruncate(number, size)
        raise


def _rotate(path: Path, keep: int) -> None:
    names = [path, *(path.with_name(f"{path.name}.{i}") for i in range(1, keep + 1))]
    for older, newer in reversed(list(zip(names[1:], names, strict=False))):
        if newer.exists():
            newer.replace(older)
    path.unlink(missing_ok=True)  # where none is kept
