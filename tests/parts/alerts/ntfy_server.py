"""An ntfy server for tests: it takes and refuses messages as ntfy's own does, and keeps what phones would get.

source  https://docs.ntfy.sh/publish; numbers of refusals as in ntfy's errors
"""

import gzip
import http.server
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.header import decode_header, make_header
from email.message import Message
from typing import Any
from urllib.parse import parse_qsl

from tests.served import served

_TOPIC = re.compile(r"/[-_A-Za-z0-9]{1,64}")


@dataclass(frozen=True)
class Received:
    """One message as a phone shows it."""

    topic: str
    title: str
    message: str
    tags: list[str]
    click: str
    name: str
    """Of the attachment; empty: there is none."""
    attachment: bytes


@dataclass(frozen=True)
class _Given:
    """What a request says of its message, in headers or, as Apprise does, behind the address."""

    headers: Message
    query: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return _decoded(self.headers[name]) or self.query.get(name.lower(), "")


@dataclass
class NtfyServer:
    """What it is set to, and what it got."""

    token: str = ""
    """Empty: everybody may publish."""
    most_bytes: int = 15_000_000
    """Of an attachment."""
    keeps_attachments: bool = True
    gzips: bool = False
    """Whether answers are packed where a request allows it, as those of a proxy."""
    busy: list[int] = field(default_factory=list)
    """`Retry-After` of the next answers, in s: each is 429."""
    url: str = ""
    received: list[Received] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    """Of all bodies, also of those that were refused."""

    def answer(self, address: str, headers: Message, body: bytes) -> tuple[int, dict[str, Any], dict[str, str]]:
        """Status, record and headers."""
        path, _, query = address.partition("?")
        given = _Given(headers, dict(parse_qsl(query)))
        if self.busy:
            return *_refusal(429, 42901, "limit reached: too many requests"), {"Retry-After": str(self.busy.pop(0))}
        if not _TOPIC.fullmatch(path):
            return *_refusal(404, 40401, "page not found"), {}
        if self.token and headers["Authorization"] != f"Bearer {self.token}":
            told = headers["Authorization"] is not None
            return *(_refusal(403, 40301, "forbidden") if told else _refusal(401, 40101, "unauthorized")), {}
        if given["Filename"] and not self.keeps_attachments:
            return *_refusal(400, 40014, "invalid request: attachments not allowed"), {}
        if given["Filename"] and len(body) > self.most_bytes:
            return *_refusal(413, 41301, "attachment too large, or bandwidth limit reached"), {}
        return 200, self._taken(path[1:], given, body), {}

    def _taken(self, topic: str, given: "_Given", body: bytes) -> dict[str, Any]:
        name = given["Filename"]
        text = body.decode() if body and not name else given["Message"]
        kept = body if name else b""
        tags = [tag.strip() for tag in given["Tags"].split(",") if tag]
        found = Received(topic, given["Title"], text, tags, given["Click"], name, kept)
        self.received.append(found)
        record: dict[str, Any] = {"id": f"m{len(self.received)}", "event": "message", "topic": topic, "message": text}
        return record | ({"attachment": {"name": name, "type": "image/jpeg", "size": len(kept)}} if name else {})


def _refusal(status: int, code: int, error: str) -> tuple[int, dict[str, Any]]:
    return status, {"code": code, "http": status, "error": error}


def _decoded(value: str | None) -> str:
    """A header as ntfy reads it: in ASCII, with words of RFC 2047."""
    assert value is None or value.isascii(), value
    return str(make_header(decode_header(value))) if value else ""


@contextmanager
def ntfy_server(port: int = 0, **settings: Any) -> Iterator[NtfyServer]:
    """Serves on a port of its own, or on this one."""
    found = NtfyServer(**settings)
    lock = threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            with lock:
                status, record, headers = found.answer(self.path, self.headers, body)
                found.statuses.append(status)
                found.sizes.append(len(body))
            data = json.dumps(record).encode()
            if found.gzips and "gzip" in self.headers.get("Accept-Encoding", ""):
                data, headers = gzip.compress(data), {**headers, "Content-Encoding": "gzip"}
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def do_PUT(self) -> None:  # as Apprise does
            self.do_POST()

        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}"
    with served(server):
        yield found
