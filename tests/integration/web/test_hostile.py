"""Hostile requests to every route: each is answered with a sentence, and none is an internal error."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

import pytest

from tests.integration.web.camera import MODEL, Camera
from tests.integration.web.lines import answer_of, connected, post_head
from tests.integration.web.test_uploads import photo
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

DIGITS = "9" * 5000
NESTED = b"".join(b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (i, i + 1) for i in range(3000))


@dataclass(frozen=True)
class Post:
    """A request with a body."""

    name: str
    body: bytes
    headers: tuple[str, ...] = field(default=())


QUERIES = (
    f"head={DIGITS}", "head=-1", "head=%D9%A3", "head=1e1", "head=", f"width={DIGITS}", "width=nan", "width=inf",
    "width=-1e999", "opacity=0x1", f"opacity=1{DIGITS}", "quality=%00", "fps=0", "fps=1_0_0_0_0", "overlay=",
    f"overlay={DIGITS}", "overlay=%FF%FE",
)  # fmt: skip
POSTS = [
    Post("charset foo", b'{"crop": null}', ("Content-Type: application/json; charset=foo",)),
    Post("charset with a null", b'{"crop": null}', ("Content-Type: application/json; charset=%00",)),
    Post("utf-16", '{"crop": null}'.encode("utf-16"), ("Content-Type: application/json",)),
    Post("half a character", b'{"crop": "\xc3"}'),
    Post("half a surrogate", b'{"crop": "\\ud800"}'),
    Post("broken gzip", b"this is no gzip", ("Content-Encoding: gzip",)),
    Post("half of a gzip", gzip.compress(photo())[:60], ("Content-Encoding: gzip",)),
    Post("broken deflate", b"\xff" * 100, ("Content-Encoding: deflate",)),
    Post("brotli", b"\x0b\x02\x80abc\x03", ("Content-Encoding: br",)),
    Post("zstandard", b"\x28\xb5\x2f\xfd\x00", ("Content-Encoding: zstd",)),
    Post("unknown coding", b"abc", ("Content-Encoding: abc",)),
    Post("a bomb", gzip.compress(bytes(40 * 2**20)), ("Content-Encoding: gzip",)),
    Post("nested multipart", NESTED, ("Content-Type: multipart/form-data; boundary=b0",)),
    Post("no boundary", b"--x", ("Content-Type: multipart/form-data",)),
    Post("endless boundary", b"--x", (f"Content-Type: multipart/form-data; boundary={'x' * 5000}",)),
    Post("odd boundary", b"--x", ("Content-Type: multipart/form-data; boundary*0*=utf-8'%00'%ff",)),
    Post("odd content type", b"--x", ("Content-Type: ;;;=",)),
    Post("nested JSON", b'{"crop": ' + b"[" * 4000),
    Post("nested objects", b'{"crop":' * 500),
    Post("a number of many digits", b'{"crop": [' + DIGITS[:4000].encode() + b", 0, 1, 1]}"),
    Post("too large for a fraction", b'{"crop": [1e999, 0, 1, 1]}'),
    Post("no number", b'{"crop": [NaN, 0, 1, 1]}'),
    Post("true", b'{"crop": [true, 0, 1, 1]}'),
    Post("a list", b"[]"),
    Post("nothing", b""),
    Post("a bare word", b"\x00\x01\x02"),
]
TARGETS = (
    "/", "/page/app.js", "/stream", "/snapshot", "/snapshot.jpg", "/api/predictions", "/api/state", "/api/model",
    "/healthz", "/readyz", "/?action=%F0%9F%92%A9", "/page/%2e%2e%2fserver.py", "/page/%00", "/page/" + "x" * 5000,
    "/%FF", "//evil.example",
)  # fmt: skip


@pytest.fixture(scope="module")
def running() -> Iterator[WebServer]:
    with Camera() as camera:
        server = WebServer(camera.parts(replace(MODEL, gives=frozenset({"rollout"}))), Binding())
        server.start()
        yield server
        server.stop(2)


def test_hostile_bodies_are_refused_with_a_sentence(running: WebServer) -> None:
    for target, post in product(("/api/crop", "/api/classify", "/api/explain", "/healthz", "/stream"), POSTS):
        with connected(running, post_head(target, len(post.body), *post.headers) + post.body) as line:
            status, _, body = answer_of(line)

        assert 400 <= status < 500, (target, post.name)
        assert json.loads(body)["error"], (target, post.name)


def test_hostile_queries_are_refused_with_a_short_sentence(running: WebServer) -> None:
    for target, query in product(("/stream?", "/snapshot.jpg?", "/?action=stream&", "/?action=snapshot&"), QUERIES):
        with connected(running, f"GET {target}{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()) as line:
            status, _, body = answer_of(line)

        assert status == 400, (target, query[:80])
        assert len(json.loads(body)["error"]) < 500, (target, query[:80])


def test_no_target_fails_with_any_method_and_any_headers(running: WebServer) -> None:
    methods = ("GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE", "TRACE", "BREW")
    for method, target, body in product(methods, TARGETS, (b"", b"x" * 10)):
        headers = [
            "Host: localhost", "Accept-Encoding: gzip;q=x, \xff;;;,br;q=-1", "If-None-Match: \"", "Range: bytes=9-1",
            "Last-Event-ID: " + "9" * 4000, "If-Modified-Since: never", "Cookie: \x80=;;", "Origin: http://[",
            "Expect: 200-maybe" if body else "Accept: \x80",
        ]  # fmt: skip
        head = "\r\n".join([f"{method} {target} HTTP/1.1", *headers, f"Content-Length: {len(body)}", "", ""])
        with connected(running, head.encode("latin-1") + body) as line:
            status = int(line.recv(13).split()[1])

        assert status < 500, (method, target[:80], body)
