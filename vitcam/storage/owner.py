"""Root at work in somebody else's folder: it works as that user, so that no link there leads further than the user may.

Who owns a folder can put a link in place of everything below it, at any moment. Root would follow it.
"""

import atexit
import codecs
import ctypes
import os
import pwd
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from vitcam.errors import VitcamError

_NOBODY = 65534
_CLONE_NEWNS = 0x20000  # linux/sched.h
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000  # linux/mount.h
_MNT_DETACH = 2

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Owner:
    """A user who is not root."""

    uid: int
    gid: int

    @contextmanager
    def acting(self) -> Iterator[None]:
        """While the context lasts, this process, root's, has no more rights than this user. For all of its threads."""
        groups, gid = os.getgroups(), os.getegid()
        try:
            os.setgroups([])
            os.setegid(self.gid)
            os.seteuid(self.uid)
        except OSError as error:
            raise VitcamError(
                f"root cannot work as user {self.uid} here: {error.strerror}; run this as that user"
            ) from error
        try:
            yield
        finally:
            os.seteuid(0)
            os.setegid(gid)
            os.setgroups(groups)


@dataclass(frozen=True, slots=True)
class OwnedFolder:
    """A folder, and whom to be in it."""

    folder: Path
    """As people name it."""
    path: Path
    """Where `acting` finds it: the same, unless root alone may enter a folder above it, as systemd's private/."""
    owner: Owner | None
    """None: this process works as it is."""

    @contextmanager
    def acting(self) -> Iterator[Path]:
        """Work in the folder as its owner; gives `path`. Errors name the folder as people do."""
        if self.owner is None:
            yield self.path
            return
        try:
            with self.owner.acting():
                yield self.path
        except VitcamError as error:
            raise type(error)(str(error).replace(str(self.path), str(self.folder))) from error

    def each(self, made: Iterator[T]) -> Iterator[T]:
        """What an iterator makes, each made as the owner; in between this process is what it was."""
        while True:
            with self.acting():
                try:
                    value = next(made)
                except StopIteration:
                    return
            yield value


def owned(folder: Path, named: Path | None = None) -> OwnedFolder:
    """Whom to be in a folder. Raises VitcamError if its owner cannot reach it.

    named  as a person or a variable named it, where `folder` is what that led to: who owns a link on the way counts
    """
    owner = owner_of(named or folder)
    if owner is None or not folder.is_dir():
        return OwnedFolder(folder, folder, owner)
    for encoding in ("ascii", "utf-8-sig"):  # of SQLite's paths, of texts
        codecs.lookup(encoding)  # Python itself may lie where the owner may not read
    real = Path(os.path.realpath(folder))
    if all(_may_enter(above, owner) for above in real.parents):
        return OwnedFolder(folder, folder, owner)
    try:
        return OwnedFolder(folder, _within_reach(real), owner)
    except OSError as error:
        raise VitcamError(
            f"{folder} belongs to user {owner.uid}, who may not enter a folder above it, and cannot be mounted "
            f"elsewhere: {error.strerror}; run this as root of the machine itself, not of a container"
        ) from error


def owner_of(folder: Path) -> Owner | None:
    """Whom root must be below a folder; None where all on the way is root's own, or this process is not root's.

    The first part of the way that is not root's decides: who owns it can replace all that comes after it.
    """
    if os.geteuid() != 0:
        return None
    named = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would pass over a link whose owner counts
    for way in (named, Path(os.path.realpath(named))):
        for part in (*reversed(way.parents), way):
            with suppress(OSError):
                found = part.lstat()
                if found.st_uid != 0:
                    return Owner(found.st_uid, _group(found))
    return None


def _group(found: os.stat_result) -> int:
    try:
        return pwd.getpwuid(found.st_uid).pw_gid
    except KeyError:  # a user that systemd has made up
        return found.st_gid or _NOBODY


def _may_enter(folder: Path, owner: Owner) -> bool:
    found = folder.stat()
    if found.st_uid == owner.uid:
        return bool(found.st_mode & 0o100)
    return bool(found.st_mode & (0o010 if found.st_gid == owner.gid else 0o001))


def _within_reach(folder: Path) -> Path:
    """Another way to a folder, which this process alone sees: SQLite opens files by their whole path only.

    raises  OSError
    """
    place = Path(tempfile.mkdtemp(prefix="vitcam-", dir="/run"))
    try:
        place.chmod(0o711)
        _call("unshare", _CLONE_NEWNS)
        _call("mount", None, b"/", None, _MS_REC | _MS_SLAVE, None)
        _call("mount", os.fsencode(folder), os.fsencode(place), None, _MS_BIND | _MS_REC, None)
    except BaseException:
        place.rmdir()
        raise
    atexit.register(_leave, place)
    return place


def _leave(place: Path) -> None:
    with suppress(OSError):
        _call("umount2", os.fsencode(place), _MNT_DETACH)
        place.rmdir()


def _call(name: str, *values: int | bytes | None) -> None:
    """A function of the C library. Raises OSError."""
    call = getattr(ctypes.CDLL(None, use_errno=True), name)
    given = [ctypes.c_ulong(value) if isinstance(value, int) else value for value in values]
    if call(*given) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
