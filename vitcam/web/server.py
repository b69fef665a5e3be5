"""The web server as the daemon sees it: it binds its port at once, runs in one thread, and stops in time."""

import errno
import logging
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING

from vitcam.errors import VitcamError
from vitcam.slot import Current
from vitcam.web.address import address_for_others, page_address
from vitcam.web.given import Binding, WebParts, WebThreads
from vitcam.web.stream.encoder import Encoder
from vitcam.web.stream.variant import Variant
from vitcam.web.tls import Certificate

if TYPE_CHECKING:
    from vitcam.web.event_loop import EventLoop

log = logging.getLogger(__name__)

_START_TIMEOUT_S = 90.0  # as long as systemd waits: a first start imports from a slow SD card
_BACKLOG = 1024  # the kernel may allow less


class WebServer:
    """Serves the page, the streams and the API.

    parts    what it shows, and what viewers may change
    binding  where to listen, and who may reach it there
    """

    def __init__(self, parts: WebParts, binding: Binding) -> None:
        self._parts = parts
        self._binding = binding
        self._port = binding.port
        self._names = Current(binding.host_names)
        self._certificate = Certificate(binding.certificate) if binding.certificate else None
        self.threads = WebThreads.new()
        self.encoder = Encoder(self.threads.encode)
        self._thread: threading.Thread | None = None
        self._loop: EventLoop | None = None
        self._over = False
        self._serving: Future[None] = Future()
        self.beat_ns = time.monotonic_ns()
        """Monotonic time at which the event loop was last seen running; the watchdog reads it."""

    @property
    def url(self) -> str:
        """Where a browser on this machine finds the page."""
        bound = self._binding.host
        host = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(bound, bound)
        return page_address(host, self._port, self._certificate is not None)

    @property
    def network_url(self) -> str:
        """Where a browser on another machine finds the page; empty if none can reach it."""
        return address_for_others(self._binding.host, self._port, self._certificate is not None)

    def change(self, default: Variant, names: tuple[str, ...]) -> None:
        """Take over another default picture and other host names, from the next request on. In any thread."""
        self._parts.default.value, self._names.value = default, names

    def start(self, goes_first: Callable[[], object] = lambda: None) -> None:
        """Bind the port and start the thread. Raises VitcamError if the port is not available.

        goes_first  the thread calls it before it does anything: most of its start is imports, and while they run,
                    other threads wait for the interpreter's lock
        """
        listener = listen(self._binding.host, self._port)
        self._port = listener.getsockname()[1]
        self._thread = threading.Thread(target=self._run, args=(listener, goes_first), name="web", daemon=True)
        self._thread.start()

    def wait_until_serving(self) -> None:
        """Return once requests are answered. Raises the error that kept the server from starting."""
        wait([self._serving], _START_TIMEOUT_S)
        if not self._serving.done():
            raise VitcamError(f"the web server did not start within {_START_TIMEOUT_S:g} s; this machine is too busy")
        self._serving.result()

    def stop(self, timeout_s: float) -> None:
        """Close every connection, also those whose clients do not read, and end the thread."""
        if self._thread is not None:
            deadline = time.monotonic() + timeout_s
            wait([self._serving], timeout_s)  # a server that is still starting cannot be stopped yet
            self._over = True
            if self._loop is not None:
                self._loop.stop()
            self._thread.join(max(0.0, deadline - time.monotonic()))
        for executor in self.threads:
            executor.shutdown(wait=False, cancel_futures=True)

    def _run(self, listener: socket.socket, goes_first: Callable[[], object]) -> None:
        try:
            goes_first()
            from vitcam.web.event_loop import EventLoop  # imports asyncio and aiohttp

            loop = EventLoop(self._parts, self._binding, self._names, self._certificate, self.threads, self.encoder)
            self._loop = loop
            if self._over:  # it was stopped meanwhile
                loop.stop()
            loop.run(listener, self._served, self._seen)
        except Exception as error:
            log.exception("the web server ended")  # the watchdog sees that `beat_ns` is old
            if not self._serving.done():
                self._serving.set_exception(error)

    def _served(self) -> None:
        self._serving.set_result(None)

    def _seen(self) -> None:
        self.beat_ns = time.monotonic_ns()


def listen(host: str, port: int) -> socket.socket:
    """Bind a port. Raises VitcamError that says why it is not available and what to do."""
    if not 0 <= port <= 65535:
        raise VitcamError(f"port {port} does not exist; take one from 1 to 65535 with --port, or 0 for any free one")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, address = min(found, key=lambda info: info[0] != socket.AF_INET)
        return socket.create_server(address, family=family, backlog=_BACKLOG, dualstack_ipv6=host == "::")
    except (OSError, UnicodeError) as error:
        raise VitcamError(_why_not(host, port, error)) from error


def _why_not(host: str, port: int, error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EADDRINUSE:
        return f"port {port} is in use already; take another one, such as --port {port + 1 if port < 65535 else 8420}"
    if number in (errno.EACCES, errno.EPERM):
        return f"port {port} is reserved for root; take one from 1024 to 65535 with --port"
    return f"{host!r} is not an address of this machine; give one with --host, such as 127.0.0.1, or 0.0.0.0 for all"
