"""HTTP over connections with a deadline: the time-out of a socket alone begins again with every byte."""

import math
import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from http.client import HTTPS_PORT, HTTPConnection
from typing import Any, Protocol, Self
from urllib.parse import SplitResult

from vitcam.sources.network.name_lookup import NameLookup
from vitcam.sources.network.trust import BY_AUTHORITY, Trust
from vitcam.threads.worker import Worker

_TICK_S = 0.5


class AddressesOf(Protocol):
    """Finds the addresses of a host, the best first; `NameLookup` is one. Only these are connected to."""

    def __call__(self, host: str, /) -> tuple[str, ...]:
        """At least one. Raises OSError."""

    def hang_up(self) -> None:
        """End the lookup that runs, if one does; from any thread."""


class DeadlineConnection:
    """The newest connection that was made through it.

    A thread of its own shuts it down at the deadline. Its reader then reads the end. `shut_down` does the
    same and may be called from any thread.

    addresses_of  says where a host is; None: whatever its name means
    trust         which certificates are accepted over TLS
    """

    def __init__(self, addresses_of: AddressesOf | None = None, trust: Trust = BY_AUTHORITY) -> None:
        self.timed_out = False
        """Whether the deadline passed."""
        self._handle: socket.socket | None = None
        self._due = math.inf
        self._over = threading.Event()
        self._addresses_of = addresses_of or NameLookup()
        self._trust = trust
        self._watching = Worker("deadline", self._watch)

    def __enter__(self) -> Self:
        self._watching.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watching.stop()
        if self._handle is not None:
            self._handle.close()

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Shut the connection down if the `with` block takes longer; an outer deadline holds, too."""
        before, self._due = self._due, min(self._due, time.monotonic() + seconds)
        try:
            yield
        finally:
            self._due = before

    def shut_down(self) -> None:
        """Shut the connection down now, and every later one as soon as it is made."""
        self._over.set()
        self._addresses_of.hang_up()
        handle = self._handle
        if handle is not None:
            with suppress(OSError):  # closed already
                handle.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads

    def connect(self, host: str, port: int, timeout_s: float | None) -> socket.socket:
        """A TCP connection; the one before ends. Raises OSError."""
        handle, self._handle = self._handle, None
        if handle is not None:
            handle.close()
        made = self._first_that_answers(host, port, timeout_s)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._handle = socket.socket(fileno=os.dup(made.fileno()))
        if self._over.is_set():
            self.shut_down()
        return made

    @property
    def was_made(self) -> bool:
        """Whether there is a connection, or there was one until the other side ended it."""
        return self._handle is not None

    def to(self, address: SplitResult, timeout_s: float) -> HTTPConnection:
        """A connection by HTTP that is made by its first request."""
        host, port = address.hostname or "", address.port
        if address.scheme == "https":
            return _TlsConnection(self, host, port=port, timeout=timeout_s)
        return _Connection(self, host, port=port, timeout=timeout_s)

    def secured(self, host: str, port: int, timeout_s: float | None) -> ssl.SSLSocket:
        """A connection over TLS with a certificate that is trusted. Raises CertificateRefused; OSError."""
        return self._trust.secured(self._tls, partial(self.connect, host, port, timeout_s), host)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return self._trust.context()

    def _first_that_answers(self, host: str, port: int, timeout_s: float | None) -> socket.socket:
        """A connection to the first address of a host that takes one; if none does, the last one's OSError."""
        addresses = self._addresses_of(host)
        for address in addresses[:-1]:
            with suppress(OSError):
                return socket.create_connection((address, port), timeout_s)
        return socket.create_connection((addresses[-1], port), timeout_s)

    def _watch(self) -> None:
        while not self._over.wait(min(_TICK_S, max(0.0, self._due - time.monotonic()))):
            if time.monotonic() >= self._due:
                self.timed_out = True
                self.shut_down()


class _Connection(HTTPConnection):
    def __init__(self, connection: DeadlineConnection, host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._connection = connection

    def connect(self) -> None:
        self.sock = self._connection.connect(self.host, self.port, self.timeout)


class _TlsConnection(_Connection):
    default_port = HTTPS_PORT

    def connect(self) -> None:
        self.sock = self._connection.secured(self.host, self.port, self.timeout)
