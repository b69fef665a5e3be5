"""A real RTSP server (GStreamer's), its end and its return."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from itertools import pairwise
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest

from tests.command import vitcam
from tests.daemon import daemon, free_port
from tests.needs import missing, need_program
from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Image
from vitcam.pictures.decode import decode_image
from vitcam.sources import SourceOptions, open_source
from vitcam.sources.jpeg_stream import JpegStream

pytestmark = pytest.mark.slow("vitcam/sources", "vitcam/pictures")

SERVER = Path(__file__).parents[2] / "rtsp_server.py"
BACK_WITHIN_S = 5.0


@contextmanager
def rtsp_server(port: int) -> Iterator["subprocess.Popen[bytes]"]:
    """Listening once it is entered; killed at the end."""
    python = need_program("/usr/bin/python3")
    found = subprocess.run([python, str(SERVER)], capture_output=True, text=True, timeout=60)
    if found.returncode:
        missing(f"a part of the RTSP server is not installed: {found.stderr.strip().splitlines()[-1]}")
    server = subprocess.Popen([python, str(SERVER), str(port)], stdout=subprocess.PIPE)
    assert server.stdout is not None
    try:
        assert server.stdout.readline() == b"ready\n"
        yield server
    finally:
        server.kill()
        server.wait(10)
        server.stdout.close()


def test_an_rtsp_stream_gives_its_pictures_as_they_come() -> None:
    port = free_port()
    with rtsp_server(port), open_source(f"rtsp://user:secret@127.0.0.1:{port}/cam") as source:
        frames = [frame for frame, _ in zip(source, range(30), strict=False)]
    gaps_ms = [(b.captured_ns - a.captured_ns) / 1e6 for a, b in pairwise(frames)]

    assert [frame.seq for frame in frames] == list(range(30))
    assert frames[0].preview.shape == (360, 640, 3)
    assert frames[0].preview.max() > 200  # the ball
    assert frames[0].source == f"rtsp://***@127.0.0.1:{port}/cam"
    assert 25 < sorted(gaps_ms)[15] < 45  # not those that had queued up while the stream was opened


def test_a_read_that_waits_ends_at_once_when_it_is_stopped() -> None:
    port = free_port()
    with rtsp_server(port) as server, open_source(f"rtsp://127.0.0.1:{port}/cam") as source:
        frames = iter(source)
        next(frames)
        server.send_signal(signal.SIGSTOP)  # the connection stays, and nothing comes
        threading.Timer(1.0, source.stop).start()
        started = time.monotonic()
        rest = list(frames)
        took_s = time.monotonic() - started

        assert len(rest) < 10
        assert 0.5 < took_s < 4.0  # it is called silent after 5 s


def test_from_when_something_may_be_followed_no_picture_is_reduced() -> None:
    port, follows = free_port(), [False]
    options = SourceOptions(width=320, height=180, follows=lambda: follows[0])
    with rtsp_server(port), open_source(f"rtsp://127.0.0.1:{port}/cam", options) as source:
        frames = iter(source)
        shapes = [next(frames).preview.shape]
        follows[0] = True
        shapes.append(next(frames).preview.shape)

    assert shapes == [(180, 320, 3), (360, 640, 3)]


@pytest.mark.fault(
    "an RTSP camera falls silent or goes away",
    injected="SIGSTOP to the server, then its end",
    observed="the camera is lost with a sentence",
)
def test_a_server_that_goes_silent_or_away_loses_the_source() -> None:
    port = free_port()
    source = open_source(f"rtsp://127.0.0.1:{port}/cam")
    with rtsp_server(port) as server, source:
        next(iter(source))
        server.send_signal(signal.SIGSTOP)  # the connection stays, and nothing comes
        with pytest.raises(SourceLost, match="silent"):
            list(source)
    with pytest.raises(SourceError, match="cannot be opened"), source:
        pass


def test_a_process_that_hangs_as_long_as_a_silent_camera_may_says_the_same_of_the_camera() -> None:
    port = free_port()
    with rtsp_server(port), open_source(f"rtsp://127.0.0.1:{port}/cam") as source:
        frames = iter(source)
        next(frames)
        os.kill(reader(), signal.SIGALRM)  # its limit
        with pytest.raises(SourceLost, match="silent"):
            list(frames)


def reader() -> int:
    """The process that reads the camera."""
    return next(pid for pid in own_children() if b"sources.rtsp.child" in Path(f"/proc/{pid}/cmdline").read_bytes())


def test_what_others_send_is_decoded_in_a_process_of_its_own_which_shows_no_secret_and_may_die() -> None:
    port, wanted = free_port(), [True, False, False, True, True]
    options = SourceOptions(width=320, height=180, wanted=lambda: wanted.pop(0) if wanted else True)
    with rtsp_server(port), open_source(f"rtsp://user:hunter2@127.0.0.1:{port}/cam", options) as source:
        frames = iter(source)
        taken = [next(frames) for _ in range(3)]
        child = reader()
        command = Path(f"/proc/{child}/cmdline").read_bytes()
        os.kill(child, signal.SIGKILL)
        with pytest.raises(SourceLost, match="process ended by SIGKILL"):
            list(frames)
        first = taken[0].preview.copy()

    assert [frame.seq for frame in taken] == [0, 3, 4]  # a picture that nobody wants is a gap
    assert taken[0].preview.shape == (180, 320, 3)  # 640×360 px came
    assert not taken[0].preview.flags.writeable
    assert np.array_equal(taken[0].preview, first)  # it outlives its process
    assert b"hunter2" not in command
    assert own_children() == set()


@pytest.mark.fault(
    "an RTSP camera changes the size of its pictures",
    injected="a stream that continues in another size",
    observed="every picture comes whole and in its own size",
)
def test_a_camera_that_changes_its_size_is_followed() -> None:
    port = free_port()
    with rtsp_server(port), open_source(f"rtsp://127.0.0.1:{port}/resized") as source:
        pictures = {frame.preview.shape: frame.preview for frame, _ in zip(source, range(60), strict=False)}

    assert set(pictures) == {(360, 640, 3), (426, 240, 3)}
    assert all(is_the_ball(picture) for picture in pictures.values())


def test_a_wrong_path_is_refused_without_showing_the_password() -> None:
    port = free_port()
    with rtsp_server(port):
        result = vitcam("run", "--no-web", "--source", f"rtsp://admin:hunter2@127.0.0.1:{port}/nothing")

    assert result.code == 2
    assert f"rtsp://***@127.0.0.1:{port}/nothing cannot be opened" in result.sentence
    assert "hunter2" not in result.err + result.out


@pytest.mark.fault(
    "an RTSP camera restarts",
    injected="a server that is killed and started again",
    observed="viewers stay connected; the picture is back in 5 s",
)
def test_viewers_stay_while_the_server_restarts_and_the_picture_is_back_within_five_seconds() -> None:
    port = free_port()
    with daemon("--source", f"rtsp://admin:hunter2@127.0.0.1:{port}/cam", "--wait") as running:
        with rtsp_server(port):
            source = running.wait_for("ok")["source"]
            viewer = urlopen(f"{running.url}/stream?overlay=none", timeout=30)
            wait_for_picture(viewer, is_the_ball)
        lost = running.wait_for("no_signal")
        wait_for_picture(viewer, lambda picture: not is_the_ball(picture))  # the card
        time.sleep(4)  # nothing tells of the attempts: the longest pause between two of them is reached
        with rtsp_server(port):
            returned = time.monotonic()
            wait_for_picture(viewer, is_the_ball)
            away_s = time.monotonic() - returned
        code, _ = running.end()
        viewer.close()
        print(f"the picture was back {away_s:.1f} s after the server")

        assert source == f"rtsp://***@127.0.0.1:{port}/cam"
        assert "gives no pictures any more" in lost["reason"]
        assert away_s < BACK_WITHIN_S
        assert code == 0
        assert "hunter2" not in running.errors() + str(lost)


def own_children() -> set[int]:
    """Processes of vitcam's own that this one has started."""
    listed = " ".join(path.read_text() for path in Path("/proc/self/task").glob("*/children"))
    return {int(pid) for pid in listed.split() if b"vitcam." in Path(f"/proc/{pid}/cmdline").read_bytes()}


def is_the_ball(picture: Image) -> bool:
    """White on black, and next to nothing between."""
    return bool(np.median(picture) < 8 and picture.max() > 200)


def wait_for_picture(viewer: HTTPResponse, wanted: Callable[[Image], bool], timeout_s: float = 30) -> None:
    """Read one viewer's stream on until it shows what is wanted."""
    stream, deadline = JpegStream(), time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        data = viewer.read1(1 << 16)
        assert data, "the viewer was disconnected"
        if any(wanted(decode_image(picture)) for picture in stream.feed(data)):
            return
    raise AssertionError("never came")
