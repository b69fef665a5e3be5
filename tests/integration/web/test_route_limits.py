"""Every route of the table keeps its callers to a number, and to a time in which they read. One house still works."""

import asyncio
import contextlib
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from types import MappingProxyType

import pytest
from aiohttp import web

from tests.certificates import make_certificate
from tests.eventually import eventually
from tests.integration.web.camera import Camera
from vitcam.web import app
from vitcam.web.context import Handlers
from vitcam.web.given import Binding
from vitcam.web.requests import connections
from vitcam.web.route import USUAL, Route
from vitcam.web.route_table import ROUTES
from vitcam.web.server import WebServer
from vitcam.web.tls import CertificateFiles

LESS = 16  # of each limit, so that the walk is short
UNREAD_S = 1.0
LARGE = 8 * 2**20


class Held(Handlers):
    """Takes the place of all handlers: a request waits, or gets more than any kernel keeps for a client."""

    async def hold(self, request: web.Request) -> web.StreamResponse:
        if "X-Large" in request.headers:
            return web.Response(body=bytes(LARGE))
        await asyncio.sleep(60)
        raise web.HTTPNotFound


def short(route: Route) -> Route:
    limits = route.limits
    at_once, of_one = max(2, 2 * (limits.at_once // LESS)), limits.of_one_address // LESS or 1
    return replace(route, limits=replace(limits, at_once=at_once, of_one_address=of_one))


@contextmanager
def serving(binding: Binding) -> Iterator[WebServer]:
    with Camera() as camera:
        running = WebServer(camera.parts(), binding)
        running.start()
        running.wait_until_serving()
        yield running
        running.stop(2)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    monkeypatch.setattr(Held, "ROUTES", tuple(replace(short(route), handler="hold") for route in ROUTES))
    monkeypatch.setattr(app, "HANDLERS", (Held,))
    monkeypatch.setattr(connections, "UNREAD_TIMEOUT_S", UNREAD_S)
    with serving(Binding(proxies=("127.0.0.9",))) as running:
        yield running


def address_of(server: WebServer) -> tuple[str, int]:
    name, _, port = server.url.partition("://")[2].partition(":")
    return name, int(port)


def ask(
    stack: ExitStack,
    server: WebServer,
    route: Route,
    source: str = "127.0.0.2",
    headers: Mapping[str, str] = MappingProxyType({}),
    window: int | None = None,
) -> socket.socket:
    line = stack.enter_context(socket.socket())
    line.settimeout(10)
    line.bind((source, 0))
    if window:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    line.connect(address_of(server))
    path = route.path.replace("{id}", "01J").replace("{name}", "page.js").replace("{folder}", "teach")
    path = path.replace("{label}", "cup").replace("{picture}", "cup.jpg")
    lines = [f"{route.method} {path} HTTP/1.1", "Host: localhost", *(f"{k}: {v}" for k, v in headers.items())]
    line.sendall("\r\n".join([*lines, "Content-Length: 0", "", ""]).encode())
    return line


def is_cut_off(line: socket.socket) -> bool:
    """Whether a client that begins to read now gets less than the whole answer, and learns that no more comes."""
    left = LARGE
    try:
        while left > 0:
            left -= len(line.recv(65536))
    except ConnectionResetError:
        return True
    return False


def unread_by(source: str, server: WebServer) -> int:
    """How many connections of an address the server keeps with something in them that the client has not taken."""
    port, number = address_of(server)[1], socket.inet_aton(source)[::-1].hex().upper()
    rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    return sum(
        own.endswith(f":{port:04X}") and other.startswith(f"{number}:") and not queues.startswith("00000000")
        for _, own, other, _, queues, *_ in rows
    )


def status_of(line: socket.socket, within_s: float = 10) -> int:
    """0: no answer in time."""
    line.settimeout(within_s)
    try:
        return int(line.recv(65536)[9:12])
    except TimeoutError:
        return 0


def test_each_route_of_the_table_takes_so_many_requests_of_one_address_and_no_more(held: WebServer) -> None:
    for _, routes in groupby(map(short, ROUTES), key=lambda route: route.path):
        for route in routes:
            with ExitStack() as stack:
                fitting = [ask(stack, held, route) for _ in range(route.limits.of_one_address)]
                refused = ask(stack, held, route)
                assert status_of(refused) == 503, route
                assert status_of(fitting[-1], 0.01) == 0, route
                other = ask(stack, held, route, source="127.0.0.3", headers={"X-Large": "1"})
                assert status_of(other) == 200, route


@pytest.mark.fault(
    "answers that nobody reads, of every route",
    injected="a client for each route that asks for 8 MB and reads nothing",
    observed="each is disconnected in time; one that reads slowly is not",
)
def test_each_route_of_the_table_ends_an_answer_that_nobody_reads(held: WebServer) -> None:
    with ExitStack() as stack:
        lines = {route: ask(stack, held, route, headers={"X-Large": "1"}, window=4096) for route in ROUTES}
        slow = ask(stack, held, ROUTES[0], "127.0.0.4", {"X-Large": "1"}, window=65536)
        began_s = time.monotonic()

        def all_others_ended() -> bool:
            assert slow.recv(16384)
            return time.monotonic() - began_s > 4 * UNREAD_S and not unread_by("127.0.0.2", held)

        eventually(all_others_ended, within_s=20, every_s=0.05)

        assert slow.recv(16384)
        assert unread_by("127.0.0.2", held) == 0
        assert [route.key for route, line in lines.items() if not is_cut_off(line)] == []


def test_the_usual_limits_hold_where_there_is_no_route(held: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = Route("GET", "/nothing/here", None)
    with ExitStack() as stack:
        assert status_of(ask(stack, held, elsewhere)) == 404
    assert USUAL.of_one_address >= 20 * 6  # browsers of a house, with six connections each


def test_behind_a_trusted_proxy_each_client_is_counted_by_itself(held: WebServer) -> None:
    route = short(ROUTES[0])
    count = route.limits.of_one_address

    def through(stack: ExitStack, client: str) -> socket.socket:
        return ask(stack, held, route, source="127.0.0.9", headers={"X-Forwarded-For": client})

    with ExitStack() as stack:
        for _ in range(count):
            through(stack, "192.0.2.1")
        assert status_of(through(stack, "192.0.2.1")) == 503
        assert status_of(through(stack, "192.0.2.2"), 0.3) == 0
    with ExitStack() as stack:
        for number in range(count):  # a home may take any of these addresses
            through(stack, f"2001:db8:0:1::{number:x}")
        assert status_of(through(stack, "2001:db8:0:1:ffff::1")) == 503
        assert status_of(through(stack, "2001:db8:0:2::1"), 0.3) == 0


@pytest.mark.fault(
    "connections by https that never begin the handshake",
    injected="more of them than one address may have",
    observed="others are answered",
)
@pytest.mark.parametrize("first", [b"", b"\x16\x03\x01"], ids=["silent", "a part of a handshake"])
def test_connections_without_a_handshake_shut_out_no_other_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: bytes
) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 60)
    files = CertificateFiles(*make_certificate(tmp_path))
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with serving(Binding(certificate=files)) as server, ExitStack() as stack:
        for _ in range(300):
            line = stack.enter_context(socket.create_connection(address_of(server), 10, ("127.0.0.2", 0)))
            with contextlib.suppress(ConnectionError):  # it may be refused already
                line.sendall(first)
        for source in ("127.0.0.1", "127.0.0.3") * 3:
            with (
                socket.create_connection(address_of(server), 10, (source, 0)) as line,
                trusting.wrap_socket(line, server_hostname="localhost") as secure,
            ):
                secure.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert secure.recv(12) == b"HTTP/1.1 200"
