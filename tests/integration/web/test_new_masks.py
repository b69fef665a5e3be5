"""Once the answer to new masks has come, no picture that a viewer can get shows what they hide."""

import fcntl
import socket
import termios
import threading
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import cv2
import numpy as np
import pytest

from tests.daemon import Daemon, daemon, get_json
from tests.eventually import eventually
from tests.http_camera import has_left, keeps_sending, part, server
from tests.integration.web.test_zones import put
from vitcam.frames import Image

ROOT = Path(__file__).parents[3]
WIDTH, HEIGHT = 640, 360
SECRET = WIDTH // 4
"""The left quarter of the picture is magenta: what the mask hides."""
MASK: dict[str, Any] = {"zones": {}, "masks": [[0, 0, 0.25, 1]]}
NONE: dict[str, Any] = {"zones": {}, "masks": []}


def scene(name: str) -> bytes:
    """The JPEG of a thing beside the secret."""
    read = cv2.imread(str(ROOT / "models" / "golden" / name))
    picture = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)
    picture[:, 140:500] = cv2.resize(np.asarray(read), (HEIGHT, HEIGHT))
    picture[:, :SECRET] = (255, 0, 255)
    return bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes())


def secret_pixels(jpeg: bytes) -> int:
    """How many px of a picture show the secret."""
    read = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR) if jpeg else None
    return 0 if read is None else shown_secret(np.asarray(read, np.uint8))


def shown_secret(bgr: Image) -> int:
    """The same of pixels; the overlays that vitcam draws are not magenta."""
    blue, green, red = (bgr[..., channel].astype(int) for channel in range(3))
    return int(((blue > green + 80) & (red > green + 80)).sum())


@contextmanager
def magenta_camera(
    every_s: float = 0.04,
    change_s: float = 4.0,
    silent: threading.Event = threading.Event(),  # noqa: B008 - never set
) -> Iterator[str]:
    """A network camera before which things come and go, until it is `silent`."""
    scenes = [part(scene("coffee.jpg")), part(scene("cat.jpg"))]

    def parts() -> Iterator[bytes]:
        began_s = time.monotonic()
        while not silent.is_set():
            yield scenes[int((time.monotonic() - began_s) / change_s) % 2]

    def answer(connection: socket.socket, request: bytes) -> None:
        keeps_sending(parts(), every_s)(connection, request)
        has_left(connection, within_s=60)

    with server(answer) as port:
        yield f"http://127.0.0.1:{port}/"


class Background(ABC):
    """Does something all the time, in a thread of its own."""

    over: threading.Event

    @abstractmethod
    def run(self) -> None:
        """Work until `over` is set."""

    @contextmanager
    def watching(self) -> Iterator[Self]:
        thread = threading.Thread(target=self.run, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.over.set()
            thread.join(10)


@dataclass
class Watcher(Background):
    """A viewer who is there all the time, and notes when each picture began to come."""

    url: str
    found: list[tuple[float, int]] = field(default_factory=list)
    """When the first byte of a picture was read, and how many px of it show the secret."""
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        while not self.over.is_set():
            try:
                with urllib.request.urlopen(f"{self.url}/stream?overlay=none", timeout=5) as answer:
                    self._follow(answer)
            except OSError:
                self.over.wait(0.01)

    def _follow(self, answer: Any) -> None:
        while not self.over.is_set():
            length = 0
            while line := answer.readline():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
                if line == b"\r\n" and length:
                    break
            began_s = time.monotonic()
            jpeg = answer.read(length)
            if len(jpeg) < length or not length:
                return
            self.found.append((began_s, secret_pixels(jpeg)))

    def after(self, moment_s: float) -> list[int]:
        """Of the pictures that began to come after that moment: waits for three of them."""
        eventually(lambda: len([px for at_s, px in self.found if at_s > moment_s]) >= 3)
        return [px for at_s, px in self.found if at_s > moment_s]


def fetched(url: str) -> bytes:
    """The picture there; empty where there is none now."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return bytes(answer.read())
    except urllib.error.HTTPError as refusal:
        refusal.close()
        return b""


def first_of_stream(url: str) -> bytes:
    with urllib.request.urlopen(f"{url}/stream", timeout=10) as answer:
        while not (line := answer.readline()).lower().startswith(b"content-length:"):
            pass
        while answer.readline() != b"\r\n":
            pass
        return bytes(answer.read(int(line.split(b":")[1])))


def open_event(url: str) -> dict[str, Any] | None:
    """The event that lasts, if its picture is there."""
    events = get_json(f"{url}/api/events?limit=3")["events"]
    return next((each for each in events if each["end"] is None and each["frame"]), None)


def leaks_after_a_mask(url: str) -> dict[str, int]:
    """Draw the mask; how many px of the secret each way to a picture gives right after the answer."""
    lasting = eventually(lambda: open_event(url), every_s=0.05)
    assert lasting is not None
    before = datetime.now(UTC).isoformat()
    status, answer = put(url, MASK)
    assert status == 200, answer
    ended = get_json(f"{url}/api/events/{lasting['id']}")["end"]
    ways: dict[str, Callable[[], bytes]] = {
        "snapshot": lambda: fetched(f"{url}/snapshot.jpg"),
        "plain": lambda: fetched(f"{url}/snapshot.jpg?overlay=none&quality=95&width=640"),
        "stream": lambda: first_of_stream(url),
        "event": lambda: fetched(f"{url}/api/events/{lasting['id']}/frame.jpg"),
    }
    if ended is not None and ended < before:  # an event that was over keeps its picture
        ways["event"] = lambda: b""
    return {name: secret_pixels(way()) for name, way in ways.items()}


@contextmanager
def recording(camera: str, folder: Path, *more: str) -> Iterator[Daemon]:
    clips = ("--set", "clips.enabled=true", "--set", "clips.before_s=3", "--set", "clips.after_s=1")
    with daemon("--source", camera, *clips, *more, XDG_STATE_HOME=str(folder)) as running:
        running.wait_for("ok")
        yield running


@pytest.mark.fault(
    "a privacy mask is drawn while viewers watch and an event lasts",
    injected="PUT /api/zones, then every way to a picture at once",
    observed="from the answer on no picture shows what is hidden now; the event gets another picture",
)
def test_right_after_the_answer_no_way_to_a_picture_shows_what_is_hidden_now(tmp_path: Path) -> None:
    with magenta_camera() as camera, recording(camera, tmp_path) as running:
        assert secret_pixels(fetched(f"{running.url}/snapshot.jpg")) > 10_000
        with Watcher(running.url).watching() as watcher:
            for _ in range(5):
                assert eventually(lambda: any(px for _, px in watcher.found[-3:]))
                leaks = leaks_after_a_mask(running.url)
                late = watcher.after(time.monotonic())
                assert leaks == {"snapshot": 0, "plain": 0, "stream": 0, "event": 0}
                assert max(late) == 0
                assert put(running.url, NONE)[0] == 200


def test_an_event_that_lasts_gets_a_picture_with_the_mask(tmp_path: Path) -> None:
    with magenta_camera(change_s=1e9) as camera, recording(camera, tmp_path) as running:
        lasting = eventually(lambda: open_event(running.url), every_s=0.05)
        assert lasting is not None
        picture = f"{running.url}/api/events/{lasting['id']}/frame.jpg"
        before = secret_pixels(fetched(picture))
        put(running.url, MASK)
        after = eventually(lambda: fetched(picture), every_s=0.1)
        files = [secret_pixels(file.read_bytes()) for file in tmp_path.glob("vitcam/frames/*/*.jpg")]

    assert before > 1000
    assert after
    assert secret_pixels(after) == 0
    assert files == [0]


def test_a_clip_shows_nothing_of_the_time_before_the_mask(tmp_path: Path) -> None:
    with magenta_camera(change_s=3.0) as camera, recording(camera, tmp_path) as running:
        assert eventually(lambda: open_event(running.url), every_s=0.05)
        put(running.url, MASK)
        stored = {path.name for path in tmp_path.glob("vitcam/clips/*.mp4")}

        def new_clips() -> list[Path]:
            return [path for path in tmp_path.glob("vitcam/clips/*.mp4") if path.name not in stored]

        clips = eventually(lambda: len(new_clips()) >= 2 and new_clips(), every_s=0.1)
        assert clips
        shown = [px for clip in clips for px in film(clip)]

    assert len(shown) > 10
    assert max(shown) == 0


def film(clip: Path) -> Iterator[int]:
    """How many px of each picture of a clip show the secret."""
    capture = cv2.VideoCapture(str(clip))
    while True:
        done, bgr = capture.read()
        if not done:
            return
        yield shown_secret(np.asarray(bgr))


def test_the_last_picture_of_a_camera_that_is_silent_is_hidden_too(tmp_path: Path) -> None:
    silent = threading.Event()
    with (
        magenta_camera(silent=silent) as camera,
        daemon("--source", camera, XDG_STATE_HOME=str(tmp_path)) as running,
        Watcher(running.url).watching() as watcher,
    ):
        running.wait_for("ok")
        assert eventually(lambda: watcher.found)
        silent.set()
        before = watcher.found[-1][1]
        status, _ = put(running.url, MASK)
        after = secret_pixels(fetched(f"{running.url}/snapshot.jpg?overlay=none"))

    assert before > 1000
    assert status == 200
    assert after == 0


def test_a_film_that_is_paused_is_hidden_too(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "cup.jpg").write_bytes(scene("coffee.jpg"))
    with daemon("--source", str(folder), "--realtime", XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("ok")
        request = urllib.request.Request(f"{running.url}/api/playback", b'{"paused": true}')
        with urllib.request.urlopen(request, timeout=10):
            before = secret_pixels(fetched(f"{running.url}/snapshot.jpg"))
        put(running.url, MASK)
        after = secret_pixels(fetched(f"{running.url}/snapshot.jpg"))

    assert before > 1000
    assert after == 0


def test_a_viewer_who_reads_nothing_is_disconnected_before_the_answer(tmp_path: Path) -> None:
    with magenta_camera() as camera, daemon("--source", camera, XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("ok")
        with Lazy(running.url) as lazy:
            lazy.wait_until_full()
            began_s = time.monotonic()
            status, _ = put(running.url, MASK)
            took_s = time.monotonic() - began_s
            ended = eventually(lazy.has_ended)

    assert status == 200
    assert took_s < 8
    assert ended


class Lazy:
    """A client with a small buffer that asks for a large stream and reads nothing of it."""

    def __init__(self, url: str) -> None:
        host, port = url.removeprefix("http://").split(":")
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self._socket.connect((host, int(port)))
        self._socket.sendall(f"GET /stream?quality=95 HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())

    def __enter__(self) -> "Lazy":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def wait_until_full(self) -> None:
        """Until its buffer holds a part of a picture."""
        assert eventually(
            lambda: int.from_bytes(fcntl.ioctl(self._socket, termios.FIONREAD, bytes(4)), "little") > 1000
        )

    def has_ended(self) -> bool:
        try:
            self._socket.settimeout(0.2)
            return not self._socket.recv(65536)
        except TimeoutError:
            return False
        except ConnectionResetError:
            return True
