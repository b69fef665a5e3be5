"""Rude clients in a process of their own; they connect from 127.0.0.2, so that a server can tell them from good ones.

python -m tests.bench.rude KIND HOST:PORT TARGET COUNT SECONDS    prints what became of them, as JSON
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_FROM = "127.0.0.2"
_AT_ONCE = 16
_TIMEOUT_S = 10.0
_BYTE_S = 1.0


def _connection(place: tuple[str, int]) -> socket.socket:
    return socket.create_connection(place, _TIMEOUT_S, source_address=(_FROM, 0))


def _request(place: tuple[str, int], target: str) -> bytes:
    return f"GET {target} HTTP/1.1\r\nHost: {place[0]}:{place[1]}\r\nConnection: close\r\n\r\n".encode()


def never_read(place: tuple[str, int], target: str, count: int, seconds: float) -> dict[str, Any]:
    """Ask for the stream, and never read it."""
    return _held(place, count, seconds, lambda line: line.sendall(_request(place, target)))


def left_open(place: tuple[str, int], target: str, count: int, seconds: float) -> dict[str, Any]:
    """Connect and say nothing."""
    return _held(place, count, seconds, lambda line: None)


def byte_by_byte(place: tuple[str, int], target: str, count: int, seconds: float) -> dict[str, Any]:
    """Send a request, a byte a second."""
    data = _request(place, target + "?" + "x" * 2000)
    lines, until = _opened(place, count, lambda line: None), time.monotonic() + seconds
    for number in range(len(data)):
        if time.monotonic() > until:
            break
        for line in lines:
            with suppress(OSError):
                line.sendall(data[number : number + 1])
        time.sleep(_BYTE_S)
    return _outcome(lines, count)


def short_requests(place: tuple[str, int], target: str, count: int, seconds: float) -> dict[str, Any]:
    """One request after the other, each in a connection of its own, some at once; `seconds` is not kept to."""
    left, lock, answered = [count], threading.Lock(), [0]

    def ask() -> None:
        while True:
            with lock:
                left[0] -= 1
                if left[0] < 0:
                    return
            with suppress(OSError), _connection(place) as line:
                line.sendall(_request(place, target))
                status = line.recv(65536)
                while line.recv(65536):
                    pass
                with lock:
                    answered[0] += status.startswith((b"HTTP/1.1 200", b"HTTP/1.0 200"))

    began = time.monotonic()
    threads = [threading.Thread(target=ask) for _ in range(_AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"came": count, "answered": answered[0], "took_s": time.monotonic() - began}


def _opened(place: tuple[str, int], count: int, begin: Callable[[socket.socket], None]) -> list[socket.socket]:
    lines = []
    for _ in range(count):
        with suppress(OSError):  # the server may refuse some
            line = _connection(place)
            begin(line)
            line.setblocking(False)
            lines.append(line)
    return lines


def _held(place: tuple[str, int], count: int, seconds: float, begin: Callable[[socket.socket], None]) -> dict[str, Any]:
    until = time.monotonic() + seconds
    lines = _opened(place, count, begin)
    time.sleep(max(0.0, until - time.monotonic()))
    return _outcome(lines, count)


def _outcome(lines: list[socket.socket], count: int) -> dict[str, Any]:
    return {"came": count, "connected": len(lines), "still open": sum(map(_is_open, lines))}


def _is_open(line: socket.socket) -> bool:
    """Whether the server has not hung up; what it sent before lies in front of its end, so its state tells."""
    established = 1
    return line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == established


KINDS = {each.__name__: each for each in (never_read, left_open, byte_by_byte, short_requests)}


def main() -> None:
    """Let one kind loose."""
    kind, place, target, count, seconds = sys.argv[1:]
    host, port = place.split(":")
    if host != "127.0.0.1":
        sys.exit(f"{host} is another machine; these clients connect to 127.0.0.1 only")
    print(json.dumps(KINDS[kind]((host, int(port)), target, int(count), float(seconds))))


if __name__ == "__main__":
    main()
