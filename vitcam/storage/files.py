"""Files that are replaced in one step, so that a reader finds all of the old or all of the new one, also after SIGKILL.

What is being made has a name of our own, and a lock that the kernel releases with its maker, however that ends. So
what a killed process left is known by both, and goes with the next writing there. No other part of vitcam replaces
files.
"""

import ctypes
import errno
import fcntl
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PRIVATE, _PUBLIC = 0o600, 0o666  # what the umask leaves of it
_FOLDER = 0o750
_PRIVATE_FOLDER = 0o700
_UNFINISHED = re.compile(r"\.vitcam-[a-z]+-[0-9a-f]{16}")
_UNFINISHED_BEFORE = re.compile(r"\..+\.([0-9a-f]{8}|jpg)\.partial", re.DOTALL)  # until version 0.2, without a lock
_ABANDONED_S = 3600.0  # nobody writes a file for this long
_RENAME_NOREPLACE, _AT_FDCWD = 1, -100  # linux/fs.h, fcntl.h


@contextmanager
def atomic_write(path: Path, private: bool = False) -> Iterator[Path]:
    """A new, empty file beside `path` to write into. After the `with` it has the name `path`, and is on the disk.

    After an exception `path` is as it was, and the new file is gone. A `path` that is such a new file itself is
    written where it is.

    private  only its owner may read it
    raises   OSError if it cannot be written
    """
    if is_unfinished(path.name):
        os.truncate(path, 0)
        yield path
        return
    remove_abandoned(path.parent)
    with _made(path, private) as (partial, _):
        yield partial


@contextmanager
def given_file(path: Path) -> Iterator[Path]:
    """What to write into for a path that a person named. A file there stays as it is until the new one is complete.

    A pipe or a device is written as it is. Raises OSError.
    """
    if (path.exists() and not path.is_file()) or path.is_relative_to("/dev"):
        yield path
        return
    real = path.resolve()
    with atomic_write(real) as partial:
        if real.exists():
            partial.chmod(stat.S_IMODE(real.stat().st_mode))
        yield partial


def write_atomically(path: Path, text: str, private: bool = False) -> None:
    """Write a text file in one step, and the folder that it is in. Arguments and errors as in `atomic_write`."""
    path.parent.mkdir(_FOLDER, parents=True, exist_ok=True)
    remove_abandoned(path.parent)
    with _made(path, private) as (_, number), open(number, "w", encoding="utf-8", closefd=False) as file:
        file.write(text)


def write_new(path: Path, data: bytes, over: bool = False) -> None:
    """Write a file in one step, and only for its owner. The folder that it is in is made.

    What a killed process left there, `remove_abandoned` removes.

    over    what has the name is replaced
    raises  FileExistsError if something has the name, OSError if it cannot be written; nothing is left then
    """
    for folder in reversed([each for each in path.parents if not each.exists()]):
        folder.mkdir(_PRIVATE_FOLDER, exist_ok=True)  # `parents=True` would let everybody look into the others
    with _made(path, True, over) as (_, number), open(number, "wb", closefd=False) as file:
        file.write(data)


@contextmanager
def _made(path: Path, private: bool, over: bool = True) -> Iterator[tuple[Path, int]]:
    """The new file, and a number to write into it: its name may lead elsewhere by then."""
    flags, mode = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _PRIVATE if private else _PUBLIC
    partial = path.with_name(_new_name("partial"))
    try:
        with _locked(lambda: os.open(partial, flags, mode)) as number:
            yield partial, number
            put_in_place(partial, path, over)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def put_in_place(partial: Path, path: Path, over: bool) -> None:
    """Give a file that is complete its name, on the disk. Raises OSError; FileExistsError if it is not `over` another.

    over  what has the name is replaced
    """
    _sync(partial, os.O_RDWR | os.O_NOFOLLOW)
    if over:
        partial.replace(path)
    else:
        rename_new(partial, path)
    sync_folder(path.parent)  # without this the new name may be lost with the power


@contextmanager
def temporary_folder(beside: Path, what: str) -> Iterator[Path]:
    """A new folder in another, which only its owner may enter, and which is gone at the end of the context.

    what    for its name, in letters
    raises  OSError if it cannot be made
    """
    remove_abandoned(beside)
    folder = beside / _new_name(what)

    def make() -> int:
        folder.mkdir(_PRIVATE_FOLDER)
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    try:
        with _locked(make):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(make: Callable[[], int]) -> Iterator[int]:
    """Make something new, and hold its lock. Made again, if another process took it for abandoned before."""
    while True:
        number = make()
        try:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(number, fcntl.LOCK_SH)
            if os.fstat(number).st_nlink:
                yield number
                return
        finally:
            os.close(number)


def _new_name(what: str) -> str:
    return f".vitcam-{what}-{secrets.token_hex(8)}"


def is_unfinished(name: str) -> bool:
    """Whether something of this name is being made, or was left by a process that was killed meanwhile."""
    return _UNFINISHED.fullmatch(name) is not None


def was_unfinished(name: str) -> bool:
    """The same for the names of earlier versions, which only folders of vitcam's own hold."""
    return _UNFINISHED_BEFORE.fullmatch(name) is not None


def remove_abandoned(folder: Path, own: bool = False) -> None:
    """Remove from a folder what killed processes left unfinished: nobody holds its lock. What fails is left there.

    own  the folder is one of vitcam's own, so names of earlier versions count, too
    """
    with suppress(OSError):
        for path in folder.iterdir():
            if is_unfinished(path.name) or (own and was_unfinished(path.name)):
                with suppress(OSError):
                    _remove_unless_locked(path)


def _remove_unless_locked(path: Path) -> None:
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(number)
        if _is_abandoned(number, path.name, found):
            shutil.rmtree(path) if stat.S_ISDIR(found.st_mode) else path.unlink()
    finally:
        os.close(number)


def _is_abandoned(number: int, name: str, found: os.stat_result) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if is_unfinished(name):
            return True
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return time.time() - found.st_mtime > _ABANDONED_S


def rename_new(path: Path, target: Path) -> None:
    """Rename a file or a folder to a name that nothing has.

    raises  FileExistsError if something has it, also if it came at the same moment; OSError
    source  renameat2(2)
    """
    call = ctypes.CDLL(None, use_errno=True).renameat2
    if call(_AT_FDCWD, os.fsencode(path), _AT_FDCWD, os.fsencode(target), _RENAME_NOREPLACE) == 0:
        return
    number = ctypes.get_errno()
    if number not in (errno.EINVAL, errno.ENOSYS):  # a network's file system knows no such renaming
        raise OSError(number, os.strerror(number), str(path), None, str(target))
    try:
        os.link(path, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:  # a folder, or a file system without links
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path), None, str(target)) from None
        path.rename(target)
    else:
        path.unlink()


def sync_folder(folder: Path) -> None:
    """What was made, renamed and removed in a folder is on the disk then. Raises OSError."""
    _sync(folder, os.O_RDONLY | os.O_DIRECTORY)


def _sync(path: Path, flags: int) -> None:
    number = os.open(path, flags | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)


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
