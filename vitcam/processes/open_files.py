"""Which other processes have a file open, such as a camera's device."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def other_users(path: str, proc: Path = Path("/proc")) -> list[str]:
    """As `process 812 (motion)`. Processes of other users are seen by root only, and none in a sandbox that hides them.

    source  proc(5): /proc/PID/fd
    """
    wanted = os.path.realpath(path)
    return sorted(
        f"process {process.name} ({_name(process)})"
        for process in proc.glob("[0-9]*")
        if process.name != str(os.getpid()) and wanted in _open_files(process)
    )


def _open_files(process: Path) -> Iterator[str]:
    with suppress(OSError):  # it is another user's, or has ended
        for link in (process / "fd").iterdir():
            with suppress(OSError):
                yield os.readlink(link)  # noqa: PTH115 - it need not be a path: "socket:[1]"


def _name(process: Path) -> str:
    try:
        name = (process / "comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "unknown"
    return "".join(character for character in name if character.isprintable())
