"""Debian's motion on an HTTP camera of the demo's pictures, to compare with."""

import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.daemon import free_port

_SETTINGS = """
netcam_url {camera}
{login}
width {width}
height {height}
framerate {fps}
stream_port {port}
stream_localhost on
stream_maxrate {fps}
stream_quality 80
webcontrol_port 0
picture_output off
movie_output off
target_dir {folder}
log_level 4
"""


def missing() -> str:
    """What must be installed first; "" if it is there."""
    return "" if shutil.which("motion") else "motion"


@contextmanager
def motion(camera: str, width: int, height: int, fps: int, login: str = "") -> Iterator[tuple[str, int]]:
    """Its address, as HOST:PORT, and the process's id, while it serves `/stream` and `/current`.

    login  USER:PASSWORD that the camera asks for
    """
    with tempfile.TemporaryDirectory() as name:
        port, settings = free_port(), Path(name, "motion.conf")
        known = f"netcam_userpass {login}" if login else ""
        settings.write_text(
            _SETTINGS.format(camera=camera, login=known, width=width, height=height, fps=fps, port=port, folder=name)
        )
        command = ["motion", "-n", "-c", str(settings)]
        with subprocess.Popen(command, cwd=name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            try:
                _wait_for_picture(f"http://127.0.0.1:{port}/current")
                yield f"127.0.0.1:{port}", child.pid
            finally:
                child.kill()


def _wait_for_picture(url: str) -> None:
    """Raises RuntimeError when that takes 30 s."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with suppress(OSError), urllib.request.urlopen(url, timeout=5) as answer:
            if b"\xff\xd8\xff" in answer.read(100_000):
                return
        time.sleep(0.3)
    raise RuntimeError(f"motion shows no picture at {url}")
