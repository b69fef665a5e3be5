"""What is almost HTTP, and what is not HTTP at all: a sentence, the end of the connection, and no line in the log."""

import contextlib
import json
import socket
import time
from collections.abc import Iterator

import pytest

from tests.daemon import Daemon, daemon
from tests.integration.web.camera import Camera
from tests.integration.web.lines import connected, let_it_see
from vitcam.web.requests import connection, connections
from vitcam.web.server import WebServer

GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(scope="module")
def running() -> Iterator[Daemon]:
    with daemon("--source", "demo", "--loop", "--fps", "5") as started:
        started.wait_for("ok")
        yield started


def everything(line: socket.socket) -> bytes:
    """All that comes until the server ends the connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while more := line.recv(65536):
            found += more
    return found


def status(answer: bytes) -> int:
    """Of the first answer; aiohttp answers what it could not parse as HTTP/1.0."""
    assert answer.startswith((b"HTTP/1.0 ", b"HTTP/1.1 "))
    return int(answer[9:12])


def sentence(answer: bytes) -> str:
    return str(json.loads(answer.partition(b"\r\n\r\n")[2])["error"])


@pytest.mark.parametrize(
    ("sent", "code", "said"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00", 400, "the request is not valid HTTP"),
        (b"nonsense\r\n\r\n", 400, "the request is not valid HTTP"),
        (GET + b"\0: x\r\n\r\n", 400, "the request is not valid HTTP"),
        (b"GET /api/state HTTP/0.9\r\nHost: localhost\r\n\r\n", 400, "neither 1.0 nor 1.1"),
        (b"GET /api/state HTTP/2.0\r\nHost: localhost\r\n\r\n", 400, "neither 1.0 nor 1.1"),
        (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n\r\n", 431, f"{connection.MAX_LINE:,} bytes"),
        (GET + b"X: " + b"y" * 9000 + b"\r\n\r\n", 431, f"{connection.MAX_LINE:,} bytes"),
        (GET + b"X: y\r\n" * (connection.MAX_HEADERS + 1) + b"\r\n", 400, "headers"),
    ],
    ids=["TLS", "no HTTP", "a null", "HTTP 0.9", "HTTP 2", "a long target", "a long header", "many headers"],
)
def test_what_is_almost_http_is_answered_with_a_sentence_in_json(
    running: Daemon, sent: bytes, code: int, said: str
) -> None:
    with connected(running, sent) as line:
        answer = everything(line)

    assert status(answer) == code
    assert b"Server: vitcam\r\n" in answer
    assert said in sentence(answer)


def send_lines(line: socket.socket, most: int) -> int:
    """Send headers of 4,000 bytes, one by one, until the server ends the connection; how many bytes it took."""
    sent = 0
    with contextlib.suppress(ConnectionError):
        while sent < most:
            sent += line.send(b"X-%d: " % sent + b"y" * 4000 + b"\r\n")
            time.sleep(0.001)  # faster, the kernel would keep all of it before the server has seen any
    return sent


def test_a_head_that_is_too_large_in_all_is_refused_before_it_is_complete(running: Daemon) -> None:
    with connected(running, GET) as line:
        send_lines(line, connection.MAX_HEAD)
        answer = everything(line)
    with connected(running, GET) as line:
        sent = send_lines(line, 4_000_000)

    assert status(answer) == 431
    assert "the request's head is larger than 65,536 bytes" in sentence(answer)
    assert sent < 10 * connection.MAX_HEAD


def test_a_viewer_cannot_send_the_next_head_without_end(running: Daemon) -> None:
    with connected(running, b"GET /stream?width=160&fps=1 HTTP/1.1\r\nHost: localhost\r\n\r\n" + GET) as line:
        sent = send_lines(line, 4_000_000)

    assert sent < 4_000_000


def test_half_a_request_is_told_that_its_time_is_over(server: WebServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "IDLE_TIMEOUT_S", 0.5)
    with connected(server, GET) as line:
        answer = everything(line)

    assert status(answer) == 408
    assert "no complete request came within 0.5 s" in sentence(answer)


def answers_of_a_crowd(server: WebServer) -> tuple[bytes, bytes]:
    """What the first half request of an address with many hears, and what one of another address gets."""
    with contextlib.ExitStack() as stack:
        patient = stack.enter_context(connected(server, GET, "127.0.0.2"))
        first = stack.enter_context(connected(server, GET))
        let_it_see(server)
        for _ in range(30):
            stack.enter_context(connected(server, GET))
        told = everything(first)
        patient.sendall(b"\r\n")
        return told, patient.recv(65536)


def test_one_address_with_many_half_requests_closes_its_own_and_not_anothers(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_IDLE_OF_ONE_ADDRESS", 10)
    told, answer = answers_of_a_crowd(server)

    assert status(answer) == 200
    assert status(told) == 503
    assert sentence(told) == "too many connections send no complete request; send it faster, or try again"


def test_a_client_that_leaves_before_its_answer_makes_no_line_in_the_log(
    camera: Camera, server: WebServer, caplog: pytest.LogCaptureFixture
) -> None:
    for target in (b"/stream", b"/api/predictions", b"/snapshot.jpg", b"/api/state") * 10:
        with connected(server, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n\r\n") as line:
            line.shutdown(socket.SHUT_RDWR)
    camera.wait_for_frames(15)  # what was being encoded for them is done
    let_it_see(server)

    assert [caplog.handler.format(record) for record in caplog.records if record.levelname == "ERROR"] == []
