"""Puts the files of an archive in place: all of them, or none.

First everything is written beside its place, and checked. Then what was there is moved into a folder of its own, and
the new files take its place, each by one rename. What fails before the end is taken back.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from vitcam.backup.archive_reader import BackupArchive
from vitcam.backup.archive_writer import Progress
from vitcam.backup.found_files import BEFORE_RESTORE, is_left_out
from vitcam.backup.manifest import CarriedFile
from vitcam.backup.places import CarriedFolder
from vitcam.backup.restore_plan import RestorePlan
from vitcam.errors import VitcamError
from vitcam.storage.owner import OwnedFolder, owned

_STAGING = ".vitcam-restore-"
_Undo = tuple[OwnedFolder, Callable[[], object]]


def restore(archive: BackupArchive, plan: RestorePlan, progress: Progress) -> tuple[Path, ...]:
    """Put everything in place; returns the folders that keep what was there before.

    raises  UsageError for a damaged archive, VitcamError if something cannot be written; nothing has changed then
    """
    with ExitStack() as cleaned:
        try:
            unpacked = {place.name: _Unpacked.beside(place, cleaned) for place in plan.places}
            _unpack(archive, plan, unpacked, progress)
            os.sync()  # the files must be on the disk before their names are
            return _exchange(tuple(unpacked.values()))
        except OSError as error:
            where = error.filename or plan.places[0].folder
            raise VitcamError(
                f"{where} cannot be written: {error.strerror or error}; nothing was changed; free the disk, or "
                "run this as the user who owns the folder, or with sudo"
            ) from error


@dataclass(slots=True)
class _Unpacked:
    """The files for one folder, before they are in place. All of it is the folder's owner's work."""

    place: CarriedFolder
    owned: OwnedFolder
    folder: Path
    made: set[Path] = field(default_factory=set)

    @classmethod
    def beside(cls, place: CarriedFolder, cleaned: ExitStack) -> "_Unpacked":
        """In the folder itself, so that it is on the same disk; gone at the end. Raises OSError."""
        above = owned(place.folder.parent, place.named and place.named.parent)
        with above.acting():  # its own owner is known only once it is there
            _make(place)
        mine = place.owned()
        with mine.acting() as there:
            for interrupted in there.glob(f"{_STAGING}*"):
                shutil.rmtree(interrupted, ignore_errors=True)
            folder = Path(tempfile.mkdtemp(prefix=_STAGING, dir=there))
        unpacked = cls(place, mine, folder, {folder})
        cleaned.callback(unpacked.remove)
        return unpacked

    def remove(self) -> None:
        with self.owned.acting():
            shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, file: CarriedFile, content: Iterator[bytes]) -> None:
        """Raises OSError."""
        with self.owned.acting():
            self._write(file, content)

    def _write(self, file: CarriedFile, content: Iterator[bytes]) -> None:
        path = self.folder / file.path
        self._make_folders(path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with open(os.open(path, flags, 0o600), "wb") as out:  # noqa: PTH123
            for chunk in content:
                out.write(chunk)
            os.fchmod(out.fileno(), file.mode & 0o755 | 0o600)
        if file.modified_s is not None:
            os.utime(path, (file.modified_s, file.modified_s))

    def _make_folders(self, folder: Path) -> None:
        if folder not in self.made:
            self._make_folders(folder.parent)
            folder.mkdir(self.place.mode)
            self.made.add(folder)


def _unpack(archive: BackupArchive, plan: RestorePlan, unpacked: dict[str, _Unpacked], progress: Progress) -> None:
    for file, content in archive.files():
        place = plan.place_of(file)
        counted = _counted(content, progress)
        if place is None:
            for _ in counted:  # checked, too
                pass
        else:
            unpacked[place.name].write(file, counted)


def _counted(content: Iterator[bytes], progress: Progress) -> Iterator[bytes]:
    for chunk in content:
        progress(len(chunk))
        yield chunk


def _exchange(unpacked: Sequence[_Unpacked]) -> tuple[Path, ...]:
    """Move what is there away and the new files in; after an error everything is as before. Raises OSError."""
    undo: list[_Undo] = []
    kept: list[Path] = []
    try:
        for each in unpacked:
            with each.owned.acting() as folder:
                old = sorted(path for path in folder.iterdir() if not is_left_out(path.name))
                if old:
                    keeping = _keeping_folder(folder)
                    undo.append((each.owned, keeping.rmdir))
                    kept.append(each.place.folder / keeping.name)
                    _move_all(each.owned, old, keeping, undo)
                _move_all(each.owned, sorted(each.folder.iterdir()), folder, undo)
    except BaseException:
        for place, take_back in reversed(undo):
            with place.acting():
                take_back()
        raise
    os.sync()
    return tuple(kept)


def _move_all(place: OwnedFolder, paths: Sequence[Path], folder: Path, undo: list[_Undo]) -> None:
    for path in paths:
        target = folder / path.name
        path.rename(target)
        undo.append((place, partial(target.rename, path)))


def _keeping_folder(folder: Path) -> Path:
    """A new folder for what was there; only its owner may look into it."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    return Path(tempfile.mkdtemp(prefix=f"{BEFORE_RESTORE}{now}-", dir=folder))


def _make(place: CarriedFolder) -> None:
    if not place.folder.exists():
        place.folder.parent.mkdir(parents=True, exist_ok=True)
        place.folder.mkdir(place.mode)
