"""Connections that were accepted and have sent nothing yet. Each costs a socket, and no protocol, TLS or task.

A client with a question sends its first bytes at once. So connections that stay silent are closed first, the oldest of
the address with most, and take no place of others, even of the same address.
"""

import asyncio
import contextlib
import socket
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from vitcam.access.attempts import home_of

MOST = 500
_SHARE = 0.8  # of these that one address may have


class SilentConnections:
    """Made on the event loop.

    begin  takes a connection, and whose it is, when its first bytes have come
    most   how many there may be
    """

    def __init__(self, begin: Callable[[socket.socket, str], None], most: int) -> None:
        self._begin = begin
        self._most = most
        self._loop = asyncio.get_running_loop()
        self._since: dict[socket.socket, tuple[float, str]] = {}  # the oldest first
        self._of_address: dict[str, dict[socket.socket, None]] = defaultdict(dict)  # the same, by address

    def add(self, accepted: socket.socket, peer: Any) -> None:
        """One more, in place of another one if there are too many."""
        address = home_of(str(peer[0])) if peer else ""
        accepted.setblocking(False)
        self._since[accepted] = time.monotonic(), address
        self._of_address[address][accepted] = None
        self._loop.add_reader(accepted, self._spoke, accepted)
        if len(self._of_address[address]) > _SHARE * self._most:
            self._close(next(iter(self._of_address[address])))
        elif len(self._since) > self._most:
            self.close_oldest()

    def close_oldest(self) -> None:
        """Of the address with most."""
        if self._since:
            most = max(self._of_address.values(), key=len)
            self._close(next(iter(most)))

    def close_late(self, seconds: float) -> None:
        """Close what has been silent for longer than that."""
        now = time.monotonic()
        while self._since:
            oldest, (since, _) = next(iter(self._since.items()))
            if now - since <= seconds:
                return
            self._close(oldest)

    def close_all(self) -> None:
        """Close every one."""
        for accepted in [*self._since]:
            self._close(accepted)

    def _spoke(self, accepted: socket.socket) -> None:
        address = self._forget(accepted)
        with contextlib.suppress(OSError):
            if accepted.recv(1, socket.MSG_PEEK):
                self._begin(accepted, address)
                return
        accepted.close()  # it has left

    def _close(self, accepted: socket.socket) -> None:
        self._forget(accepted)
        accepted.close()

    def _forget(self, accepted: socket.socket) -> str:
        self._loop.remove_reader(accepted)
        _, address = self._since.pop(accepted)
        of_one = self._of_address[address]
        del of_one[accepted]
        if not of_one:
            del self._of_address[address]
        return address
