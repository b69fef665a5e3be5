"""Where a backup is written: standard output, or a file that is there only once it is complete."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from vitcam.errors import UsageError, VitcamError
from vitcam.parts.backup.places import CarriedFolder
from vitcam.processes.interrupts import Interrupts
from vitcam.storage.files import put_in_place, temporary_folder

STANDARD = "-"
_ROOMY = Path("/var/tmp")  # noqa: S108 - on a disk, where /tmp is often memory
_BEFORE = re.compile(r"\.vitcam-backup-\w{8}")  # folders that versions until 0.2 left when they were killed


def check_output(target: str, places: Sequence[CarriedFolder], force: bool) -> None:
    """Raises UsageError for a place where no backup may be written."""
    if target == STANDARD:
        if sys.stdout.isatty():
            raise UsageError(
                "a backup is not written to a terminal; name a file, or redirect it: `vitcam backup - > FILE`"
            )
        return
    path = Path(target)
    if path.is_dir() or path.is_symlink() or (path.exists() and not path.is_file()):
        raise UsageError(f"{target} is a folder, a link or a device; name a file, such as {path / 'vitcam.tar'}")
    if path.exists() and not force:
        raise _exists(target)
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}; make it first, or name a file in another one")
    for place in places:
        if path.resolve().is_relative_to(place.folder):
            raise UsageError(f"{target} lies in {place.folder}, which the backup takes; name a file outside of it")


@contextmanager
def backup_file(target: str, force: bool, interrupts: Interrupts) -> Iterator[tuple[IO[bytes], Path]]:
    """A file to write into, and a folder for temporary files. At the end the target is there, but not after an error.

    Only the user may read what is written. Nothing else is left. What a killed backup left in the same folder goes.

    interrupts  held off once the file is complete
    raises      UsageError if the target has appeared meanwhile; VitcamError if it cannot be written
    """
    room = temporary_room() if target == STANDARD else Path(target).parent
    _remove_earlier(room)
    try:
        with temporary_folder(room, "backup") as folder:
            partial = folder / "partial"
            with open(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:  # noqa: PTH123
                yield file, folder
                file.flush()
                os.fsync(file.fileno())
                if target == STANDARD:
                    file.seek(0)
                    shutil.copyfileobj(file, sys.stdout.buffer)
                    sys.stdout.buffer.flush()
            if target != STANDARD:
                interrupts.hold_off()
                put_in_place(partial, Path(target), over=force)
    except BrokenPipeError:
        raise
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise VitcamError(
            f"the backup cannot be written to {target}: {error.strerror or error}; nothing was written; free the disk, "
            "or name a file that you may write"
        ) from error


def temporary_room() -> Path:
    """Where something as large as a backup may lie for a while."""
    return _ROOMY if os.access(_ROOMY, os.W_OK) else Path(tempfile.gettempdir())


def _exists(target: str) -> UsageError:
    return UsageError(f"{target} exists already; choose another name, or write over it with --force")


def _remove_earlier(room: Path) -> None:
    for folder in room.glob(".vitcam-backup-*"):
        if _BEFORE.fullmatch(folder.name) and folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)
