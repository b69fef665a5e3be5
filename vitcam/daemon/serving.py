"""Where the page of a run can be asked, for commands on this machine: a small file of the state folder."""

import json
import os
from contextlib import suppress
from pathlib import Path

from vitcam.errors import VitcamError
from vitcam.storage.files import write_atomically
from vitcam.storage.lock import SERVING_LOCK, FolderLock, holder_of
from vitcam.storage.reading import read_text

_FILE = "serving.json"
_MOST_BYTES = 4096


def serving_lock(folder: Path | None) -> FolderLock:
    """What the run holds that serves the commands of a folder. It is not the lock of the run that writes events there:
    a run that keeps none leaves that one to others."""
    return FolderLock(folder, SERVING_LOCK)


def note_address(folder: Path, url: str, lock: FolderLock) -> None:
    """This run serves there, for as long as it holds `lock`; nothing where another run serves that folder.

    A folder that cannot be written costs the commands their way, and nothing else.
    """
    with suppress(OSError, VitcamError):
        lock.take()
        write_atomically(folder / _FILE, json.dumps({"url": url, "pid": os.getpid()}) + "\n", private=True)


def address_in(folder: Path) -> str | None:
    """Where the run that uses this folder serves; None if none does."""
    try:
        found = json.loads(read_text(folder / _FILE, _MOST_BYTES))
        url, pid = found["url"], found["pid"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    return url if pid is not None and pid == holder_of(folder, SERVING_LOCK) else None  # not one that was killed
