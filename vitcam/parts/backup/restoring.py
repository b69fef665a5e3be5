"""Puts the files of an archive in place: all of them, or none.

First everything is written beside its place, and checked. Then the journal exchanges it for what was there.
"""

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam.parts.backup.archive_reader import BackupArchive
from vitcam.parts.backup.archive_writer import Progress
from vitcam.parts.backup.found_files import BEFORE_RESTORE, is_of_one_run
from vitcam.parts.backup.journal import RestorePart, exchange, unpacking
from vitcam.parts.backup.manifest import CarriedFile
from vitcam.parts.backup.places import STATE, CarriedFolder
from vitcam.parts.backup.restore_plan import RestorePlan
from vitcam.processes.interrupts import Interrupts
from vitcam.storage.owner import OwnedFolder, owned


def restore(archive: BackupArchive, plan: RestorePlan, interrupts: Interrupts, progress: Progress) -> tuple[Path, ...]:
    """Put everything in place; returns the folders that keep what was there before.

    interrupts  held off once everything is unpacked
    raises      UsageError for a damaged archive, VitcamError if something cannot be written: nothing has changed then,
                unless it is a HalfDoneError
    """
    with ExitStack() as unpacked:
        try:
            begun = {place.name: _Unpacked.begin(place, unpacked) for place in plan.places}
            _unpack(archive, plan, begun, progress)
            parts = _parts(begun)
            for part in parts:
                part.write()
            os.sync()  # all of it must be on the disk before the decision is
            interrupts.hold_off()
            exchange(parts)
        except OSError as error:
            where = error.filename or plan.places[0].folder
            raise VitcamError(
                f"{where} cannot be written: {error.strerror or error}; nothing was changed; free the disk, or "
                "run this as the user who owns the folder, or with sudo"
            ) from error
    return tuple(part.place.folder / part.kept for part in parts if part.old)


@dataclass(slots=True)
class _Unpacked:
    """The files for one folder, before they are in place. All of it is the folder's owner's work."""

    place: CarriedFolder
    owned: OwnedFolder
    folder: Path
    made: set[Path] = field(default_factory=set)

    @classmethod
    def begin(cls, place: CarriedFolder, unpacked: ExitStack) -> "_Unpacked":
        """In the folder itself, so that it is on the same disk; gone at the end. Raises OSError."""
        above = owned(place.folder.parent, place.named and place.named.parent)
        with above.acting():  # its own owner is known only once it is there
            _make(place)
        mine = place.owned()
        with mine.acting() as there:
            for interrupted in there.glob(".vitcam-restore-*"):  # of versions until 0.2
                shutil.rmtree(interrupted, ignore_errors=True)
        folder = unpacked.enter_context(unpacking(mine, place.mode))
        return cls(place, mine, folder, {folder})

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

    def part(self, restore: str, decider: str) -> RestorePart:
        """What is to be moved. Raises OSError."""
        with self.owned.acting() as folder:
            old = sorted(path.name for path in folder.iterdir() if not is_of_one_run(self.place.name, path.name))
            new = sorted(path.name for path in self.folder.iterdir())
        return RestorePart(self.owned, restore, decider, f"{BEFORE_RESTORE}{restore}", tuple(old), tuple(new))


def _unpack(archive: BackupArchive, plan: RestorePlan, begun: Mapping[str, _Unpacked], progress: Progress) -> None:
    for file, content in archive.files():
        place = plan.place_of(file)
        counted = _counted(content, progress)
        if place is None:
            for _ in counted:  # checked, too
                pass
        else:
            begun[place.name].write(file, counted)


def _counted(content: Iterator[bytes], progress: Progress) -> Iterator[bytes]:
    for chunk in content:
        progress(len(chunk))
        yield chunk


def _parts(begun: Mapping[str, _Unpacked]) -> list[RestorePart]:
    """The one that decides comes last: that of a state folder, where a daemon can finish its own after the others."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    restore = f"{now}-{secrets.token_hex(4)}"
    ordered = sorted(begun.values(), key=lambda each: each.place.name.startswith(STATE))
    return [each.part(restore, str(ordered[-1].owned.folder)) for each in ordered]


def _make(place: CarriedFolder) -> None:
    if not place.folder.exists():
        place.folder.parent.mkdir(parents=True, exist_ok=True)
        place.folder.mkdir(place.mode)
