"""Cameras whose pictures show that nothing moves, each with a sensor's noise; none of them is a part of the daemon.

python -m tests.bench.still_cameras PORT FPS    serves MJPEG by HTTP until it is ended
"""

import itertools
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from socket import create_connection, socket

import cv2
import numpy as np

from tests import fake_picamera2
from tests.bench.still import scene
from tests.daemon import free_port
from tests.http_camera import MULTIPART, part, server
from vitcam.frames import Image

_QUALITY = 85
_RTSP = """
import sys, gi
gi.require_version("Gst", "1.0"); gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer
Gst.init(None)
server = GstRtspServer.RTSPServer(address="127.0.0.1", service=sys.argv[1])
factory = GstRtspServer.RTSPMediaFactory(launch=sys.argv[2], shared=True)
server.get_mount_points().add_factory("/cam", factory)
server.attach(None)
print("ready", flush=True)
GLib.MainLoop().run()
"""


@dataclass(frozen=True, slots=True)
class Camera:
    """One that runs: what the daemon is given for it."""

    source: str
    environment: dict[str, str]
    options: tuple[str, ...] = ()


@contextmanager
def http_mjpeg(folder: Path, fps: int) -> Iterator[Camera]:
    """A camera of 1280×720 px that sends JPEGs by HTTP, in a process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "tests.bench.still_cameras", str(port), str(fps)]
    with subprocess.Popen(command) as child:
        try:
            _wait_for(port)
            yield Camera(f"http://127.0.0.1:{port}/stream", {})
        finally:
            child.kill()


@contextmanager
def rtsp_h264(folder: Path, fps: int) -> Iterator[Camera]:
    """A camera of 1280×720 px that sends H.264 by RTSP: GStreamer's server, on a film of x264."""
    port, film = free_port(), folder / "film.mp4"
    _make_film(folder, film, fps)
    launch = f"( filesrc location={film} ! qtdemux ! h264parse ! rtph264pay name=pay0 pt=96 config-interval=-1 )"
    command = ["/usr/bin/python3", "-c", _RTSP, str(port), launch]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            child.stdout.readline()
            yield Camera(f"rtsp://127.0.0.1:{port}/cam", {})
        finally:
            child.kill()


def _make_film(folder: Path, film: Path, fps: int) -> None:
    """A key frame every two seconds, as most cameras have it; some seconds, again and again without a new key."""
    pictures = scene()
    for number in range(8 * fps):
        cv2.imwrite(str(folder / f"{number:03}.png"), cv2.cvtColor(pictures[number % len(pictures)], cv2.COLOR_RGB2BGR))
    once = folder / "once.mp4"
    quiet = ["ffmpeg", "-loglevel", "error", "-y"]
    encode = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "0", "-g", str(2 * fps), "-b:v", "3M"]
    images = ["-framerate", str(fps), "-i", str(folder / "%03d.png")]
    subprocess.run([*quiet, *images, *encode, "-pix_fmt", "yuv420p", str(once)], check=True)
    subprocess.run([*quiet, "-stream_loop", "40", "-i", str(once), "-c", "copy", str(film)], check=True)


@contextmanager
def picamera(folder: Path, fps: int) -> Iterator[Camera]:
    """A stand-in for picamera2, whose pictures are made before and only handed out."""
    library = folder / "library"
    library.mkdir()
    fake_picamera2.install_into(library)
    np.save(folder / "noisy.npy", np.stack(scene()))
    world = f'{{"fps": {fps}, "pictures": "{folder}/noisy.npy"}}'
    yield Camera("picamera", {"PYTHONPATH": str(library), "FAKE_PICAMERA2": world}, ("--set", f"camera.fps={fps}"))


@contextmanager
def usb_mjpeg(folder: Path, fps: int) -> Iterator[Camera]:
    """A V4L2 device that gives MJPG: a library that answers for it is loaded before OpenCV."""
    library, film = folder / "camera.so", folder / "film.mjpg"
    source = Path(__file__).with_name("v4l2_from_file.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl"], check=True)
    pictures = [jpeg(picture) for picture in scene()]
    room = max(map(len, pictures))
    film.write_bytes(b"".join(picture.ljust(room, b"\0") for picture in pictures))
    (folder / "video0").touch()
    camera = {"CAMERA_PATH": f"{folder}/video0", "CAMERA_FILE": str(film), "CAMERA_FPS": str(fps)}
    as_jpeg = {"CAMERA_SIZE": "1280x720", "CAMERA_JPEG": str(room), "LD_PRELOAD": str(library)}
    yield Camera(f"v4l2:{folder}/video0", camera | as_jpeg)


@contextmanager
def ready(kind: "Callable[[Path, int], object]", fps: int) -> Iterator[Camera]:
    """One of the cameras above, with a folder of its own."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield stack.enter_context(kind(folder, fps))  # type: ignore[arg-type]  # a context manager


def jpeg(picture: Image) -> bytes:
    """As a camera sends it.

    picture  (H, W, 3) uint8, RGB
    """
    bgr = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    return bytes(cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1])


class SwitchedCamera:
    """Sends MJPEG by HTTP, 15 pictures a second, and shows something new when it is told to."""

    def __init__(self) -> None:
        self._sets = [[part(jpeg(with_thing(each, x))) for each in scene()] for x in (0, 300, 700)]
        self.shows = self._sets[0]
        self._number = 0
        self._switched = threading.Event()
        self._sent_s = 0.0

    def switch(self) -> float:
        """Show something else; the time at which its first picture was on its way."""
        self._number += 1
        self._switched.clear()
        self.shows = self._sets[self._number % len(self._sets)]
        self._switched.wait(10)
        return self._sent_s

    def answer(self, connection: socket, request: bytes) -> None:
        """For `server`."""
        connection.sendall(MULTIPART)
        before, due_s = self.shows, time.monotonic()
        while shown := self.shows:
            due_s = max(due_s + 1 / 15, time.monotonic())
            time.sleep(max(0.0, due_s - time.monotonic()))
            connection.sendall(shown[int(due_s * 15) % len(shown)])
            if shown is not before:
                before, self._sent_s = shown, time.time()
                self._switched.set()


def with_thing(picture: Image, x: int) -> Image:
    """The scene with a square of a tenth of its height; 0: as it is."""
    out = picture.copy()
    if x:
        out[300:372, x : x + 72] = (200, 60, 40)
    return out


def serve(port: int, fps: float) -> None:
    """Send the scene to everybody who asks, until the process is killed."""
    parts = [part(jpeg(picture)) for picture in scene()]

    def answer(connection: socket, request: bytes) -> None:
        connection.sendall(MULTIPART)
        began = time.monotonic()
        for number in itertools.count():
            time.sleep(max(0.0, began + number / fps - time.monotonic()))
            connection.sendall(parts[number % len(parts)])

    with server(answer, port=port):
        time.sleep(1e6)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        with suppress(OSError), create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise RuntimeError("the camera does not begin")


if __name__ == "__main__":
    serve(int(sys.argv[1]), float(sys.argv[2]))
