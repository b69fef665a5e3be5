"""The web server as the daemon sees it: it binds its port at once, runs in one thread, and stops in time."""

import asyncio
import contextlib
import errno
import logging
import resource
import socket
import threading
import time
from concurrent.futures import Future, wait
from typing import TYPE_CHECKING, Any, cast

from vitcam.errors import VitcamError
from vitcam.machine import own_address
from vitcam.slot import Current
from vitcam.web.parts import Binding, WebParts, WebThreads
from vitcam.web.requests.allowed_hosts import AllowedHosts, is_loopback
from vitcam.web.stream.encoder import Encoder
from vitcam.web.stream.variant import Variant
from vitcam.web.tls import HANDSHAKE_TIMEOUT_S, SHUTDOWN_TIMEOUT_S, Certificate

if TYPE_CHECKING:
    from vitcam.web.requests.access import AccessControl
    from vitcam.web.requests.connections import Connections

log = logging.getLogger(__name__)

_EVERYWHERE = ("0.0.0.0", "", "::")
_BEAT_S = 0.5
_REFRESH_S = 1.0
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
        self._names = Current(binding.names)
        self._certificate = Certificate(binding.certificate) if binding.certificate else None
        self.threads = WebThreads.new()
        self.encoder = Encoder(self.threads.encode)
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._serving: Future[None] = Future()
        self.beat_ns = time.monotonic_ns()
        """Monotonic time at which the event loop was last seen running; the watchdog reads it."""

    @property
    def url(self) -> str:
        """Where a browser on this machine finds the page."""
        bound = self._binding.host
        return self._url({"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(bound, bound))

    @property
    def network_url(self) -> str:
        """Where a browser on another machine finds the page; empty if none can reach it."""
        bound = self._binding.host
        if is_loopback(bound):
            return ""
        return self._url(own_address() if bound in _EVERYWHERE else bound)

    def _url(self, host: str) -> str:
        scheme = "https" if self._certificate else "http"
        return f"{scheme}://[{host}]:{self._port}" if ":" in host else f"{scheme}://{host}:{self._port}"

    def change(self, default: Variant, names: tuple[str, ...]) -> None:
        """Take over another default picture and other host names, from the next request on. In any thread."""
        self._parts.default.value, self._names.value = default, names

    def start(self) -> None:
        """Bind the port and start the thread. Raises VitcamError if the port is not available."""
        listener = listen(self._binding.host, self._port)
        self._port = listener.getsockname()[1]
        self._thread = threading.Thread(target=self._run, args=(listener,), name="web", daemon=True)
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
            if self._loop is not None:
                with contextlib.suppress(RuntimeError):  # the loop has ended already
                    self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(max(0.0, deadline - time.monotonic()))
        for executor in self.threads:
            executor.shutdown(wait=False, cancel_futures=True)

    def _run(self, listener: socket.socket) -> None:
        try:
            asyncio.run(self._serve(listener))
        except Exception as error:
            log.exception("the web server ended")  # the watchdog sees that `beat_ns` is old
            if not self._serving.done():
                self._serving.set_exception(error)

    async def _serve(self, listener: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        from aiohttp import web  # takes 0.2 s, which a daemon without a web server does not have to wait

        from vitcam.web.app import build_app
        from vitcam.web.requests.access import AccessControl
        from vitcam.web.requests.connections import Connections
        from vitcam.web.requests.proxies import TrustedProxies

        binding = self._binding
        proxies = TrustedProxies(binding.proxies)
        connections = Connections(resource.getrlimit(resource.RLIMIT_NOFILE)[0], proxies.is_proxy)
        access = AccessControl(binding.guard, self.threads.access, self.threads.password) if binding.guard else None
        hosts = AllowedHosts(binding.host, self._names)
        app = build_app(
            self._parts,
            threads=self.threads,
            encoder=self.encoder,
            allowed_hosts=hosts,
            binding=binding,
            access=access,
            connections=connections,
            proxies=proxies,
        )
        runner = web.AppRunner(
            app,
            handle_signals=False,
            handler_cancellation=True,  # when its client leaves
            shutdown_timeout=0.2,
        )
        await runner.setup()
        server = cast(web.Server, runner.server)  # there since `setup`
        accepting = asyncio.create_task(connections.accept(listener, server, **self._tls()))
        self._serving.set_result(None)
        refreshing = asyncio.create_task(self._refresh_regularly(access))
        await self._beat_until_stopped(connections, accepting)
        for task in (refreshing, accepting):
            task.cancel()
        listener.close()
        connections.abort_all()
        await runner.cleanup()

    def _tls(self) -> dict[str, Any]:
        """Options of `connect_accepted_socket`."""
        if self._certificate is None:
            return {}
        times = {"ssl_handshake_timeout": HANDSHAKE_TIMEOUT_S, "ssl_shutdown_timeout": SHUTDOWN_TIMEOUT_S}
        return {"ssl": self._certificate.context, **times}

    async def _refresh_regularly(self, access: "AccessControl | None") -> None:
        """Notice that password, tokens or certificate changed. A slow disk delays this, and nothing else."""
        while access is not None or self._certificate is not None:
            await asyncio.sleep(_REFRESH_S)
            if access is not None:
                await access.refresh()
            if self._certificate is not None:
                await asyncio.wrap_future(self.threads.access.submit(self._certificate.refresh))

    async def _beat_until_stopped(self, connections: "Connections", accepting: "asyncio.Task[None]") -> None:
        while not self._stopping.is_set():
            if accepting.done():
                accepting.result()  # raises what ended it
            self.beat_ns = time.monotonic_ns()
            connections.look()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _BEAT_S)


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
