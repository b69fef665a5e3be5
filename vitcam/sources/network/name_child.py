"""The process that asks for a name: `python -m vitcam.sources.network.name_child LINK`."""

import math
import signal
import socket
import sys

from vitcam.processes.child import MAX_MESSAGE, pack, unpack
from vitcam.sources.network.name_lookup import Addresses, Lookup

_MOST = 8
_LATER_S = 3


def main(arguments: list[str]) -> None:
    """Answer one `Lookup`."""
    link = socket.socket(fileno=int(arguments[0]))
    packet = link.recv(MAX_MESSAGE)
    if not packet:  # the daemon has ended meanwhile
        return
    request = unpack(packet, (Lookup,))
    signal.alarm(math.ceil(request.limit_s) + _LATER_S)  # not handled: it ends this process, should the daemon die
    link.send(pack(_found(request.host)))


def _found(host: str) -> Addresses:
    try:
        entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except UnicodeError:
        return Addresses((), 0, "its name cannot be a host's")
    except OSError as error:
        return Addresses((), error.errno or 0, error.strerror or "its name has no address")
    return Addresses(tuple(dict.fromkeys(str(address[0]) for *_, address in entries))[:_MOST])


if __name__ == "__main__":
    main(sys.argv[1:])
