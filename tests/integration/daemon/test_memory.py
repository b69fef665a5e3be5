"""What `vitcam models` says of memory, beside a daemon that is used."""

import os
import time
import urllib.request
from pathlib import Path

import cv2
import numpy as np

from tests.daemon import daemon
from tests.parts import need_model
from vitcam.commands.model_memory import daemon_mb

_WATCHED_S = 3.0


def test_a_daemon_with_a_viewer_and_a_photo_takes_about_the_memory_that_is_said_of_its_model() -> None:
    model = need_model("everyday")
    photo = cv2.imencode(".jpg", np.zeros((480, 640, 3), np.uint8))[1].tobytes()
    with daemon("--source", "demo", "--model", "everyday") as running:
        running.wait_for("ok")
        urllib.request.urlopen(f"{running.url}/api/classify", data=photo, timeout=60).close()
        with urllib.request.urlopen(f"{running.url}/stream?overlay=attention&width=640", timeout=30) as stream:
            ends = time.monotonic() + _WATCHED_S
            while time.monotonic() < ends:
                stream.read(4096)
        pages = int(Path(f"/proc/{running.process.pid}/statm").read_text().split()[1])
    resident_mb = pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    assert 0.7 < resident_mb / daemon_mb(model.stat().st_size) < 1.15
