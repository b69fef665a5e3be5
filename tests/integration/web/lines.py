"""Connections that send what they are told to, from the address they are told to."""

import contextlib
import json
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Host(Protocol):
    """A server, in this process or another."""

    @property
    def url(self) -> str:
        """Where it is found."""
        ...


@contextmanager
def connected(server: Host, sent: bytes = b"", address: str = "127.0.0.1") -> Iterator[socket.socket]:
    """A connection that has sent this; all of 127.0.0.0/8 is this machine's."""
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30, source_address=(address, 0)) as line:
        line.sendall(sent)
        yield line


def post_head(target: str, length: int, *headers: str) -> bytes:
    """The head of a POST whose body has that length."""
    lines = [f"POST {target} HTTP/1.1", "Host: localhost", f"Content-Length: {length}", *headers, "", ""]
    return "\r\n".join(lines).encode()


def answer_of(line: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """Status, headers (names in lower case) and body of the answer that comes next."""
    with line.makefile("rb") as file:
        status = int(file.readline().split()[1])
        headers = {}
        while text := file.readline().decode("latin-1").strip():
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        return status, headers, file.read(int(headers["content-length"]))


def refusal_of(line: socket.socket) -> tuple[int, str]:
    """Status and sentence of a refusal."""
    status, _, body = answer_of(line)
    found: dict[str, Any] = json.loads(body)
    return status, str(found["error"])


def readable(line: socket.socket) -> bool:
    """Whether an answer has begun to come."""
    return bool(select.select([line], [], [], 0)[0])


def is_closed(line: socket.socket, within_s: float = 20) -> bool:
    """Whether the server ends the connection in time."""
    line.settimeout(within_s)
    with contextlib.suppress(ConnectionResetError):
        return line.recv(1) == b""
    return True


def let_it_see(server: Host) -> None:
    """Return once the server has seen what clients sent before this, and who left: it answers one request more."""
    with connected(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") as line:
        assert answer_of(line)[0] == 200
