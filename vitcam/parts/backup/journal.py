"""Replaces the old files of one or several folders with the restored ones: all of them or none, whatever happens.

Each folder has `.vitcam-restore` with the new files and `moves.json`, which says what is moved where. Once all of that
is on the disk, `decided.json` is written in one of the folders: from then on the restore counts as decided. After a
power cut, the next start of vitcam or the next restore finds `decided.json` and finishes the restore. If there is no
such file, nothing was changed yet, and the unpacked files are deleted.

Each step is one rename. The place of each file shows which steps were done, so every step can be repeated or undone.
"""

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from os.path import lexists
from pathlib import Path
from typing import Any, Self

from vitcam.errors import ConfigError, VitcamError
from vitcam.folders import RESTORING
from vitcam.storage.files import rename_new, sync_folder, write_atomically
from vitcam.storage.owner import OwnedFolder, owned
from vitcam.storage.reading import read_file

NEW = "new"
_MOVES, _DECIDED = "moves.json", "decided.json"
_LARGEST = 2**24  # bytes of one of these
_DAMAGES = (OSError, ValueError, TypeError, LookupError, RecursionError)


class HalfDoneError(VitcamError):
    """A restore that could neither be carried to its end nor be taken back."""


@dataclass(frozen=True, slots=True)
class RestorePart:
    """What a restore moves in one folder. All of it is the work of the folder's owner."""

    place: OwnedFolder
    restore: str
    """The id of the restore; the same in all its folders."""
    decider: str
    """The folder that has `decided.json`."""
    kept: str
    """The name of the folder that keeps the old files."""
    old: tuple[str, ...]
    new: tuple[str, ...]

    @classmethod
    def read(cls, place: OwnedFolder) -> Self | None:
        """The one of a folder; None if there is none that can be used."""
        try:
            with place.acting() as folder:
                record = _record(folder / RESTORING / _MOVES)
            old, new, kept = tuple(record["old"]), tuple(record["new"]), record["kept"]
            if any("/" in name or name in ("", ".", "..", RESTORING) for name in (kept, *old, *new)):
                return None
            return cls(place, record["restore"], record["decider"], kept, old, new)
        except _DAMAGES:
            return None

    def write(self) -> None:
        """Raises OSError."""
        record = {"restore": self.restore, "decider": self.decider, "kept": self.kept, "old": self.old, "new": self.new}
        with self.place.acting() as folder:
            write_atomically(folder / RESTORING / _MOVES, json.dumps(record))
            (folder / self.kept).mkdir(0o700)

    def move_old(self) -> None:
        """Move away what was there. Raises OSError."""
        with self._acting() as (folder, new, kept):
            for name in self.old:
                is_new = name in self.new and not lexists(new / name)
                if lexists(folder / name) and not lexists(kept / name) and not is_new:
                    rename_new(folder / name, kept / name)

    def move_new(self) -> None:
        """Put the new ones in their place. What somebody made there meanwhile is moved away. Raises OSError."""
        with self._acting() as (folder, new, kept):
            for name in self.new:
                if lexists(new / name):
                    if lexists(folder / name):
                        rename_new(folder / name, _free(kept / name))
                    rename_new(new / name, folder / name)

    def take_back(self) -> None:
        """Make it as it was before. Raises OSError."""
        with self._acting() as (folder, new, kept):
            for name in self.new:
                if not lexists(new / name) and lexists(folder / name):
                    rename_new(folder / name, new / name)
            for name in self.old:
                if lexists(kept / name) and not lexists(folder / name):
                    rename_new(kept / name, folder / name)

    def is_half_done(self) -> bool:
        """Whether some steps were done, and some are left."""
        with self._acting() as (_, new, kept):
            left = [name for name in self.new if lexists(new / name)]
            return bool(left) and (len(left) < len(self.new) or (kept.is_dir() and any(kept.iterdir())))

    @contextmanager
    def _acting(self) -> Iterator[tuple[Path, Path, Path]]:
        with self.place.acting() as folder:
            changed = folder, folder / RESTORING / NEW, folder / self.kept
            yield changed
            for each in changed:
                with suppress(PermissionError, FileNotFoundError):  # this user could change nothing there
                    sync_folder(each)


@contextmanager
def unpacking(place: OwnedFolder, mode: int) -> Iterator[Path]:
    """`.vitcam-restore/new` in a folder, for this process alone. Deleted at the end, unless the restore is incomplete.

    mode    of the folders
    raises  VitcamError if another process has begun there; OSError
    """
    descriptor = -1
    try:
        with place.acting() as folder:
            (folder / RESTORING).mkdir(mode)
            descriptor = _lock(folder)
            (folder / RESTORING / NEW).mkdir(mode)
        yield folder / RESTORING / NEW
    except HalfDoneError:
        raise
    except BaseException as error:
        if descriptor < 0 and isinstance(error, FileExistsError):
            raise _at_work(place.folder) from None
        _clear_away(place)
        raise
    else:
        _clear_away(place)
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def exchange(parts: Sequence[RestorePart]) -> None:
    """Do what the parts say, of which the last one decides. They and what they move are on the disk.

    raises  OSError if it cannot be done: nothing was changed; HalfDoneError
    """
    decider = parts[-1]
    try:
        with decider.place.acting() as folder:
            record = {"restore": decider.restore, "others": [str(part.place.folder) for part in parts[:-1]]}
            write_atomically(folder / RESTORING / _DECIDED, json.dumps(record))
        _carry_out(parts)
    except OSError as failed:
        try:
            for part in parts:
                part.take_back()
            _remove_decision(decider.place)
        except OSError as error:
            raise HalfDoneError(
                f"{error.filename or decider.place.folder} cannot be changed: {error.strerror}; the restore is "
                "incomplete, but no file is lost. Once that is mended, start vitcam or restore again: the restore is "
                "finished then"
            ) from failed
        raise
    with suppress(OSError):  # all is done: who finds it finds nothing left to do
        _remove_decision(decider.place)


def finish_interrupted(places: Sequence[OwnedFolder]) -> list[str]:
    """Carry restores of these folders to their end that were decided, and clear away what others had unpacked.

    returns  a sentence for each that was finished
    raises   VitcamError where another process is at work; ConfigError where this user cannot do it
    """
    said: list[str] = []
    for place in places:
        with place.acting() as folder:
            descriptor = _lock(folder) if lexists(folder / RESTORING) else -1
        if descriptor >= 0:
            try:
                said += _finish(place)
            finally:
                os.close(descriptor)
    return said


def _finish(place: OwnedFolder) -> Iterator[str]:
    found = RestorePart.read(place)
    parts = _decided(place, found) if found else []
    if parts:
        try:
            _carry_out(parts)
            _remove_decision(parts[-1].place)
        except OSError as error:
            raise ConfigError(
                f"a restore was interrupted and cannot be finished: {error.filename or place.folder}: "
                f"{error.strerror}; free the disk, or restore again as the user who owns the folder, or with sudo"
            ) from error
        kept = ", ".join(str(part.place.folder / part.kept) for part in parts)
        yield f"a restore that was interrupted is finished now; what was there before lies in {kept}"
    elif found and found.is_half_done():
        raise ConfigError(
            f"a restore of {place.folder} was interrupted, and its plan in {found.decider} is missing; the old files "
            f"are in {place.folder / found.kept}, the new ones in {place.folder / RESTORING / NEW}: move them by hand"
        )
    for each in [part.place for part in parts] or [place]:
        _clear_away(each)


def _decided(place: OwnedFolder, found: RestorePart) -> list[RestorePart]:
    """The parts of the same restore, if it was decided; else none. Raises ConfigError if that cannot be found out."""
    try:
        is_here = lexists(place.path / RESTORING / _DECIDED)  # also where another container calls the folder otherwise
        decider = place if is_here else owned(Path(found.decider))
        with decider.acting() as folder:
            record = _record(folder / RESTORING / _DECIDED)
        if record["restore"] != found.restore:
            return []
        places = [*(owned(Path(other)) for other in record["others"]), decider]
    except FileNotFoundError:
        return []
    except _DAMAGES as error:
        raise _unreadable(found.decider) from error
    parts = []
    for each in places:
        part = RestorePart.read(each)
        if part is not None and part.restore == found.restore:
            parts.append(part)
        elif not each.path.is_dir() or lexists(each.path / RESTORING):
            raise _unreadable(each.folder)
    return parts


def _unreadable(folder: Path | str) -> ConfigError:
    return ConfigError(
        f"a restore was interrupted, and its part in {folder} cannot be read; restore again as the user who owns the "
        "folder, or with sudo"
    )


def _carry_out(parts: Sequence[RestorePart]) -> None:
    for part in parts:
        part.move_old()
    for part in parts:
        part.move_new()


def _remove_decision(place: OwnedFolder) -> None:
    with place.acting() as folder:
        (folder / RESTORING / _DECIDED).unlink(missing_ok=True)
        sync_folder(folder / RESTORING)


def _clear_away(place: OwnedFolder) -> None:
    """As far as the user may."""
    part = RestorePart.read(place)
    with place.acting() as folder:
        if part is not None:
            with suppress(OSError):  # it holds what was there
                (folder / part.kept).rmdir()
        shutil.rmtree(folder / RESTORING, ignore_errors=True)


def _lock(folder: Path) -> int:
    """A file descriptor with the lock of `.vitcam-restore`. Raises VitcamError if another process has it; OSError."""
    descriptor = os.open(folder / RESTORING, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise _at_work(folder) from None
    except OSError:  # a file system without locks
        pass
    return descriptor


def _at_work(folder: Path) -> VitcamError:
    return VitcamError(f"another restore is running in {folder}; wait until it has ended")


def _record(path: Path) -> dict[str, Any]:
    return dict(json.loads(read_file(path, _LARGEST)))


def _free(path: Path) -> Path:
    """The path, or the first one with a number behind it that nothing has."""
    names = (path.with_name(f"{path.name}-{number}") for number in range(2, 2**20))
    return path if not lexists(path) else next(each for each in names if not lexists(each))
