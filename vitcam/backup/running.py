"""Whether a daemon uses a state folder now."""

import os
from pathlib import Path

from vitcam.folders import state_folder

_PROC = Path("/proc")


def running_daemon(state: Path) -> int | None:
    """The process of a `vitcam run` with this state folder, if this user may see one.

    Each daemon is asked for by its own environment, which says where its state lies.
    """
    wanted = os.path.realpath(state)
    for folder in _PROC.iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid() and _state_of(folder) == wanted:
            return int(folder.name)
    return None


def _state_of(process: Path) -> str | None:
    """Where a process keeps its state, if it is a daemon."""
    try:
        if not _is_daemon((process / "cmdline").read_bytes().split(b"\0")):
            return None
        lines = (process / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or belongs to somebody else
        return None
    pairs = (os.fsdecode(line).partition("=") for line in lines)
    folder = state_folder({name: value for name, _, value in pairs})
    return os.path.realpath(folder) if folder else None


def _is_daemon(arguments: list[bytes]) -> bool:
    """Whether a command line is `vitcam run`, however it was started."""
    names = [os.path.basename(argument) for argument in arguments]  # noqa: PTH119 - bytes
    return b"vitcam" in names[:6] and b"run" in names[names.index(b"vitcam") + 1 :]
