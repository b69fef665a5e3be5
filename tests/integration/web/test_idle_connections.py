"""Clients that connect and then send no request, or only a part of one."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.integration.web.camera import Client
from tests.integration.web.lines import connected, let_it_see
from vitcam.web.requests import connections
from vitcam.web.server import WebServer

HALF_A_HEAD = b"GET /stream HTTP/1.1\r\nHost: localhost\r\nX-Slow: "


def ended(line: socket.socket, within_s: float) -> bool:
    """Whether the server ends the connection in time; who began a request is told why."""
    line.settimeout(within_s)
    try:
        return line.recv(1) in (b"", b"H")
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True


@pytest.mark.fault(
    "a client sends no request",
    injected="a connection that says nothing",
    observed="it is closed in time",
)
@pytest.mark.parametrize("sent", [b"", b"G", HALF_A_HEAD])
def test_a_connection_that_sends_no_complete_request_is_closed(
    server: WebServer, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(connections, "IDLE_TIMEOUT_S", 1.0)
    with connected(server, sent) as line:
        began = time.monotonic()

        assert ended(line, 10)
        assert 0.9 < time.monotonic() - began < 5


@pytest.mark.fault(
    "a client sends a byte a second",
    injected="a request that comes byte by byte",
    observed="it is closed as early as one that sends nothing",
)
def test_a_head_that_comes_byte_by_byte_gets_no_more_time(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_TIMEOUT_S", 1.0)
    with connected(server, HALF_A_HEAD) as line:
        gone = False
        for _ in range(60):
            gone = gone or ended(line, 0.1)
            if gone:
                break
            line.sendall(b"x")

        assert gone


def test_a_connection_that_is_kept_alive_is_closed_when_it_is_idle(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "IDLE_TIMEOUT_S", 1.0)
    with connected(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") as line:
        answer = line.recv(65536)

        assert answer.startswith(b"HTTP/1.1 200")
        assert ended(line, 10)


def test_a_stream_is_not_idle(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_TIMEOUT_S", 0.5)
    with Client(server, "/stream?width=320&fps=10") as client:
        began = time.monotonic()
        while time.monotonic() - began < 3:
            client.read_part()

        assert client.read_part()[1].startswith(b"\xff\xd8")


def test_many_idle_clients_block_nobody(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_IDLE", 20)
    with ExitStack() as stack:
        viewer = stack.enter_context(Client(server, "/stream?width=320&fps=10"))
        viewer.read_part()
        crowd = [stack.enter_context(connected(server, HALF_A_HEAD)) for _ in range(60)]
        late = stack.enter_context(Client(server, "/stream?width=320&fps=10"))

        assert late.read_part()[1].startswith(b"\xff\xd8")
        assert viewer.read_part()[1].startswith(b"\xff\xd8")
        assert all(ended(line, 10) for line in crowd[:40])
        assert not ended(crowd[-1], 0.2)


@pytest.mark.fault(
    "thousands of short requests, each in a connection of its own",
    injected="2,000 requests from 16 clients as fast as they are answered",
    observed="each is answered: connections that have ended do not count as open",
)
def test_thousands_of_short_requests_are_all_answered(server: WebServer) -> None:
    def ask(_: int) -> bytes:
        with connected(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") as line:
            return line.recv(12)

    with ThreadPoolExecutor(16) as clients:
        answers = list(clients.map(ask, range(2000)))

    assert answers == [b"HTTP/1.1 200"] * 2000


def test_two_hundred_and_fifty_clients_that_connect_at_once_are_all_answered(server: WebServer) -> None:
    with ExitStack() as stack:
        lines = [stack.enter_context(connected(server)) for _ in range(250)]
        let_it_see(server)
        for line in lines:
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answers = [line.recv(12) for line in lines]

        assert answers == [b"HTTP/1.1 200"] * 250
