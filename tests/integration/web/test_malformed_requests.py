"""What is almost HTTP, and what is not HTTP at all: a sentence, the end of the connection, and no line in the log."""

import contextlib
import json
import socket
from collections.abc import Iterator

import pytest

from tests.daemon import Daemon, daemon
from tests.integration.web.camera import Camera
from tests.integration.web.lines import connected, let_it_see
from vitcam.web.requests import connection
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
    """Of the first answer; it has the version of the request, and HTTP/1.0 where that could not be parsed."""
    assert answer.startswith(b"HTTP/")
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
    assert answer.startswith((b"HTTP/1.0 ", b"HTTP/1.1 "))
    assert b"Server: vitcam\r\n" in answer
    assert said in sentence(answer)


def test_a_client_that_leaves_before_its_answer_makes_no_line_in_the_log(
    camera: Camera, server: WebServer, caplog: pytest.LogCaptureFixture
) -> None:
    for target in (b"/stream", b"/api/predictions", b"/snapshot.jpg", b"/api/state") * 10:
        with connected(server, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n\r\n") as line:
            line.shutdown(socket.SHUT_RDWR)
    camera.wait_for_frames(15)  # what was being encoded for them is done
    let_it_see(server)

    assert [caplog.handler.format(record) for record in caplog.records if record.levelname == "ERROR"] == []
