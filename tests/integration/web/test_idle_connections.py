"""Clients that connect and then send no request, or only a part of one."""

import contextlib
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.web.camera import Camera, Client
from tests.integration.web.lines import connected, is_closed, let_it_see
from vitcam.web.given import Binding
from vitcam.web.requests import connection, connections
from vitcam.web.server import WebServer

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
HALF_A_HEAD = GET + b"X-Slow: "
STREAM = b"GET /stream?width=160&fps=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "IDLE_TIMEOUT_S", 1.0)


@pytest.mark.fault(
    "a client sends no request",
    injected="a connection that says nothing",
    observed="it is closed in time",
)
@pytest.mark.parametrize("sent", [b"", b"G", HALF_A_HEAD])
@pytest.mark.usefixtures("hurried")
def test_a_connection_that_sends_no_complete_request_is_closed(server: WebServer, sent: bytes) -> None:
    with connected(server, sent) as line:
        began = time.monotonic()

        assert is_closed(line)
        assert 0.9 < time.monotonic() - began < 5


@pytest.mark.fault(
    "a client sends a byte a second",
    injected="a request that comes byte by byte",
    observed="it is closed as early as one that sends nothing",
)
@pytest.mark.usefixtures("hurried")
def test_a_head_that_comes_byte_by_byte_gets_no_more_time(server: WebServer) -> None:
    with connected(server, HALF_A_HEAD) as line:
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            while time.monotonic() - began < 10:
                line.sendall(b"x")
                time.sleep(0.1)

        assert time.monotonic() - began < 5


@pytest.mark.usefixtures("hurried")
def test_a_connection_that_is_kept_alive_is_closed_when_it_is_idle_and_a_stream_is_not(server: WebServer) -> None:
    with Client(server, "/stream?width=320&fps=10") as client, connected(server, GET + b"\r\n") as line:
        assert line.recv(65536).startswith(b"HTTP/1.1 200")
        assert is_closed(line)
        began = time.monotonic()
        while time.monotonic() - began < 3:
            client.read_part()

        assert client.read_part()[1].startswith(b"\xff\xd8")


def read_of(line: socket.socket, piece: bytes, most: int) -> int:
    """How many bytes of such pieces the server reads. Until nothing more is taken for a while, they are sent."""
    line.settimeout(0.5)
    sent = 0
    with contextlib.suppress(TimeoutError, ConnectionError):
        while sent < most:
            sent += line.send(piece)
    ends = {f":{end[1]:04X}" for end in (line.getsockname(), line.getpeername())}
    rows = (row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:])
    queues = [row[4].split(":") for row in rows if {row[1][-5:], row[2][-5:]} == ends]
    return sent - sum(int(waiting, 16) for both in queues for waiting in both)


@pytest.mark.fault(
    "a head of megabytes",
    injected="headers without end, of a first request and behind one whose answer does not end",
    observed="a small part of them is read, and the first connection is closed in time",
)
@pytest.mark.parametrize("before", [b"", STREAM], ids=["first", "behind a stream"])
def test_a_head_of_megabytes_is_not_read_to_its_end(
    server: WebServer, monkeypatch: pytest.MonkeyPatch, before: bytes
) -> None:
    monkeypatch.setattr(connection, "IDLE_TIMEOUT_S", 4.0)
    let_it_see(server)
    with connected(server) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        line.sendall(before + GET)
        read = read_of(line, b"X-Large: " + b"y" * 8000 + b"\r\n", 40_000_000)

        assert connection.MAX_HEAD // 2 < read < 8 * connection.MAX_HEAD  # asyncio reads 256 kB at once
        assert before or is_closed(line)


@contextlib.contextmanager
def crowd(server: WebServer, count: int) -> Iterator[list[socket.socket]]:
    """Half requests of one address."""
    with ExitStack() as stack:
        lines = [stack.enter_context(connected(server, address="127.0.0.2")) for _ in range(count)]
        for line in lines:
            with contextlib.suppress(ConnectionError):  # it may be refused already
                line.sendall(HALF_A_HEAD)
        yield lines


@pytest.mark.fault(
    "a script opens many connections",
    injected="more half requests of one address than all connections that there may be",
    observed="what is too many is closed at once; other addresses are served; the log has one line",
)
def test_connections_that_one_address_has_too_many_are_closed_and_others_are_served(
    camera: Camera, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 30)
    limited = WebServer(camera.parts(), Binding())
    limited.start()
    with Client(limited, "/stream?width=320&fps=10") as viewer, crowd(limited, 60) as lines:
        assert all(is_closed(line, 5) for line in lines[20:])
        with Client(limited, "/stream?width=320&fps=10") as late:
            assert late.read_part()[1].startswith(b"\xff\xd8")
        assert viewer.read_part()[1].startswith(b"\xff\xd8")
        lines[0].sendall(b"\r\n\r\n")
        assert lines[0].recv(12) == b"HTTP/1.1 200"
    limited.stop(2)

    assert [record.getMessage() for record in caplog.records if "too many" in record.getMessage()] == [
        "too many connections: 127.0.0.2 has 20 open; more are refused (logged once a minute)"
    ]


@pytest.mark.fault(
    "thousands of short requests, each in a connection of its own",
    injected="2,000 requests from 16 clients as fast as they are answered",
    observed="each is answered: connections that have ended do not count as open",
)
def test_thousands_of_short_requests_are_all_answered(server: WebServer) -> None:
    def ask(_: int) -> bytes:
        with connected(server, GET + b"Connection: close\r\n\r\n") as line:
            return line.recv(12)

    with ThreadPoolExecutor(16) as clients:
        answers = list(clients.map(ask, range(2000)))

    assert answers == [b"HTTP/1.1 200"] * 2000


def test_two_hundred_and_fifty_clients_that_connect_at_once_are_all_answered(server: WebServer) -> None:
    with ExitStack() as stack:
        lines = [stack.enter_context(connected(server)) for _ in range(250)]
        let_it_see(server)
        for line in lines:
            line.sendall(GET + b"\r\n")
        answers = [line.recv(12) for line in lines]

        assert answers == [b"HTTP/1.1 200"] * 250
