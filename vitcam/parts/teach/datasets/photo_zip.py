"""Reads a zip of photos, a folder a label, and believes nothing in it.

Names in it never become paths. Contents are read one at a time, and only those that are small enough for a photo.
"""

import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, cast

from vitcam.errors import UsageError
from vitcam.parts.teach.datasets.teachable import MOST_PHOTOS
from vitcam.pictures.photo_tree import is_hidden, placed, shown
from vitcam.sentence import Sentence
from vitcam.text import printable

MOST_BYTES = 32 * 2**20  # of one photo
MOST_UNPACKED = 8 * 2**30  # bytes
_AT_ONCE = 4 * 2**20
"""Bytes. A list of contents that is longer is not read: it would have to be kept in memory."""
_CHUNK = 2**20
_LOCKED, _UTF_8 = 0x1, 0x800  # flags of an entry
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_UNIX = 3
_NOWHERE = frozenset({"", "."})
_SYSTEM = frozenset({"thumbs.db", "desktop.ini"})
_GARBAGE = (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, ValueError, OverflowError)
"""What zipfile raises for a damaged zip."""


@dataclass(frozen=True, slots=True, eq=False)
class ZippedPhoto:
    """A file in the zip."""

    path: str
    """As people see it."""
    label: str
    """As `photo_tree` says; empty: it has none."""
    why: str
    """Why it has no label, as one sentence."""
    name: str
    info: zipfile.ZipInfo


@dataclass(frozen=True, slots=True)
class _Bounded:
    """A file of which only a little is read at once: zipfile reads the list of contents as a whole, however long."""

    file: IO[bytes]

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(_AT_ONCE + 1 if size < 0 else min(size, _AT_ONCE + 1))
        if len(data) > _AT_ONCE:
            raise zipfile.BadZipFile("the list of contents is too long")
        return data

    def seek(self, offset: int, origin: int = 0) -> int:
        return self.file.seek(offset, origin)

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.file.tell()


class PhotoZip:
    """The photos in a zip.

    file    it can be sought in; whoever opened it closes it
    raises  UsageError for what is no zip, is damaged, or holds too much
    """

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self._zip = zipfile.ZipFile(cast(IO[bytes], _Bounded(file)))
            self.photos = tuple(_photos(self._zip.infolist()))
        except _GARBAGE as error:
            bad = f"the file is not a zip that can be read ({_reason(error)}); make it again"
            raise UsageError(Sentence(bad, "teach.zip_unreadable")) from error
        if not self.photos:
            empty = "the zip holds no files; put photos into it, each label in a folder of its own"
            raise UsageError(Sentence(empty, "teach.zip_empty"))
        if len(self.photos) > MOST_PHOTOS:
            many = f"the zip holds {len(self.photos):,} files; at most {MOST_PHOTOS:,} can be taught, so remove some"
            raise UsageError(Sentence(many, "teach.zip_many", n=len(self.photos), most=MOST_PHOTOS))
        size = sum(photo.info.file_size for photo in self.photos if photo.info.file_size <= MOST_BYTES)
        if size > MOST_UNPACKED:
            gb, most = round(size / 2**30), MOST_UNPACKED // 2**30
            large = f"the zip unpacks to {gb:,} GiB; at most {most} are allowed, so send it in parts"
            raise UsageError(Sentence(large, "teach.zip_large", gb=gb, most=most))

    def read(self, photo: ZippedPhoto) -> bytes:
        """The bytes of a file. Raises UsageError for one that is no plain file, too large, locked or damaged."""
        info = photo.info
        if info.create_system == _UNIX and (mode := info.external_attr >> 16) and not _is_plain(mode):
            link = "it is a link, and only files are read; put the photo itself into the zip"
            raise UsageError(Sentence(link, "teach.zip_link"))
        if info.flag_bits & _LOCKED:
            raise UsageError(Sentence("it is locked with a password; make the zip without one", "teach.zip_locked"))
        if info.compress_type not in _METHODS:
            other = "it is compressed in another way than deflate; make the zip again"
            raise UsageError(Sentence(other, "teach.zip_method"))
        if info.file_size > MOST_BYTES:
            most = MOST_BYTES // 2**20
            raise UsageError(
                Sentence(f"it is larger than {most} MiB; make it smaller", "teach.zip_big_file", most=most)
            )
        try:
            with self._zip.open(info) as file:
                return b"".join(iter(lambda: file.read(_CHUNK), b""))
        except (*_GARBAGE, OSError) as error:
            damaged = f"it is damaged ({_reason(error)}); make the zip again"
            raise UsageError(Sentence(damaged, "teach.zip_damaged")) from error


def _photos(infos: Sequence[zipfile.ZipInfo]) -> Iterator[ZippedPhoto]:
    """All but folders, and what systems write beside people's files."""
    names = (name.replace("\\", "/") for name in _names(infos))
    split = [(tuple(part for part in name.split("/") if part not in _NOWHERE), name) for name in names]
    files = [
        (info, parts)
        for info, (parts, name) in zip(infos, split, strict=True)
        if parts and not name.endswith("/") and not is_hidden(parts) and parts[-1].casefold() not in _SYSTEM
    ]
    for (info, parts), found in zip(files, placed([parts for _, parts in files]), strict=True):
        yield ZippedPhoto(shown("/".join(parts)), found.label, found.why, parts[-1], info)


def _names(infos: Sequence[zipfile.ZipInfo]) -> list[str]:
    """The names as they were meant. Where nobody knows how one was written, its bytes are kept as Python keeps them.

    UTF-8 is marked. Programs on Unix write it without the mark, too. Any other letters are in the code page of the
    machine that made the zip, which it does not name.
    """
    raw = [b"" if info.flag_bits & _UTF_8 else info.orig_filename.encode("cp437", "replace") for info in infos]
    foreign = [(name, info) for name, info in zip(raw, infos, strict=True) if not name.isascii()]
    is_utf_8 = all(info.create_system == _UNIX and _is_utf_8(name) for name, info in foreign)
    decoded = (name.decode("utf-8" if is_utf_8 else "ascii", "surrogateescape") for name in raw)
    return [name or info.orig_filename for name, info in zip(decoded, infos, strict=True)]


def _is_utf_8(name: bytes) -> bool:
    try:
        name.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_plain(mode: int) -> bool:
    return stat.S_IFMT(mode) in (0, stat.S_IFREG)


def _reason(error: BaseException) -> str:
    return printable(str(error))[:80] or type(error).__name__
