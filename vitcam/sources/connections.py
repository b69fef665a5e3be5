"""The network connections of this process, so that one which a library keeps to itself can be shut down."""

import os
import socket
from contextlib import suppress
from pathlib import Path


def own_sockets() -> dict[int, str]:
    """Open sockets by their descriptor, each with the kernel's name for it, which is never given twice."""
    found = {}
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            if (name := str(entry.readlink())).startswith("socket:"):
                found[int(entry.name)] = name
    return found


def connections_since(before: dict[int, str], port: int) -> list[socket.socket]:
    """Handles of the TCP connections to `port` of some host that were not there before; close them after use."""
    known, found = set(before.values()), []
    for number, name in own_sockets().items():
        if name in known:
            continue
        with suppress(OSError, ValueError):
            handle = socket.socket(fileno=os.dup(number))
            if _leads_to(handle, port):
                found.append(handle)
            else:
                handle.close()
    return found


def _leads_to(handle: socket.socket, port: int) -> bool:
    try:
        return handle.type == socket.SOCK_STREAM and bool(handle.getpeername()[1] == port)
    except (OSError, IndexError):  # not connected, or not of the internet
        return False
