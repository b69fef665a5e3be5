"""MJPEG by HTTP from servers as they are: exact, careless, protected, silent, and vitcam itself."""

import hashlib
import socket
import ssl
import threading
import time
from itertools import repeat
from pathlib import Path

import numpy as np
import pytest

from tests.command import vitcam
from tests.daemon import daemon, free_port
from tests.http_camera import EXACT, MULTIPART, OK, Answer, has_left, jpeg, keeps_sending, own_tls, sends, server
from vitcam.errors import SourceError, SourceLost
from vitcam.sources import open_source
from vitcam.sources.network import camera

pytestmark = pytest.mark.slow("vitcam/sources", "vitcam/pictures")

opened, all_sent = threading.Event(), threading.Event()


def parts(head: bytes, before: bytes, after: bytes, count: int = 30) -> Answer:
    """Sends numbered greys as some server frames them: one, and once `opened` is set the rest, a hundred a second."""

    def answer(connection: socket.socket, request: bytes) -> None:
        opened.clear()
        all_sent.clear()
        connection.sendall(head)
        for i in range(count):
            picture = jpeg(i * 8)
            connection.sendall(before.replace(b"LENGTH", str(len(picture)).encode()) + picture + after)
            opened.wait(20)
            if has_left(connection, 0.01):
                return
        all_sent.set()

    return answer


SERVERS = {
    "ustreamer": parts(MULTIPART, EXACT, b"\r\n"),
    "mjpg-streamer": parts(
        b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=boundarydonotcross\r\n\r\n",
        b"Content-Type: image/jpeg\r\nContent-Length: LENGTH\r\nX-Timestamp: 1.0\r\n\r\n",
        b"\r\n--boundarydonotcross\r\n",
    ),
    "an ESP32-CAM": parts(
        OK + b"Content-Type: multipart/x-mixed-replace;boundary=123456789000000000000987654321\r\n\r\n",
        b"\r\n--123456789000000000000987654321\r\nContent-Type: image/jpeg\r\nContent-Length: LENGTH\r\n\r\n",
        b"",
    ),
    "no lengths, another boundary": parts(MULTIPART, b"--other\r\nContent-Type: image/jpeg\r\n\r\n", b"\r\n"),
    "wrong lengths": parts(MULTIPART, EXACT.replace(b"LENGTH", b"7"), b"\r\n"),
    "pictures alone": parts(OK + b"Content-Type: application/octet-stream\r\n\r\n", b"", b""),
    "no type": parts(OK + b"\r\n", EXACT, b"\r\n"),
}


@pytest.mark.parametrize("name", SERVERS)
def test_pictures_of_every_kind_of_server_come_whole_and_in_order(name: str) -> None:
    frames = []
    with server(SERVERS[name]) as port, open_source(f"http://127.0.0.1:{port}/stream") as source:
        opened.set()
        try:
            for frame in source:
                frames.append(frame)  # noqa: PERF402, what came before the end counts
        except SourceLost as lost:
            end = str(lost)

    assert "has ended its stream" in end
    assert frames[-1].seq == 29
    assert len(frames) > 15  # none is lost but those that came together
    assert [round(frame.preview.mean() / 8) for frame in frames] == [frame.seq for frame in frames]


@pytest.mark.fault(
    "an HTTP camera goes away and comes back",
    injected="a second daemon as the camera, stopped and started",
    observed="no signal, then the picture again, in the same process",
)
def test_vitcam_watches_vitcam_and_returns_when_it_does(tmp_path: Path) -> None:
    port = free_port()
    url = f"http://admin:hunter2@127.0.0.1:{port}/stream?overlay=none"
    with daemon("--source", url, "--wait", STATE_DIRECTORY=str(tmp_path)) as second:
        with daemon("--source", "demo", "--port", str(port)):
            source = second.wait_for("ok")["source"]
        lost = second.wait_for("no_signal")
        with daemon("--source", "demo", "--port", str(port)):
            again = second.wait_for("ok")
        code, _ = second.end()

        assert source == f"http://***@127.0.0.1:{port}/stream?overlay=none"
        assert f"127.0.0.1:{port}" in lost["reason"]
        assert again["frames"]["captured"] > lost["frames"]["captured"]
        assert code == 0
        assert "hunter2" not in second.errors() + str(lost)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (sends(OK + b"Content-Type: text/html\r\n\r\n<html>"), "gives a web page (text/html)"),
        (sends(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), "answers 404 Not Found"),
        (sends(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"), "names no method of login"),
        (sends(b"SSH-2.0-OpenSSH_9.6\r\n"), "cannot be reached"),
        (sends(b""), "cannot be reached"),
        (sends(MULTIPART), "has ended its stream"),
        (sends(MULTIPART, then_s=20), "has been silent for 5 s"),
        (sends(MULTIPART + jpeg()[:-20], then_s=20), "has been silent for 5 s"),
        (sends(b"HTTP/1.1 200 OK\r\nContent", then_s=20), "cannot be reached: timed out"),
    ],
)
def test_what_is_no_stream_is_refused_with_one_sentence_and_no_password(answer: Answer, said: str) -> None:
    with server(answer) as port:
        result = vitcam("run", "--no-web", "--source", f"http://admin:hunter2@127.0.0.1:{port}/x")

    assert result.code == 2
    assert said in result.sentence
    assert f"http://***@127.0.0.1:{port}/x" in result.sentence
    assert "hunter2" not in result.out + result.err
    assert "Traceback" not in result.err


@pytest.mark.fault(
    "an HTTP camera sends garbage",
    injected="a server that sends garbage without end",
    observed="a sentence, in bounded time and memory",
)
def test_garbage_without_end_is_refused_in_bounded_time_and_memory() -> None:
    noise = np.random.default_rng(0).integers(0, 256, 1 << 20, np.uint8).tobytes()

    def answer(connection: socket.socket, request: bytes) -> None:
        connection.sendall(MULTIPART)
        while True:
            connection.sendall(noise)

    started = time.monotonic()
    with server(answer) as port, pytest.raises(SourceError, match="no picture for 5 s"):
        open_source(f"http://127.0.0.1:{port}/").__enter__()

    assert time.monotonic() - started < 15


def test_a_read_that_waits_ends_at_once_when_it_is_stopped() -> None:
    waits = sends(MULTIPART + EXACT + jpeg(), then_s=20)
    with server(waits) as port, open_source(f"http://127.0.0.1:{port}/") as source:
        threading.Timer(0.5, source.stop).start()
        started = time.monotonic()
        frames = list(source)
        took_s = time.monotonic() - started

    assert len(frames) == 1
    assert took_s < 1.5


def test_of_pictures_that_piled_up_the_newest_is_taken_and_the_rest_counted() -> None:
    sender = parts(MULTIPART, EXACT, b"\r\n", count=20)
    with server(sender) as port, open_source(f"http://127.0.0.1:{port}/") as source:
        frames = iter(source)
        first = next(frames)
        opened.set()
        assert all_sent.wait(20)  # while the classifier is busy
        second = next(frames)

    assert second.seq == 19
    assert int(second.preview.mean()) == pytest.approx(19 * 8, abs=3)
    assert (time.monotonic_ns() - second.captured_ns) / 1e9 < 1
    assert first.seq < 5


def test_https_needs_a_certificate_that_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = own_tls(tmp_path)
    with server(sends(MULTIPART + EXACT + jpeg(), then_s=5), context) as port:
        with pytest.raises(SourceError, match="its certificate is its own"):
            open_source(f"https://127.0.0.1:{port}/").__enter__()
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate"))
        with open_source(f"https://127.0.0.1:{port}/") as source:
            threading.Timer(0.5, source.stop).start()

            assert len(list(source)) == 1


def test_the_doctor_looks_at_a_camera_on_the_network_and_keeps_its_password() -> None:
    with server(sends(MULTIPART + EXACT + jpeg(), then_s=20)) as port:
        good = vitcam("doctor", "--json", VITCAM_CAMERA_SOURCE=f"http://admin:hunter2@127.0.0.1:{port}/")
    bad = vitcam("doctor", "--json", VITCAM_CAMERA_SOURCE=f"rtsp://admin:hunter2@127.0.0.1:{port}/")
    findings = [next(check for check in run.lines[0]["checks"] if check["name"] == "camera") for run in (good, bad)]

    assert [finding["status"] for finding in findings] == ["ok", "fail"]
    assert findings[0]["found"] == f"http://***@127.0.0.1:{port}/ sends pictures of 64×48 px"
    assert "cannot be opened" in findings[1]["found"]
    assert "hunter2" not in good.out + bad.out


def test_the_doctor_says_how_to_trust_a_camera_with_a_certificate_of_its_own(tmp_path: Path) -> None:
    context = own_tls(tmp_path)
    der = ssl.PEM_cert_to_DER_cert((tmp_path / "certificate").read_text())
    fingerprint = hashlib.sha256(der).hexdigest()
    with server(sends(MULTIPART + EXACT + jpeg(), then_s=20), context) as port:
        address = f"https://127.0.0.1:{port}/"
        before = vitcam("doctor", "--json", VITCAM_CAMERA_SOURCE=address)
        after = vitcam("doctor", "--json", VITCAM_CAMERA_SOURCE=address, VITCAM_CAMERA_FINGERPRINT=fingerprint.upper())
    found, trusted = (
        next(check for check in run.lines[0]["checks"] if check["name"] == "camera") for run in (before, after)
    )

    assert "its certificate is its own" in found["found"]
    assert found["fix"] == f'to trust this one and no other, set camera.fingerprint = "{fingerprint}"'
    assert trusted["status"] == "ok"


CHUNKED = MULTIPART.replace(b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\n")
DRIPPING = {
    "a head of one byte at a time": keeps_sending(repeat(b"x"), 0.2, b"HTTP/1.1 200 OK\r\nX-Long: "),
    "Continue for ever": keeps_sending(repeat(b"HTTP/1.1 100 Continue\r\n\r\n"), 0.05, b""),
    "the length of a piece, byte by byte": keeps_sending(repeat(b"0"), 0.2, CHUNKED),
    "a picture, byte by byte": keeps_sending(repeat(b"\x01"), 0.2, MULTIPART + jpeg()[:-2]),
}


@pytest.mark.fault(
    "an HTTP camera drips, or says `100 Continue` without end",
    injected="servers that send a byte now and then, in four places",
    observed="it is given up in time",
)
def test_a_camera_that_never_comes_to_the_point_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """All at once: each takes its whole time."""
    monkeypatch.setattr(camera, "_OPEN_S", 1.0)
    refusals: dict[str, str] = {}

    def visit(name: str) -> None:
        with server(DRIPPING[name]) as port:
            try:
                open_source(f"http://127.0.0.1:{port}/").__enter__()
            except SourceError as refused:
                refusals[name] = str(refused)

    threads = [threading.Thread(target=visit, args=(name,)) for name in DRIPPING]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert time.monotonic() - started < 25
    assert refusals.keys() == DRIPPING.keys()
    assert "did not begin a stream in time" in refusals["Continue for ever"]
    assert "has been silent" in refusals["the length of a piece, byte by byte"]


def test_a_daemon_ends_while_its_camera_drips() -> None:
    with (
        server(DRIPPING["Continue for ever"]) as port,
        daemon("--source", f"http://127.0.0.1:{port}/", "--wait") as running,
    ):
        running.wait_for("starting")
        code, took_s = running.end()

    assert code == 0
    assert took_s < 5
