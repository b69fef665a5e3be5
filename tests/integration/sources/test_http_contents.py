"""What an HTTP address gives is decided by its first bytes, whatever it declares; one picture is asked for again."""

import gzip
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

import numpy as np
import pytest

from tests.daemon import daemon
from tests.eventually import eventually
from tests.http_camera import OK, jpeg, sends, server
from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Frame
from vitcam.sources import SourceOptions, open_source

pytestmark = pytest.mark.slow("vitcam/sources", "vitcam/pictures")

PART = b"Content-Type: image/jpeg\r\nContent-Length: LENGTH\r\n\r\n"
FAST = SourceOptions(ask_every_s=0.1)


def value(frame: Frame) -> int:
    """The grey of a picture."""
    return round(float(frame.preview.mean()))


def stream(between: bytes, count: int = 5) -> bytes:
    """Greys of 40, 80, … with something before each."""
    pictures = [jpeg(40 * i) for i in range(1, count + 1)]
    return b"".join(between.replace(b"LENGTH", b"%d" % len(picture)) + picture for picture in pictures)


STREAMS = {
    "declared as a picture": (b"image/jpeg;size=0", b"\r\n--frame\r\n" + PART),
    "declared as a page": (b"text/html", b"--frame\r\n" + PART),
    "declared as a text": (b"text/plain; charset=utf-8", b"--frame\r\n" + PART),
    "declared as anything": (b"application/octet-stream", b"--frame\r\n" + PART),
    "no boundary declared": (b"multipart/x-mixed-replace", b"--frame\r\n" + PART),
    "a boundary in quotes": (b'multipart/x-mixed-replace; boundary="a b"', b"\r\n--a b\r\n" + PART),
    "a boundary with its dashes": (b"multipart/x-mixed-replace;boundary=--frame", b"--frame\r\n" + PART),
    "a boundary with two more": (b"multipart/x-mixed-replace;boundary=--frame", b"\r\n----frame\r\n" + PART),
    "another boundary": (b"multipart/mixed;boundary=frame", b"--other\n" + PART.replace(b"\r", b"")),
    "nothing but pictures": (b"video/x-motion-jpeg", b""),
    "pictures declared as one": (b"image/jpeg", b""),
    "a preamble": (b"multipart/x-mixed-replace;boundary=frame", b"This is a stream.\r\n--frame\r\n" + PART),
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_one_whatever_it_is_declared_as(name: str) -> None:
    declared, between = STREAMS[name]
    head = OK + b"Content-Type: " + declared + b"\r\n\r\n"
    with (
        server(sends(head + stream(between), then_s=5)) as port,
        open_source(f"http://127.0.0.1:{port}/") as source,
    ):
        newest = next(iter(source))

    assert value(newest) == pytest.approx(200, abs=2)
    assert newest.seq == 4
    assert not newest.asked


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"<!DOCTYPE html><html><body>log in", "gives a web page"),
        (b'{"error": "no such channel"}', "gives a text"),
        (b"#EXTM3U\n#EXT-X-VERSION:3\n", "gives a text"),
        (b"%PDF-1.7\n1 0 obj", "gives a PDF document"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "gives a HEIC picture"),
        (b"", "has ended its stream"),
        (b" \r\n" * 1_000_000, "has ended its stream"),
    ],
)
def test_what_can_hold_no_picture_is_named_whatever_it_is_declared_as(data: bytes, said: str) -> None:
    head = OK + b"Content-Type: image/jpeg\r\n\r\n"
    with server(sends(head + data)) as port, pytest.raises(SourceError, match=said):
        open_source(f"http://127.0.0.1:{port}/").__enter__()


PACKED: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "X-GZIP": gzip.compress, "deflate": zlib.compress}


class Pictures:
    """A camera with an address for single pictures: a grey that is brighter each time. Tests change it."""

    def __init__(self) -> None:
        self.declared = "image/jpeg"
        self.sized, self.chunked, self.tagged = True, False, False
        self.status = 200
        self.coding = ""
        self.picture: Callable[[int], bytes] = lambda number: jpeg(min(250, 10 * number))
        self.asked_s: list[float] = []
        self.connections: set[tuple[str, int]] = set()
        self.not_modified = 0
        self.bright = 0
        self.spoilt = False

    def recover(self) -> None:
        """Send pictures again."""
        self.status, self.spoilt = 200, False

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Send the next picture."""
        self.asked_s.append(time.monotonic())
        self.connections.add(request.client_address)
        tag = f'"{self.bright}"'
        if self.tagged and request.headers["If-None-Match"] == tag:
            self.not_modified += 1
            request.send_response(304)
            request.end_headers()
            return
        self.bright += 0 if self.tagged else 1
        data = b"no picture" if self.spoilt else self.picture(self.bright)
        data = PACKED[self.coding](data) if self.coding else data
        request.send_response(self.status)
        if self.coding:
            request.send_header("Content-Encoding", self.coding)
        request.send_header("Content-Type", self.declared)
        if self.tagged:
            request.send_header("ETag", f'"{self.bright}"')
        if self.sized:
            request.send_header("Content-Length", str(len(data)))
        elif self.chunked:
            request.send_header("Transfer-Encoding", "chunked")
            data = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (data[:100], data[100:])) + b"0\r\n\r\n"
        else:
            request.send_header("Connection", "close")
        request.end_headers()
        request.wfile.write(data)


@contextmanager
def pictures() -> Iterator[tuple[Pictures, str]]:
    """Such a camera, and its address."""
    camera = Pictures()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            camera.answer(self)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        serving.daemon_threads = True
        threading.Thread(target=serving.serve_forever, args=(0.05,)).start()
        try:
            yield camera, f"http://127.0.0.1:{serving.server_port}/snapshot.jpg"
        finally:
            serving.shutdown()


@pytest.mark.parametrize(
    ("declared", "end", "coding"),
    [
        ("image/jpeg", "a length", ""),
        ("text/html", "pieces", ""),
        ("application/octet-stream", "the end of the connection", ""),
        ("multipart/mixed", "a length", ""),
        *(("image/jpeg", end, coding) for end in ("a length", "pieces") for coding in PACKED),
    ],
)
def test_an_address_of_one_picture_is_asked_again(declared: str, end: str, coding: str) -> None:
    with pictures() as (camera, address):
        camera.declared, camera.sized, camera.chunked = declared, end == "a length", end == "pieces"
        camera.coding = coding
        with open_source(address, FAST) as source:
            frames = list(islice(source, 4))

    assert [value(frame) for frame in frames] == pytest.approx([10, 20, 30, 40], abs=2)
    assert [frame.seq for frame in frames] == [0, 1, 2, 3]
    assert all(frame.asked for frame in frames[1:])
    assert len(camera.connections) == (4 if end == "the end of the connection" else 1)
    assert np.mean(np.diff(camera.asked_s)) > 0.09


def test_a_stream_that_is_packed_for_the_way_is_unpacked_and_one_that_cannot_be_is_refused() -> None:
    head = OK + b"Content-Type: multipart/x-mixed-replace;boundary=frame\r\nContent-Encoding: "
    parts = stream(b"--frame\r\n" + PART)
    with (
        server(sends(head + b"gzip\r\n\r\n" + gzip.compress(parts), then_s=5)) as port,
        open_source(f"http://127.0.0.1:{port}/") as source,
    ):
        newest = next(iter(source))
    said = []
    for coding, data in ((b"br", parts), (b"gzip", parts), (b"gzip", gzip.compress(jpeg()[:-2] + bytes(1 << 27)))):
        with server(sends(head + coding + b"\r\n\r\n" + data)) as port, pytest.raises(SourceError) as refused:
            open_source(f"http://127.0.0.1:{port}/").__enter__()
        said.append(str(refused.value))

    assert value(newest) == pytest.approx(200, abs=2)
    assert "it sends Content-Encoding 'br'; switch that off" in said[0]
    assert "what it sends as gzip is damaged" in said[1]
    assert "does not end within 16,777,216 bytes" in said[2]


def _shaped(before: bytes, cut: int | None, behind: bytes, number: int) -> bytes:
    return before + jpeg(10 * number)[:cut] + behind


def test_a_picture_is_as_long_as_the_response_says() -> None:
    """With another picture behind it, as cameras add a preview; without the marker of its end."""
    for before, cut, behind in ((b"", None, jpeg(250)), (b"", -2, b""), (b"\r\n", None, b"\r\n")):
        with pictures() as (camera, address):
            camera.picture = partial(_shaped, before, cut, behind)
            with open_source(address, FAST) as source:
                frames = list(islice(source, 3))

        assert [value(frame) for frame in frames] == pytest.approx([10, 20, 30], abs=2)


def test_a_picture_that_has_not_changed_is_not_sent_again_but_shown() -> None:
    with pictures() as (camera, address):
        camera.tagged = True
        with open_source(address, FAST) as source:
            frames = list(islice(source, 4))

    assert camera.not_modified == 3
    assert [frame.seq for frame in frames] == [0, 1, 2, 3]
    assert len({frame.captured_ns for frame in frames}) == 4


def test_a_picture_that_lasts_is_shown_again_until_the_next_is_asked_for() -> None:
    with pictures() as (camera, address), open_source(address, SourceOptions(ask_every_s=60)) as source:
        frames = list(islice(source, 3))

    assert len(camera.asked_s) == 1
    assert 1.9 < (frames[2].captured_ns - frames[0].captured_ns) / 1e9 < 20


@pytest.mark.parametrize("status", [503, 404, 200])
def test_an_error_is_tried_again_with_ever_longer_pauses_and_the_picture_comes_back(status: int) -> None:
    with pictures() as (camera, address), open_source(address, FAST) as source:
        frames = iter(source)
        next(frames)
        camera.status, camera.spoilt = status, True
        threading.Timer(1.5, camera.recover).start()
        again = next(frames)

    assert again.seq == 1
    assert 3 <= len(camera.asked_s) <= 6
    assert np.diff(camera.asked_s)[-1] > 0.4


def test_an_address_that_stays_without_a_picture_is_lost_with_the_reason() -> None:
    with pictures() as (camera, address), open_source(address, FAST) as source:
        frames = iter(source)
        next(frames)
        camera.status, camera.spoilt = 503, True
        with pytest.raises(SourceLost, match="503 Service Unavailable"):
            next(frames)


def test_a_pause_between_two_pictures_ends_at_once_with_the_source() -> None:
    with pictures() as (_, address), open_source(address, SourceOptions(ask_every_s=60)) as source:
        threading.Timer(0.3, source.stop).start()
        started = time.monotonic()
        frames = list(source)

    assert len(frames) == 1
    assert time.monotonic() - started < 2


def test_a_daemon_asks_as_often_as_it_is_told_and_says_what_it_sees() -> None:
    with pictures() as (camera, address), daemon("--source", address, "--every", "200ms") as running:
        running.wait_for("ok")
        eventually(lambda: len(camera.asked_s) >= 10, 20)
        state = running.state()

    assert state["status"] == "ok"
    assert np.median(np.diff(camera.asked_s)) == pytest.approx(0.2, abs=0.1)
