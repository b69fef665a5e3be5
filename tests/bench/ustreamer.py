"""Debian's ustreamer on a camera made of the demo's pictures, to compare with."""

import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import cv2
import numpy as np

from tests.daemon import free_port
from vitcam.sources import SourceOptions, open_source

_CAMERA = Path(__file__).with_name("v4l2_from_file.c")


def missing() -> str:
    """What must be installed first; "" if all is there."""
    return ", ".join(program for program in ("ustreamer", "cc") if shutil.which(program) is None)


@contextmanager
def ustreamer(width: int, height: int, fps: int, quality: int = 80) -> Iterator[tuple[str, int]]:
    """Its address, as HOST:PORT, and the process's id, while it serves `/stream`; it makes the JPEGs itself."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        library, film = folder / "camera.so", folder / "film.yuyv"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, _CAMERA, "-ldl"], check=True)
        film.write_bytes(b"".join(_pictures(width, height)))
        (folder / "video0").touch()  # ustreamer looks whether it is there
        camera = {"CAMERA_PATH": f"{name}/video0", "CAMERA_FILE": str(film), "CAMERA_FPS": str(fps)}
        environment = os.environ | camera | {"CAMERA_SIZE": f"{width}x{height}", "LD_PRELOAD": str(library)}
        command = ["ustreamer", "-d", camera["CAMERA_PATH"], "-m", "YUYV", "-r", f"{width}x{height}", "-f", str(fps)]
        command += ["-q", str(quality), "-p", str(port), "--tcp-nodelay"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            try:
                _wait_for_picture(f"http://127.0.0.1:{port}/snapshot", height)
                yield f"127.0.0.1:{port}", child.pid
            finally:
                child.kill()


def _pictures(width: int, height: int) -> Iterator[bytes]:
    with open_source("demo:ram", SourceOptions(realtime=False, loop=False)) as source:
        for frame in source:
            small = cv2.resize(frame.preview, (width, height), interpolation=cv2.INTER_AREA)
            yield bytes(cv2.cvtColor(small, cv2.COLOR_RGB2YUV_YUYV))


def _wait_for_picture(url: str, height: int) -> None:
    """Until it shows the camera instead of its own NO SIGNAL. Raises RuntimeError when that takes 20 s."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with suppress(OSError), urllib.request.urlopen(url, timeout=5) as answer:
            picture = cv2.imdecode(np.frombuffer(answer.read(), np.uint8), cv2.IMREAD_COLOR)
            if picture is not None and picture.shape[0] == height:
                return
        time.sleep(0.1)
    raise RuntimeError(f"ustreamer shows no picture of {height} px at {url}")
