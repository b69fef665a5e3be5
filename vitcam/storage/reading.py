"""Reads a file whole: only a plain one, and no more of it than its place may hold.

A pipe or a device in its place would be waited for without end, and a file of gigabytes would fill the memory.
"""

import codecs
import errno
import os
import select
import stat
from pathlib import Path

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_SILENT_S = 10.0
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class UnfitFileError(OSError):
    """What is there is no plain file, or is larger than anything that belongs there; `strerror` says which."""


def read_file(path: Path, most: int) -> bytes:
    """The bytes of a plain file.

    most    how many there may be
    raises  UnfitFileError for a pipe, a socket, a device and for a larger file; OSError if it cannot be read
    """
    _check(path, path.stat().st_mode)  # before it is opened: opening a device may already do something
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with os.fdopen(number, "rb") as file:
        found = os.fstat(number)
        _check(path, found.st_mode)  # another one may have taken its place
        if found.st_size > most:
            raise _too_large(path, most)
        return file.read(found.st_size)


def read_given(path: Path, most: int) -> bytes:
    """As `read_file`, and also what a person hands over in a pipe, as `<(…)` and `/dev/stdin` do.

    raises  TimeoutError where nobody writes into the pipe; else as `read_file`
    """
    if not stat.S_ISFIFO(path.stat().st_mode):
        return read_file(path, most)
    data = b""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb", buffering=0) as pipe:
        while len(data) <= most:
            if not select.select([pipe], [], [], _SILENT_S)[0]:
                raise TimeoutError(errno.ETIMEDOUT, "it is a pipe, and nobody writes into it", str(path))
            if not (part := pipe.read(most + 1 - len(data))):
                return data
            data += part
    raise _too_large(path, most)


def read_text(path: Path, most: int) -> str:
    """The text of a plain file in UTF-8, with or without the mark that Windows writes before it.

    raises  ValueError for another encoding; else as `read_file`
    """
    return text_of(read_file(path, most))


def text_of(data: bytes) -> str:
    """A text in UTF-8. Raises ValueError, which says how to save it, for any other."""
    if data.startswith(_UTF_16) or data[:2].count(0) == 1:  # without its mark one of two bytes is 0
        raise ValueError("it is in UTF-16; save it as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is not in UTF-8; save it as UTF-8") from None


def _check(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "no file")
        raise UnfitFileError(errno.EINVAL, f"it is {kind}, and only a plain file is read", str(path))


def _too_large(path: Path, most: int) -> UnfitFileError:
    size = f"{most // 2**20:,} MiB" if most >= 2**20 else f"{most:,} bytes"
    return UnfitFileError(errno.EFBIG, f"it is larger than {size}, the most that is read", str(path))
