"""Notices that a file has changed, without reading it."""

from collections.abc import Iterable
from pathlib import Path

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
