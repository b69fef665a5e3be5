"""SIGTERM ends the daemon within the two seconds that are promised, whatever hangs just then."""

import fcntl
import json
import os
import struct
import termios
import threading
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import IO

import cv2
import numpy as np
import pytest

from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from vitcam.history.store import EventStore
from vitcam.history.stored import Query

PROMISED_S = 2.0
LARGE = 1_000_000  # bytes: larger than the images that a model carries
DECODE_HANGS = f"""
import signal
from pathlib import Path

import cv2

decode = cv2.imdecode

def hang(data, *how):
    if len(data) < {LARGE}:
        return decode(data, *how)
    Path(__file__).with_name("hangs").touch()  # the decoder's process can neither print nor write
    signal.pause()

cv2.imdecode = hang
"""


@pytest.fixture
def hanging(tmp_path: Path) -> str:
    """A PYTHONPATH on which large pictures are decoded for ever."""
    folder = tmp_path / "patched"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(DECODE_HANGS)
    return str(folder)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "photos" / "large.png"
    path.parent.mkdir()
    cv2.imwrite(str(path), np.random.default_rng(0).integers(0, 256, (600, 800, 3), np.uint8))
    assert path.stat().st_size > LARGE
    return path


def assert_ends_in_time(running: Daemon) -> None:
    code, took_s = running.end()

    assert code == 0, running.errors()
    assert took_s < PROMISED_S
    assert "Traceback" not in running.errors()


def wait_until_it_hangs(running: Daemon, patched: str) -> None:
    assert eventually(lambda: (Path(patched) / "hangs").exists() or running.process.poll() is not None)


def test_while_a_photo_of_a_folder_is_decoded_for_ever(hanging: str, picture: Path) -> None:
    with daemon("--source", str(picture.parent), PYTHONPATH=hanging) as running:
        wait_until_it_hangs(running, hanging)

        assert_ends_in_time(running)


@pytest.mark.fault(
    "a photo is being decoded without end at SIGTERM",
    injected="a decoder that sleeps",
    observed="it ends within 2 s",
)
def test_while_an_upload_is_decoded_for_ever(hanging: str, picture: Path) -> None:
    with daemon("--source", "demo", PYTHONPATH=hanging) as running:
        running.wait_for("ok")
        upload = threading.Thread(target=send, args=(f"{running.url}/api/classify", picture.read_bytes()))
        upload.start()
        wait_until_it_hangs(running, hanging)

        assert_ends_in_time(running)
        upload.join(30)


def send(url: str, body: bytes) -> None:
    """Nobody waits for the answer."""
    with suppress(OSError):
        urllib.request.urlopen(url, data=body, timeout=30).close()


@pytest.mark.fault(
    "nobody reads standard output",
    injected="a pipe that is full",
    observed="SIGTERM ends it within 2 s",
)
def test_while_nobody_reads_its_output_any_more(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, 4096)
    with os.fdopen(reading, "rb") as out, daemon("--source", "demo", "--emit", "all", stdout=str(pipe)) as running:
        running.wait_for("ok")
        wait_until_full(out, running)
        assert_ends_in_time(running)
        lines = out.read().decode().splitlines()

        assert {json.loads(line)["type"] for line in lines} == {"prediction"}


def wait_until_full(out: IO[bytes], running: Daemon) -> None:
    """Return once the daemon waits for its reader, while the camera goes on."""

    def waits() -> bool:
        held, enough = bytes_in(out), running.state()["frames"]["classified"] + 10
        assert eventually(lambda: running.state()["frames"]["classified"] >= enough, every_s=0.1)
        return held == bytes_in(out)

    assert eventually(waits)


def bytes_in(pipe: IO[bytes]) -> int:
    return int(struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0"))[0])


@pytest.mark.fault(
    "clips wait to be encoded at SIGTERM",
    injected="long clips of a demo, which take longer to encode than to record",
    observed="it ends within 2 s, and each event says that the run ended before its clip was encoded",
)
def test_while_clips_wait_to_be_encoded(tmp_path: Path) -> None:
    long = ("clips.enabled=true", "clips.before_s=10", "clips.after_s=0", "events.dwell_s=0.2")
    settings = [word for setting in long for word in ("--set", setting)]
    with daemon("--source", "demo", "--loop", *settings, STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        assert eventually(lambda: running.state()["clips"]["queued"] >= 2, every_s=0.1)
        assert_ends_in_time(running)

    events = EventStore(tmp_path).find(Query(), 100).events
    whys = [action.detail for event in events for action in event.actions if action.kind == "clip"]
    assert whys.count("the run ended before it was encoded") >= 2
    assert not [event for event in events if event.end_ms and event.clip is None and not event.actions]
    assert not [
        path for path in (tmp_path / "clips").glob("*.mp4") if path.stem not in {e.id for e in events if e.clip}
    ]
