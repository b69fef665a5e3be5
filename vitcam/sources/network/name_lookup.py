"""The addresses of a camera's name, within a time limit.

getaddrinfo(3) has none: where no name server answers it waits for as long as resolv.conf(5) says, which may be minutes,
and nothing ends it. So a process of its own asks, which can be killed: `python -m vitcam.sources.network.name_lookup
LINK`.
"""

import errno
import ipaddress
import math
import signal
import socket
import sys
from dataclasses import dataclass

from vitcam.processes.child import MAX_MESSAGE, Child, pack, unpack

_LIMIT_S = 10.0  # two attempts of the resolver's usual 5 s
_MOST = 8  # addresses
_LATER_S = 3


@dataclass(frozen=True, slots=True)
class Lookup:
    """Find the addresses of this host; the child ends itself after that time."""

    host: str
    limit_s: float


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses, the best first; or why there are none."""

    addresses: tuple[str, ...] = ()
    error: int = 0
    why: str = ""


class NameLookup:
    """Asks for one name at a time. `hang_up` ends it, from any thread."""

    def __init__(self) -> None:
        self._child: Child | None = None

    def __call__(self, host: str, limit_s: float = _LIMIT_S) -> tuple[str, ...]:
        """The addresses of a host; an address is its own. Raises OSError, also where no name server answers in time."""
        if _is_address(host):
            return (host,)
        self._child = child = Child("the name lookup", "vitcam.sources.network.name_lookup")
        try:
            child.send(pack(Lookup(host, limit_s)))
            packet = child.receive(limit_s)
        except EOFError:
            raise OSError(errno.ECANCELED, "the lookup of its name was ended") from None
        finally:
            self._child = None
            child.end(at_once=True)
        if packet is None:
            raise OSError(socket.EAI_AGAIN, f"no name server answers for its name within {limit_s:g} s")
        found = unpack(packet, (Addresses,))
        if not found.addresses:
            raise OSError(found.error, found.why)
        return tuple(found.addresses)

    def hang_up(self) -> None:
        """End the lookup that runs, if one does."""
        child = self._child
        if child is not None:
            child.hang_up()


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def main(arguments: list[str]) -> None:
    """Answer one `Lookup`, in the process of its own."""
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
