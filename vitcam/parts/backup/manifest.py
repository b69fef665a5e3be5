"""What a backup says about itself: version of the format, origin, and every file with its size and SHA-256.

A version of the format is MAJOR.MINOR. A backup with a newer minor version can be read: what is unknown in it is left
out. One with a newer major version cannot.
"""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from vitcam._version import __version__
from vitcam.errors import UsageError
from vitcam.parts.backup.found_files import DEEPEST

NAME = "vitcam-backup.json"
"""The first entry of an archive."""
MAJOR, MINOR = 1, 1  # 1.1 added `modified`
MOST_BYTES = 64 * 2**20
"""Of a manifest."""
MOST_FILES = 250_000
_KIND = "vitcam_backup"
_VERSION = re.compile(r"(\d{1,6})\.(\d{1,6})")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LATEST_S = 2**40  # what any file system can keep, and more
_LONGEST, _LONGEST_PART = 2048, 255  # bytes of a name and of a part of it; Linux allows twice as much, with the folder


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """A file in a backup."""

    name: str
    """Its folder's name in every backup, then its path below the folder, with `/`."""
    size: int
    """In bytes."""
    sha256: str
    mode: int
    """Permissions."""
    modified_s: int | None = None
    """When its content was written last, since the epoch; None in backups of format 1.0."""

    @property
    def place(self) -> str:
        return self.name.partition("/")[0]

    @property
    def path(self) -> str:
        """Below its folder."""
        return self.name.partition("/")[2]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The first entry of an archive."""

    vitcam: str
    """The version that wrote it."""
    date: str
    """RFC 3339, UTC."""
    host: str
    service: bool
    """Whether it carries the folders of the service, rather than of a user."""
    files: tuple[CarriedFile, ...]
    minor: int = MINOR
    """Of the format."""

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    def to_bytes(self) -> bytes:
        """JSON, ASCII."""
        record: dict[str, Any] = {_KIND: f"{MAJOR}.{self.minor}", "vitcam": self.vitcam, "date": self.date}
        record |= {"host": self.host, "service": self.service, "files": [asdict(file) for file in self.files]}
        return json.dumps(record).encode()

    @classmethod
    def parse(cls, data: bytes, source: str) -> Self:
        """What `to_bytes` wrote, here or in another version.

        source  names the archive in errors
        raises  UsageError for anything else, for a newer major version, and for names that could leave their folder
        """
        try:
            record = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise damaged(source, "its manifest is not JSON") from error
        if not isinstance(record, dict) or _KIND not in record:
            raise not_a_backup(source)
        minor = _minor_version(record, source)
        try:
            files = tuple(_file(each) for each in record["files"])
            vitcam, date, host = (str(record[key])[:200] for key in ("vitcam", "date", "host"))
            _check_names([file.name for file in files])
            return cls(vitcam, date, host, bool(record["service"]), files, minor)
        except (ValueError, TypeError, KeyError) as error:
            raise damaged(source, f"its manifest is invalid: {error}") from error


def not_a_backup(source: str) -> UsageError:
    """For a file that is something else."""
    return UsageError(f"{source} is not a backup of vitcam; name a file that `vitcam backup` wrote")


def damaged(source: str, why: str) -> UsageError:
    """For a backup that cannot be used."""
    return UsageError(f"{source} is damaged: {why}; nothing was changed; take another copy of the backup")


def _minor_version(record: dict[str, Any], source: str) -> int:
    found = _VERSION.fullmatch(str(record[_KIND]))
    if not found:
        raise damaged(source, f"the version of its format is {str(record[_KIND])[:40]!r}")
    major, minor = int(found[1]), int(found[2])
    if major > MAJOR:
        writer = str(record.get("vitcam", "a newer version"))[:40]
        raise UsageError(
            f"{source} was written by vitcam {writer} in format {major}.{minor}, and vitcam {__version__} reads "
            f"formats up to {MAJOR}; install vitcam {writer} or newer here, then restore it"
        )
    if major < MAJOR:
        raise damaged(source, f"there is no format {major}.{minor}")
    return minor


def _file(record: dict[str, Any]) -> CarriedFile:
    """Raises ValueError, TypeError, KeyError."""
    name, size, digest, mode = record["name"], record["size"], record["sha256"], record["mode"]
    if not isinstance(name, str) or not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise ValueError("a file has no name or no SHA-256")
    if type(size) is not int or type(mode) is not int or size < 0 or not 0 <= mode <= 0o7777:
        raise ValueError("a file has no size or no mode")
    modified_s = record.get("modified_s")
    if modified_s is not None and (type(modified_s) is not int or not 0 <= modified_s < _LATEST_S):
        raise ValueError("a file has an invalid time")
    return CarriedFile(name, size, digest, mode, modified_s)


def _check_names(names: Sequence[str]) -> None:
    """Raises ValueError if there are too many, if two are the same place, or if one could leave its folder."""
    if len(names) > MOST_FILES:
        raise ValueError(f"it lists {len(names):,} files, and {MOST_FILES:,} are allowed")
    files = set(names)
    if len(files) != len(names):
        raise ValueError("it lists a file twice")
    for name in names:
        parts = name.split("/")
        if not 2 <= len(parts) <= DEEPEST or not all(map(_is_plain, parts)) or len(os.fsencode(name)) > _LONGEST:
            raise ValueError(f"it lists the name {name[:80]!r}, which no backup has")
        if any("/".join(parts[:end]) in files for end in range(1, len(parts))):
            raise ValueError(f"it lists {name[:80]!r} below a file")


def _is_plain(part: str) -> bool:
    return part not in ("", ".", "..") and "\0" not in part and len(os.fsencode(part)) <= _LONGEST_PART
