"""A web server that receives webhooks, and answers each as a test wants it."""

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message

from tests.eventually import eventually
from tests.served import served


@dataclass
class Receiver:
    """Answers with the status that `answer` gives for the number of the request, from 0; None: never."""

    answer: Callable[[int], int | None]
    url: str = ""
    bodies: list[bytes] = field(default_factory=list)
    headers: list[Message] = field(default_factory=list)
    most_at_once: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def wait_for_count(self, count: int) -> list[bytes]:
        """The bodies once there are this many."""
        assert eventually(lambda: len(self.bodies) >= count), self.bodies
        return self.bodies


@contextmanager
def receiver(answer: Callable[[int], int | None] = lambda _: 200, port: int = 0) -> Iterator[Receiver]:
    """Serves on a port of its own, or on this one."""
    found = Receiver(answer)
    lock = threading.Lock()
    now = 0

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            nonlocal now
            with lock:
                now += 1
                found.most_at_once = max(found.most_at_once, now)
                number = len(found.bodies)
                found.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                found.headers.append(self.headers)
            status = found.answer(number)
            if status is None:
                found.over.wait(60)
            else:
                self.send_response(status)
                self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()
            with lock:
                now -= 1

        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}/hook/secret-path"
    with served(server):
        try:
            yield found
        finally:
            found.over.set()
