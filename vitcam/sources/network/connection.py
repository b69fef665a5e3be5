"""HTTP over connections that are cut when their time is up: a time-out of a socket begins anew with every byte."""

import math
import os
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any, Self
from urllib.request import HTTPHandler, HTTPSHandler, Request

_TICK_S = 0.5


class Line:
    """The newest connection that was made through it; `cut` from any thread makes whoever reads it read the end.

    A thread of its own cuts it when what is done `within` some time takes longer.
    """

    def __init__(self) -> None:
        self.late = False
        """Its time was up."""
        self._handle: socket.socket | None = None
        self._due = math.inf
        self._over = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._watch, name="line", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._handle is not None:
            self._handle.close()

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """What is done here takes at most so long, and no longer than what it is a part of."""
        before, self._due = self._due, min(self._due, time.monotonic() + seconds)
        try:
            yield
        finally:
            self._due = before

    def cut(self) -> None:
        """Shut the connection down, and every later one as soon as it is made."""
        self._over.set()
        handle = self._handle
        if handle is not None:
            with suppress(OSError):  # closed by the other side, or by us
                handle.shutdown(socket.SHUT_RDWR)  # wakes whoever reads

    def connect(self, host: str, port: int, timeout_s: float | None) -> socket.socket:
        """A TCP connection. Raises OSError."""
        made = socket.create_connection((host, port), timeout_s)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        handle, self._handle = self._handle, socket.socket(fileno=os.dup(made.fileno()))
        if handle is not None:
            handle.close()
        if self._over.is_set():
            self.cut()
        return made

    def _watch(self) -> None:
        while not self._over.wait(min(_TICK_S, max(0.0, self._due - time.monotonic()))):
            if time.monotonic() >= self._due:
                self.late = True
                self.cut()


class OverLine(HTTPHandler):
    """`http://` through a line."""

    def __init__(self, line: Line) -> None:
        super().__init__()
        self._line = line

    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(lambda host, **options: _Connection(self._line, host, **options), req)


class OverLineWithTls(HTTPSHandler):
    """`https://` through a line, by certificates that the system knows."""

    def __init__(self, line: Line) -> None:
        self._tls = ssl.create_default_context()
        super().__init__(context=self._tls)
        self._line = line

    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(lambda host, **options: _TlsConnection(self._line, self._tls, host, **options), req)


class _Connection(HTTPConnection):
    def __init__(self, line: Line, host: str, **options: Any) -> None:
        super().__init__(host, **options)
        self._line = line

    def connect(self) -> None:
        self.sock = self._line.connect(self.host, self.port, self.timeout)


class _TlsConnection(HTTPSConnection):
    def __init__(self, line: Line, tls: ssl.SSLContext, host: str, **options: Any) -> None:
        super().__init__(host, context=tls, **options)
        self._line, self._tls = line, tls

    def connect(self) -> None:
        self.sock = self._tls.wrap_socket(
            self._line.connect(self.host, self.port, self.timeout), server_hostname=self.host
        )
