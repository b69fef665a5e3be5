"""Where the page of a run can be asked, for commands on this machine: a small file of the state folder."""

import json
import os
from contextlib import suppress
from pathlib import Path

from vitcam.storage.files import write_atomically
from vitcam.storage.lock import holder_of

_FILE = "serving.json"


def note_address(folder: Path, url: str) -> None:
    """This run, which holds the folder's lock, serves there. It counts as long as the lock is held.

    A folder that cannot be written costs the commands their way, and nothing else.
    """
    with suppress(OSError):
        write_atomically(folder / _FILE, json.dumps({"url": url, "pid": os.getpid()}) + "\n", private=True)


def address_in(folder: Path) -> str | None:
    """Where the run that uses this folder serves; None if none does."""
    try:
        found = json.loads((folder / _FILE).read_text("utf-8"))
        url, pid = found["url"], found["pid"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    return url if pid is not None and pid == holder_of(folder) else None  # not one that was killed
