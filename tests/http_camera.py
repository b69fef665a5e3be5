"""A camera that sends MJPEG by HTTP, as a test wants it to."""

import select
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import cv2
import numpy as np

from tests.needs import need_program

OK = b"HTTP/1.1 200 OK\r\n"
MULTIPART = OK + b"Content-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n"
EXACT = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: LENGTH\r\n\r\n"
Answer = Callable[[socket.socket, bytes], None]


def jpeg(value: int = 128) -> bytes:
    """48 × 64 px of one grey."""
    return bytes(cv2.imencode(".jpg", np.full((48, 64, 3), value, np.uint8))[1].tobytes())


def part(picture: bytes) -> bytes:
    """A picture as one part of a stream."""
    return EXACT.replace(b"LENGTH", b"%d" % len(picture)) + picture + b"\r\n"


def own_tls(folder: Path) -> ssl.SSLContext:
    """TLS with a certificate of its own for 127.0.0.1, which is written to the file `certificate` in this folder."""
    key, certificate = folder / "key", folder / "certificate"
    names = ["-subj", "/CN=camera", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    make = [need_program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", *files, *names]
    subprocess.run(make, check=True, capture_output=True, timeout=60)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


@contextmanager
def server(
    answer: Answer, tls: ssl.SSLContext | None = None, plain: Answer | None = None, port: int = 0
) -> Iterator[int]:
    """The port of a server that answers each request by `answer(connection, request)`.

    plain  answers requests without TLS, as nginx does on a port that has it; None: they end as broken TLS
    port   where it listens; 0: on one that is free
    """

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:  # the end of the test
                return
            with suppress(OSError), connection:
                if tls is None:
                    answer(connection, connection.recv(10_000))
                elif plain is not None and connection.recv(1, socket.MSG_PEEK) != b"\x16":  # no ClientHello
                    plain(connection, connection.recv(10_000))
                else:
                    with tls.wrap_socket(connection, server_side=True) as line:
                        answer(line, line.recv(10_000))

    with socket.create_server(("127.0.0.1", port)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(20)


def sends(data: bytes, then_s: float = 0) -> Answer:
    """Sends that, and leaves the connection open for a while."""

    def answer(connection: socket.socket, request: bytes) -> None:
        connection.sendall(data)
        connection.settimeout(then_s or None)
        if then_s:
            connection.recv(1)  # until the client leaves

    return answer


def keeps_sending(pieces: Iterable[bytes], every_s: float, head: bytes = MULTIPART) -> Answer:
    """Sends one piece after the other at that pace, until there are no more or the client leaves."""

    def answer(connection: socket.socket, request: bytes) -> None:
        connection.sendall(head)
        for piece in pieces:
            connection.sendall(piece)
            if has_left(connection, every_s):
                return

    return answer


def has_left(connection: socket.socket, within_s: float) -> bool:
    """Whether the client leaves in that time; a camera's client sends nothing more."""
    return bool(select.select([connection], [], [], within_s)[0])
