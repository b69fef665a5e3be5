"""A new folder or file that is there once it is complete, and never takes the place of another."""

import os
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vitcam.errors import UsageError, VitcamError
from vitcam.storage.files import put_in_place, rename_new, sync_folder, temporary_folder

ZIP = ".zip"


class Package(ABC):
    """Files under names such as `media/01J….jpg`. Methods raise OSError."""

    @abstractmethod
    def put(self, name: str, data: bytes) -> None:
        """Add a picture or a film: what is compressed already."""

    @abstractmethod
    def move_in(self, path: Path) -> None:
        """Add a table, a file that is complete, under its own name."""


class FolderPackage(Package):
    """A folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()

    def put(self, name: str, data: bytes) -> None:
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)

    def move_in(self, path: Path) -> None:
        path.rename(self._folder / path.name)


class ZipPackage(Package):
    """A zip file."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def put(self, name: str, data: bytes) -> None:
        self._archive.writestr(name, data, zipfile.ZIP_STORED)

    def move_in(self, path: Path) -> None:
        self._archive.write(path, path.name, zipfile.ZIP_DEFLATED)
        path.unlink()


@contextmanager
def new_package(target: Path) -> Iterator[tuple[Package, Path]]:
    """A folder, or a zip file where the target ends so, and a folder beside it for tables that are being written."""
    with _room_for(target) as room:
        partial = room / "package"
        if target.suffix.lower() == ZIP:
            with zipfile.ZipFile(partial, "x") as archive:
                yield ZipPackage(archive), room
            put_in_place(partial, target, over=False)
            return
        yield FolderPackage(partial), room
        os.sync()  # a rename may reach the disk before what is in the folder
        rename_new(partial, target)
        sync_folder(target.parent)


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """A path to write to."""
    with _room_for(target) as room:
        yield room / "file"
        put_in_place(room / "file", target, over=False)


@contextmanager
def _room_for(target: Path) -> Iterator[Path]:
    """A folder beside a target, which is gone at the end.

    raises  UsageError if the target is there, VitcamError if it cannot be written; then nothing is left
    """
    if os.path.lexists(target):
        raise _exists(target)
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}; make it first, or name another one")
    try:
        with temporary_folder(target.parent, "export") as room:
            yield room
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise VitcamError(
            f"{target} cannot be written: {error.strerror or error}; nothing was written; make room, or name another "
            "place"
        ) from error


def _exists(target: Path) -> UsageError:
    return UsageError(f"{target} is there already; name a new one")
