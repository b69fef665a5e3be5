"""The web server's event loop: from the application to the end of every connection."""

import asyncio
import contextlib
import resource
import socket
from collections.abc import Callable
from typing import Any, cast

from aiohttp import web

from vitcam.slot import Current
from vitcam.web.app import build_app
from vitcam.web.given import Binding, WebParts, WebThreads
from vitcam.web.requests.access import AccessControl
from vitcam.web.requests.allowed_hosts import AllowedHosts
from vitcam.web.requests.connections import Connections
from vitcam.web.requests.proxies import TrustedProxies
from vitcam.web.stream.encoder import Encoder
from vitcam.web.tls import HANDSHAKE_TIMEOUT_S, SHUTDOWN_TIMEOUT_S, Certificate

_BEAT_S = 0.5
_REFRESH_S = 1.0


class EventLoop:
    """Serves until it is stopped.

    names        of this machine, as others may call it
    certificate  None: it serves plain HTTP
    """

    def __init__(
        self,
        parts: WebParts,
        binding: Binding,
        names: Current[tuple[str, ...]],
        certificate: Certificate | None,
        threads: WebThreads,
        encoder: Encoder,
    ) -> None:
        self._parts = parts
        self._binding = binding
        self._names = names
        self._certificate = certificate
        self._threads = threads
        self._encoder = encoder
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()

    def run(self, listener: socket.socket, served: Callable[[], None], seen: Callable[[], None]) -> None:
        """Serve who connects to `listener`.

        served  called once requests are answered
        seen    called regularly while the loop runs
        """
        asyncio.run(self._serve(listener, served, seen))

    def stop(self) -> None:
        """Ask it to end, from any thread, also before it runs."""
        if self._loop is None:
            self._stopping.set()
        else:
            with contextlib.suppress(RuntimeError):  # it has ended already
                self._loop.call_soon_threadsafe(self._stopping.set)

    async def _serve(self, listener: socket.socket, served: Callable[[], None], seen: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        binding = self._binding
        proxies = TrustedProxies(binding.proxies)
        connections = Connections(resource.getrlimit(resource.RLIMIT_NOFILE)[0], proxies.is_proxy)
        access = AccessControl(binding.guard, self._threads.access, self._threads.password) if binding.guard else None
        hosts = AllowedHosts(binding.host, self._names)
        app = build_app(
            self._parts,
            threads=self._threads,
            encoder=self._encoder,
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
        served()
        refreshing = asyncio.create_task(self._refresh_regularly(access))
        await self._beat_until_stopped(accepting, seen)
        for task in (refreshing, accepting):
            task.cancel()
        listener.close()
        for each in server.connections:  # without waiting for clients to read what was sent
            if each.transport is not None:
                each.transport.abort()
        await runner.cleanup()

    def _tls(self) -> dict[str, Any]:
        """Options of `connect_accepted_socket`."""
        if self._certificate is None:
            return {}
        times = {"ssl_handshake_timeout": HANDSHAKE_TIMEOUT_S, "ssl_shutdown_timeout": SHUTDOWN_TIMEOUT_S}
        return {"ssl": self._certificate.context, **times}

    async def _refresh_regularly(self, access: AccessControl | None) -> None:
        """Notice that password, tokens or certificate changed. A slow disk delays this, and nothing else."""
        while access is not None or self._certificate is not None:
            await asyncio.sleep(_REFRESH_S)
            if access is not None:
                await access.refresh()
            if self._certificate is not None:
                await asyncio.wrap_future(self._threads.access.submit(self._certificate.refresh))

    async def _beat_until_stopped(self, accepting: asyncio.Task[None], seen: Callable[[], None]) -> None:
        while not self._stopping.is_set():
            if accepting.done():
                accepting.result()  # raises what ended it
            seen()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), _BEAT_S)
