"""Where the page of a run can be asked, for commands on this machine: a small file of the state folder."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from vitcam.storage.files import write_atomically

_FILE = "serving.json"


def note_address(folder: Path, url: str) -> None:
    """This run serves there. A folder that cannot be written costs the commands their way, and nothing else."""
    with suppress(OSError):
        write_atomically(folder / _FILE, json.dumps({"url": url, "pid": os.getpid()}) + "\n", private=True)


def forget_address(folder: Path) -> None:
    """This run serves no longer."""
    if _found(folder).get("pid") == os.getpid():
        with suppress(OSError):
            (folder / _FILE).unlink()


def address_in(folder: Path) -> str | None:
    """Where the run that uses this folder serves; None if none does."""
    found = _found(folder)
    url, pid = found.get("url"), found.get("pid")
    if not isinstance(url, str) or type(pid) is not int or not url.startswith(("http://", "https://")):
        return None
    return url if Path(f"/proc/{pid}").exists() else None


def _found(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / _FILE).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
