"""The host names that this vitcam answers to: a defence against DNS rebinding.

The owner of a name decides which address it has, and may give it the address of a machine in somebody's home. A browser
then treats that machine as part of the name's site. So a request must ask for a name that only this network can assign.
"""

import contextlib
import ipaddress
import socket
from urllib.parse import urlsplit

from vitcam.slot import Current
from vitcam.threads.worker import Worker

_LOCAL_SUFFIXES = (".local", ".lan", ".home.arpa", ".internal")
"""No public domain is below these: RFC 6762 and 8375, ICANN's resolution of 2024-07-29, and for `.lan` custom."""


class AllowedHosts:
    """Checks the Host header of requests.

    host   the address that the server is bound to; bound to localhost, it answers only to the names of localhost
    names  further allowed names, from the setting `web.names`, which may change while the server runs
    """

    def __init__(self, host: str, names: Current[tuple[str, ...]]) -> None:
        self._local_only = is_local(host)
        self._names: set[str] = set()
        self._given = names
        if not self._local_only:
            self._names.add(_normalised(socket.gethostname()))
            # asks the network, which may be slow to answer
            Worker("full-name", self._add_full_name).start()

    def why_refused(self, header: str) -> str | None:
        """Why a request with this Host header is refused; None if it is allowed."""
        name = _normalised(host_name(header))
        if self._local_only:
            if _is_this_machine(name) or self._is_own(name):  # such as what a proxy on this machine is asked for
                return None
            return (
                f"this vitcam answers to localhost only, not to {header[:100]!r}; --host makes it answer others, and "
                "the setting web.names the names that a proxy on this machine asks for"
            )
        if name and (_is_this_machine(name) or is_address(name) or self._is_allowed(name)):
            return None
        if not name:
            return "the request's Host header names no host; open the page by the camera's name or IP address"
        return (
            f"this vitcam does not answer to the name {name[:100]!r}; if it is yours, add it to the setting web.names, "
            "or open the page by the camera's IP address"
        )

    def _is_allowed(self, name: str) -> bool:
        return "." not in name or name.endswith(_LOCAL_SUFFIXES) or self._is_own(name)

    def _is_own(self, name: str) -> bool:
        return name in self._names or any(name == _normalised(given) for given in self._given.value)

    def _add_full_name(self) -> None:
        with contextlib.suppress(UnicodeError):  # a host name that DNS cannot have
            self._names.add(_normalised(socket.getfqdn()))


def is_local(name: str) -> bool:
    """Whether a name or an address always means this machine."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def _is_this_machine(name: str) -> bool:
    """Whether nobody can give the name another address. Not every resolver knows that `*.localhost` has only one."""
    return name == "localhost" or (is_address(name) and is_local(name))


def is_loopback(host: str) -> bool:
    """Whether a server that is bound to this name or address can be reached from this machine only.

    A name counts by what it resolves to: `localhost` may mean anything in /etc/hosts.
    """
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False  # binding to it will fail, with a sentence
    return all(ipaddress.ip_address(str(info[4][0]).partition("%")[0]).is_loopback for info in found)


def host_name(header: str) -> str:
    """The name or address in a Host header, without its port; empty if there is none."""
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port  # raises ValueError if it is not a number
    except ValueError:
        return ""
    plain = not (parts.path or parts.query or parts.fragment or parts.username or parts.password)
    return (parts.hostname or "") if plain and "@" not in header else ""


def is_address(name: str) -> bool:
    """Whether it is an IP address, which may name an interface as `fe80::1%eth0` does."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _normalised(name: str) -> str:
    return name.strip().lower().removesuffix(".")
