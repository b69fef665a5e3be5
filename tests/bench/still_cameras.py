"""Cameras whose pictures show that nothing moves, each with a sensor's noise; none of them is a part of the daemon.

python -m tests.bench.still_cameras mjpeg PORT FPS | rtsp PORT FPS    serves one until it is ended
"""

import itertools
import os
import subprocess
import sys
import tempfile
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
    """A camera of 1280×720 px that sends H.264 by RTSP: GStreamer's server, and x264."""
    port, film = free_port(), folder / "pictures"
    film.mkdir()
    for number, picture in enumerate(scene()):
        cv2.imwrite(str(film / f"{number}.png"), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    launch = (
        f"( multifilesrc location={film}/%d.png start-index=0 stop-index=7 loop=true caps=image/png,framerate={fps}/1 "
        f"! pngdec ! videoconvert ! video/x-raw,format=I420 ! queue ! identity sync=true ! x264enc tune=zerolatency "
        f"speed-preset=ultrafast key-int-max={2 * fps} bitrate=2500 ! rtph264pay name=pay0 pt=96 config-interval=-1 )"
    )
    command = ["/usr/bin/python3", "-c", _RTSP, str(port), launch]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            child.stdout.readline()
            yield Camera(f"rtsp://127.0.0.1:{port}/cam", {})
        finally:
            child.kill()


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
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with suppress(OSError), create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise RuntimeError("the camera does not begin")


if __name__ == "__main__":
    os.nice(5)
    serve(int(sys.argv[1]), float(sys.argv[2]))
