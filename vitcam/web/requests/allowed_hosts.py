"""Which names this vitcam answers to, so that no page of another site can point its own name here (DNS rebinding).

Whoever owns a name decides where it leads, also to a machine in somebody's home. A browser then takes that machine for
a part of the name's site. So the name that a browser asks for must be one that only this network can give away.
"""

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Sequence
from urllib.parse import urlsplit

_OF_THIS_NETWORK = (".local", ".lan", ".home.arpa")


class AllowedHosts:
    """What is allowed in a request's Host header.

    host     what the server is bound to; bound to this machine alone, it answers to this machine's names alone
    allowed  further names, as the setting `web.names` has them
    """

    def __init__(self, host: str, allowed: Sequence[str] = ()) -> None:
        self._local_only = is_local(host)
        self._allowed = {_plain(name) for name in allowed}
        if not self._local_only:
            self._allowed.add(_plain(socket.gethostname()))
            # asks the network, which may be slow to answer
            threading.Thread(target=self._learn_full_name, name="full-name", daemon=True).start()

    def refusal(self, asked: str) -> str | None:
        """Why a request with this Host header is refused; None if it is not."""
        name = _plain(host_name(asked))
        if self._local_only:
            if is_local(name):
                return None
            return f"this vitcam answers to localhost only, not to {asked[:100]!r}; see --host"
        if name and (is_local(name) or _is_address(name) or self._is_ours(name)):
            return None
        if not name:
            return "the request's Host header names no host; open the page by the camera's name or IP address"
        return (
            f"this vitcam does not answer to the name {name[:100]!r}; if it is yours, add it to the setting web.names, "
            "or open the page by the camera's IP address"
        )

    def _is_ours(self, name: str) -> bool:
        return "." not in name or name.endswith(_OF_THIS_NETWORK) or name in self._allowed

    def _learn_full_name(self) -> None:
        with contextlib.suppress(UnicodeError):  # a host name that DNS cannot have
            self._allowed.add(_plain(socket.getfqdn()))


def is_local(name: str) -> bool:
    """Whether a name or an address always means this machine."""
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def host_name(asked: str) -> str:
    """The name or address in a Host header, without its port; empty where it holds none."""
    try:
        parts = urlsplit(f"//{asked}")
        _ = parts.port  # raises for what is no number
    except ValueError:
        return ""
    plain = not (parts.path or parts.query or parts.fragment or parts.username or parts.password)
    return (parts.hostname or "") if plain and "@" not in asked else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _plain(name: str) -> str:
    return name.strip().lower().removesuffix(".")
