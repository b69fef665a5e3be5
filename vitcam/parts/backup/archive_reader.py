"""Reads an archive, and believes nothing in it before it is checked."""

import hashlib
import os
import shutil
import stat
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, cast

from vitcam.errors import UsageError, VitcamError
from vitcam.parts.backup.manifest import MOST_BYTES, NAME, CarriedFile, Manifest, damaged, not_a_backup
from vitcam.parts.backup.output import STANDARD, temporary_room

_CHUNK = 2**20
_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd", b"PK": "zip"}
_GARBAGE = (tarfile.TarError, ValueError, OverflowError, RecursionError, EOFError)
"""What tarfile raises for a damaged archive."""


@contextmanager
def open_archive(source: str) -> Iterator["BackupArchive"]:
    """An archive whose manifest was read and checked. `-` reads standard input.

    raises  UsageError if it is not there, is something else, or is damaged
    """
    with _opened(source) as file:
        head = file.read(6)
        file.seek(0)
        for magic, kind in _COMPRESSED.items():
            if head.startswith(magic):
                raise UsageError(f"{source} is compressed ({kind}), and a backup is not; unpack it first")
        try:
            tar = tarfile.open(fileobj=cast(IO[bytes], _Bounded(file)), mode="r:")  # noqa: SIM115 - closed with the file below it
        except _GARBAGE as error:
            raise not_a_backup(source) from error
        yield BackupArchive(source, tar, os.fstat(file.fileno()).st_size)


@dataclass(frozen=True, slots=True)
class _Bounded:
    """A file of which only a little is read at once: tarfile reads some headers as a whole, however long they are."""

    file: IO[bytes]

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _CHUNK:
            raise tarfile.ReadError("a header is too long")
        return self.file.read(size)

    def seek(self, offset: int, origin: int = 0) -> int:
        return self.file.seek(offset, origin)

    def tell(self) -> int:
        return self.file.tell()


class BackupArchive:
    """What a backup holds.

    source  names it in errors
    size    of the whole archive, in bytes
    """

    def __init__(self, source: str, tar: tarfile.TarFile, size: int) -> None:
        self._source = source
        self._tar = tar
        entry = self._next()
        if entry is None or entry.name != NAME:
            raise not_a_backup(source)
        if not _is_plain_file(entry) or entry.size > MOST_BYTES:
            raise damaged(source, "its manifest must be a plain file, and not too large")
        self.manifest = Manifest.parse(b"".join(self._chunks(entry)), source)
        if self.manifest.size > size:
            raise damaged(source, f"its files have {self.manifest.size:,} bytes, and it has only {size:,}")

    def files(self) -> Iterator[tuple[CarriedFile, Iterator[bytes]]]:
        """Every file with its content, once, in order. A content must be read to its end before the next one.

        raises  UsageError if a file is not as the manifest says: at the latest at the end of its content
        """
        for file in self.manifest.files:
            entry = self._next()
            if entry is None:
                raise damaged(self._source, f"it ends before {file.name}")
            if entry.name != file.name or entry.size != file.size or not _is_plain_file(entry):
                raise damaged(self._source, f"in place of {file.name} it holds something else")
            yield file, self._checked(file, entry)
        if self._next() is not None:
            raise damaged(self._source, "it holds more than its manifest lists")

    def _checked(self, file: CarriedFile, entry: tarfile.TarInfo) -> Iterator[bytes]:
        digest = hashlib.sha256()
        for chunk in self._chunks(entry):
            digest.update(chunk)
            yield chunk
        if digest.hexdigest() != file.sha256:
            raise damaged(self._source, f"the content of {file.name} has another SHA-256 than the manifest says")

    def _next(self) -> tarfile.TarInfo | None:
        try:
            entry = self._tar.next()
        except _GARBAGE as error:
            raise damaged(self._source, "it is not a tar archive from here on, or it was cut off") from error
        self._tar.members = []  # type: ignore[attr-defined] # tarfile keeps all that it has seen
        return entry

    def _chunks(self, entry: tarfile.TarInfo) -> Iterator[bytes]:
        content = self._tar.extractfile(entry)
        left = entry.size
        while content is not None and left:
            try:
                chunk = content.read(min(_CHUNK, left))
            except _GARBAGE as error:
                raise damaged(self._source, f"it ends within {entry.name}") from error
            if not chunk:
                raise damaged(self._source, f"it ends within {entry.name}")
            left -= len(chunk)
            yield chunk


def _is_plain_file(entry: tarfile.TarInfo) -> bool:
    return entry.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not entry.issparse()


def _opened(source: str) -> IO[bytes]:
    """A plain file, or what came through standard input."""
    if source == STANDARD:
        return _received()
    try:
        # without O_NONBLOCK a pipe would wait for somebody who writes into it
        file = open(os.open(source, os.O_RDONLY | os.O_NONBLOCK), "rb")  # noqa: PTH123, SIM115
    except OSError as error:
        raise UsageError(
            f"{source} cannot be read: {error.strerror}; name a file that `vitcam backup` wrote"
        ) from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise UsageError(f"{source} is not a plain file; name a file that `vitcam backup` wrote")
    return file


def _received() -> IO[bytes]:
    if sys.stdin.isatty():
        raise UsageError("a backup is not read from a terminal; name a file")
    file = tempfile.TemporaryFile(dir=temporary_room())  # noqa: SIM115 - the caller closes it
    try:
        shutil.copyfileobj(sys.stdin.buffer, file)
    except OSError as error:
        file.close()
        raise VitcamError(f"standard input cannot be kept in {temporary_room()}: {error.strerror}") from error
    file.seek(0)
    return file
