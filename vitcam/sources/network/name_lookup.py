"""The addresses of a camera's name, within a time limit.

getaddrinfo(3) has none: where no name server answers it waits for as long as resolv.conf(5) says, which may be minutes,
and nothing ends it. So a process of its own asks, which can be killed.
"""

import errno
import ipaddress
from dataclasses import dataclass

from vitcam.processes.child import Child, pack, unpack

_LIMIT_S = 10.0  # two attempts of the resolver's usual 5 s


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
        self._child = child = Child("the name lookup", "vitcam.sources.network.name_child")
        try:
            child.send(pack(Lookup(host, limit_s)))
            packet = child.receive(limit_s)
        except EOFError:
            raise OSError(errno.ECANCELED, "the lookup of its name was ended") from None
        finally:
            self._child = None
            child.end(at_once=True)
        if packet is None:
            raise OSError(errno.ETIMEDOUT, f"no name server answers for its name within {limit_s:g} s")
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
