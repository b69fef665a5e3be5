"""Clients in a process of their own: some behave, others stall, reset or send garbage.

python -m tests.soak.clients HOST:PORT SECONDS [SEED]    prints what they did and what they got, as JSON

At most `_AT_ONCE` connections are open at once, and each ends within some seconds. They connect to this machine only.
"""

import http.client
import json
import random
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from tests.hostile import animated_png, jpeg_of_many_scans
from tests.soak.camera import RESET, photo

_AT_ONCE = 12
_PAUSE_S = 0.1
_TIMEOUT_S = 10.0
_PATHS = ("/", "/api/state", "/healthz", "/snapshot.jpg", "/api/model", "/api/state?x=" + "y" * 3000, "/no such path")
_STREAMS = ("/stream", "/stream?width=320", "/stream?overlay=none", "/stream?overlay=attention&width=960", "/events")


class Crowd:
    """What many clients do to one server, and what comes of it."""

    def __init__(self, host: str, port: int, seed: int) -> None:
        self._place, self._random = (host, port), random.Random(seed)
        self._lock = threading.Lock()
        self._photo, self._broken = photo(), (animated_png(), jpeg_of_many_scans(80), b"no picture", photo()[:500])
        self.did: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.unanswered: Counter[str] = Counter()
        self.good_ms: list[float] = []
        self._kinds: tuple[Callable[[], None], ...] = (
            self._asks, self._asks, self._asks, self._watches, self._stalls, self._resets, self._sends_garbage,
            self._sends_half_a_head, self._uploads, self._uploads_badly, self._uploads_half,
        )  # fmt: skip

    def run(self, until: float) -> None:
        """One of them after the other, up to a time of time.monotonic()."""
        while time.monotonic() < until:
            with self._lock:
                kind = self._random.choice(self._kinds)
                self.did[kind.__name__.removeprefix("_").replace("_", " ")] += 1
            with suppress(OSError, http.client.HTTPException):  # the server may refuse and hang up
                kind()
            time.sleep(_PAUSE_S)

    def ask_steadily(self, until: float) -> None:
        """The good client: a short request each half second, which must always be answered."""
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                status = self._answer("GET", "/api/state")
            except (OSError, http.client.HTTPException) as error:
                self.unanswered[type(error).__name__] += 1
            else:
                self.good_ms.append((time.monotonic() - began) * 1e3)
                if status != 200:
                    self.unanswered[str(status)] += 1
            time.sleep(0.5)

    def _answer(self, method: str, path: str, body: bytes | None = None) -> int:
        connection = http.client.HTTPConnection(*self._place, timeout=_TIMEOUT_S)
        try:
            connection.request(method, path.replace(" ", "%20"), body)
            with connection.getresponse() as reply:
                reply.read()
                self.answers[str(reply.status)] += 1
                return reply.status
        finally:
            connection.close()

    def _open(self) -> socket.socket:
        return socket.create_connection(self._place, _TIMEOUT_S)

    def _asks(self) -> None:
        self._answer("GET", self._random.choice(_PATHS))

    def _watch(self, read_s: float, then_s: float) -> socket.socket:
        connection, deadline = self._open(), time.monotonic() + read_s
        path = self._random.choice(_STREAMS)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        while time.monotonic() < deadline and connection.recv(65536):
            pass
        time.sleep(then_s)
        return connection

    def _watches(self) -> None:
        self._watch(self._random.uniform(1, 3), 0).close()

    def _stalls(self) -> None:
        self._watch(0, self._random.uniform(2, 6)).close()

    def _resets(self) -> None:
        with self._watch(self._random.uniform(0, 1), 0) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def _sends_garbage(self) -> None:
        with self._open() as connection:
            connection.sendall(self._random.randbytes(self._random.randrange(1, 60_000)))
            while connection.recv(65536):
                pass

    def _sends_half_a_head(self) -> None:
        with self._open() as connection:
            connection.sendall(b"GET /api/state HTTP/1.1\r\nHost: 127")
            time.sleep(self._random.uniform(0, 3))

    def _uploads(self) -> None:
        self._answer("POST", "/api/classify", self._photo)

    def _uploads_badly(self) -> None:
        self._answer("POST", "/api/classify", self._random.choice(self._broken))

    def _uploads_half(self) -> None:
        with self._open() as connection:
            connection.sendall(b"POST /api/classify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 90000\r\n\r\nxx")
            time.sleep(self._random.uniform(0, 3))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


def main() -> None:
    """Let them all loose, and say what came of it."""
    host, port = sys.argv[1].split(":")
    if host != "127.0.0.1":
        sys.exit(f"{host} is another machine; these clients connect to 127.0.0.1 only")
    until = time.monotonic() + float(sys.argv[2])
    crowd = Crowd(host, int(port), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    threads = [threading.Thread(target=crowd.run, args=(until,)) for _ in range(_AT_ONCE)]
    threads.append(threading.Thread(target=crowd.ask_steadily, args=(until,)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ordered = sorted(crowd.good_ms) or [0.0]
    good = {"requests": len(ordered), "p50_ms": ordered[len(ordered) // 2], "p99_ms": ordered[len(ordered) * 99 // 100]}
    good |= {"slowest_ms": ordered[-1], "unanswered": sum(crowd.unanswered.values())}
    print(json.dumps({"did": crowd.did, "answers": crowd.answers, "good": good}))


if __name__ == "__main__":
    main()
