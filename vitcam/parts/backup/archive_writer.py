"""Writes an archive: the manifest, then every file."""

import hashlib
import io
import logging
import os
import socket
import stat
import tarfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, cast

from vitcam._version import __version__
from vitcam.errors import UsageError, VitcamError
from vitcam.parts.backup.database import DamagedDatabaseError, copy_database, is_database
from vitcam.parts.backup.found_files import FoundFile
from vitcam.parts.backup.manifest import MOST_FILES, NAME, CarriedFile, Manifest
from vitcam.parts.backup.output import temporary_room
from vitcam.storage.files import temporary_folder

log = logging.getLogger(__name__)

Progress = Callable[[int], None]
"""Gets the bytes that were read since the last call."""
_LARGEST = 10**15  # bytes; keeps room for the size of a file that grows
_BLOCK = 512
"""source  POSIX.1-2017, pax, "ustar Interchange Format" """


def write_archive(
    found: Sequence[FoundFile], service: bool, out: IO[bytes], room: Path, progress: Progress
) -> Manifest:
    """Write the files as they are now; those that are deleted meanwhile are left out.

    The manifest comes first and holds the SHA-256 of what follows. So its place is kept free, and filled at the end:
    no file is read twice, and none can change between two readings.

    out   can be sought in
    room  a folder for copies of databases
    raises  UsageError if there are too many files; VitcamError if one cannot be read; OSError if `out` cannot
    """
    if len(found) > MOST_FILES:
        raise UsageError(f"there are {len(found):,} files, and a backup holds {MOST_FILES:,}; delete old events first")
    draft = tuple(CarriedFile(file.name, _LARGEST, "0" * 64, 0o7777, 2**40) for file in found)
    reserved = len(_manifest(service, draft).to_bytes())
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(_entry(NAME, reserved), io.BytesIO(bytes(reserved)))
        place = tar.offset - -(-reserved // _BLOCK) * _BLOCK
        written = [_add(tar, file, room, progress) for file in found]
    manifest = _manifest(service, tuple(file for file in written if file is not None))
    out.seek(place)
    out.write(manifest.to_bytes().ljust(reserved))
    out.seek(0, os.SEEK_END)
    return manifest


class _Hashed:
    """A file that remembers the hash of what was read from it."""

    def __init__(self, file: IO[bytes], progress: Progress) -> None:
        self.hash = hashlib.sha256()
        self._file = file
        self._progress = progress

    def read(self, size: int) -> bytes:
        data = self._file.read(size)
        self.hash.update(data)
        self._progress(len(data))
        return data


def _manifest(service: bool, files: tuple[CarriedFile, ...]) -> Manifest:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Manifest(__version__, now, socket.gethostname(), service, files)


def _add(tar: tarfile.TarFile, found: FoundFile, room: Path, progress: Progress) -> CarriedFile | None:
    """Add one file; None if it is gone."""
    with found.owned.acting():
        file = _open(found.path)
        if file is None:
            return None
        status = os.fstat(file.fileno())
        if is_database(found.path):
            try:
                copy = _copy(found, room)
            except DamagedDatabaseError as error:  # one that was set aside, perhaps
                log.warning("%s; it is in the backup as it is", error)
            else:
                file.close()
                file = copy
    with file:
        return _add_content(tar, found, file, status, progress)


def _copy(found: FoundFile, room: Path) -> IO[bytes]:
    """A database as of one moment, in a file without a name."""
    own = room if found.owned.owner is None else temporary_room()
    with temporary_folder(own, "backup") as folder:
        copy = folder / "database"
        copy_database(found.path, copy)
        return copy.open("rb")


def _open(path: Path) -> IO[bytes] | None:
    try:
        file = open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")  # noqa: PTH123, SIM115
    except FileNotFoundError:
        return None
    except OSError as error:
        raise VitcamError(
            f"{path} cannot be read: {error.strerror}; run this as the user who owns the file, or with sudo"
        ) from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode) or _really_open(file) != path:
        file.close()
        return None
    return file


def _really_open(file: IO[bytes]) -> Path:
    """The path without links. Root must not follow a link that the owner of the folder makes while it is read."""
    return Path(f"/proc/self/fd/{file.fileno()}").readlink()


def _add_content(
    tar: tarfile.TarFile, found: FoundFile, file: IO[bytes], status: os.stat_result, progress: Progress
) -> CarriedFile:
    """Add as many bytes as the file has now: one that grows is taken up to here.

    status  of the original, of which `file` may be a copy
    """
    size = os.fstat(file.fileno()).st_size
    hashed, modified_s = _Hashed(file, progress), max(0, int(status.st_mtime))
    try:
        tar.addfile(_entry(found.name, size, modified_s), cast(IO[bytes], hashed))
    except OSError as error:
        if error.errno is None:  # tarfile's own, about the end of the data
            raise VitcamError(f"{found.path} became shorter while it was read; start the backup again") from error
        raise
    return CarriedFile(found.name, size, hashed.hash.hexdigest(), stat.S_IMODE(status.st_mode), modified_s)


def _entry(name: str, size: int, modified_s: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, 0o600, modified_s
    return info
