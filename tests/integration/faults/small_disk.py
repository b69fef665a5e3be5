"""A disk that is full soon."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.integration.faults.namespaces import need_namespaces


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """A tmpfs at a new folder.

    size  as mount takes it, such as 64k
    """
    need_namespaces("--mount")
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=True, timeout=60)
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=True, timeout=60)


def fill(disk: Path) -> None:
    """Leave no room on it."""
    with (disk / "filler").open("wb", buffering=0) as filler:
        try:
            while True:
                filler.write(bytes(4096))
        except OSError:
            return
