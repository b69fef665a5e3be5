"""Files that are replaced in one step, so that a reader finds all of the old or all of the new one, also after SIGKILL.

And whether a file was replaced since. No other part of vitcam replaces files.
"""

import glob
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PRIVATE, _PUBLIC = 0o600, 0o666  # what the umask leaves of it
_FOLDER = 0o750
_PRIVATE_FOLDER = 0o700
_ABANDONED_S = 3600.0  # nobody writes a file for this long


@contextmanager
def atomic_write(path: Path, private: bool = False) -> Iterator[Path]:
    """A new, empty file beside `path` to write into. After the `with` it has the name `path`, and is on the disk.

    After an exception `path` is as it was, and the new file is gone. What a killed process left is removed later.

    private  only its owner may read it
    raises   OSError if it cannot be written
    """
    with _made(path, private) as (partial, number):
        os.close(number)
        yield partial


def write_atomically(path: Path, text: str, private: bool = False) -> None:
    """Write a text file in one step, and the folder that it is in. Arguments and errors as in `atomic_write`."""
    path.parent.mkdir(_FOLDER, parents=True, exist_ok=True)
    with _made(path, private) as (_, number), os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(text)


@contextmanager
def _made(path: Path, private: bool) -> Iterator[tuple[Path, int]]:
    """The new file, and a number to write into it, which is to be closed: its name may lead elsewhere by then."""
    _remove_abandoned(path)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    number = os.open(partial, flags, _PRIVATE if private else _PUBLIC)
    try:
        yield partial, number
        _sync(partial, os.O_RDWR | os.O_NOFOLLOW)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _sync(path.parent, os.O_RDONLY | os.O_DIRECTORY)  # without this the new name may be lost with the power


def _sync(path: Path, flags: int) -> None:
    number = os.open(path, flags | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _remove_abandoned(path: Path) -> None:
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.partial"):
        with suppress(OSError):  # another process may have finished it
            if time.time() - left.stat().st_mtime > _ABANDONED_S:
                left.unlink()


def write_new(path: Path, data: bytes) -> None:
    """Write a file whose name is new, in one step, and only for its owner. The folder that it is in is made.

    A killed process leaves a file that begins with a dot and ends in `.partial`; the caller removes it.

    raises  OSError if it cannot be written; nothing is left then
    """
    for folder in reversed([each for each in path.parents if not each.exists()]):
        folder.mkdir(_PRIVATE_FOLDER, exist_ok=True)  # `parents=True` would let everybody look into the others
    partial = path.with_name(f".{path.name}.partial")
    try:
        with open(partial, "xb", opener=_open_private) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.rename(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    _sync(path.parent, os.O_RDONLY | os.O_DIRECTORY)


def _open_private(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_CLOEXEC, _PRIVATE)


Stamp = tuple[tuple[int, int, int] | None, ...]
"""Of each file: inode, time of the last change in ns, and bytes; None if it is not there."""


def stamp_of(paths: Iterable[Path]) -> Stamp:
    """Differs from the one before if any of the files was written, replaced or deleted. Asks the disk."""
    return tuple(_one(path) for path in paths)


def _one(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
