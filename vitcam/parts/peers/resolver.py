"""Looks up the names of peers: each in a thread of its own, since getaddrinfo(3) may wait for minutes."""

import asyncio
import contextlib
import socket

from aiohttp.abc import AbstractResolver, ResolveResult

from vitcam.parts.peers import NAMES
from vitcam.parts.peers.peer import MOST_PEERS
from vitcam.threads.worker import Worker

_WITHIN_S = 4.0
_MOST = 4  # addresses of a name


class NamesInThreads(AbstractResolver):
    """A lookup that still runs is waited for again, so that no name has two threads."""

    def __init__(self) -> None:
        self._running: dict[str, asyncio.Future[list[str]]] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a name. Raises OSError where there is none, or none within 4 s."""
        if host not in self._running and len(self._running) >= MOST_PEERS:
            raise OSError(0, "too many names are being looked up")
        found = self._running.get(host) or self._begin(host)
        try:
            async with asyncio.timeout(_WITHIN_S):
                addresses = await asyncio.shield(found)
        except TimeoutError:
            raise OSError(0, "no name server answers") from None
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        """Nothing: no thread is waited for."""

    def _begin(self, host: str) -> "asyncio.Future[list[str]]":
        loop = asyncio.get_running_loop()
        found: asyncio.Future[list[str]] = loop.create_future()
        self._running[host] = found
        found.add_done_callback(lambda done: (self._running.pop(host, None), done.cancelled() or done.exception()))

        def look_up() -> None:
            addresses = _addresses(host)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(_settle, found, addresses)

        Worker("peer-name", look_up, NAMES).start()
        return found


def _addresses(host: str) -> list[str] | OSError:
    try:
        entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    except (OSError, UnicodeError) as error:
        return error if isinstance(error, OSError) else OSError(0, "its name cannot be a host's")
    return list(dict.fromkeys(str(address[0]) for *_, address in entries))[:_MOST]


def _settle(found: "asyncio.Future[list[str]]", addresses: list[str] | OSError) -> None:
    if found.done():
        return
    if isinstance(addresses, OSError):
        found.set_exception(addresses)
    else:
        found.set_result(addresses)
