"""What `vitcam models` says of memory, beside a daemon that is used."""

import time
import urllib.request
from pathlib import Path

import cv2
import numpy as np

from tests.daemon import daemon
from tests.eventually import eventually
from tests.needs import need_model
from vitcam.cli.models import LIBRARIES_MB, daemon_mb

_WATCHED_S = 3.0


def test_a_daemon_with_a_viewer_a_photo_and_an_event_takes_about_the_memory_that_is_said_of_its_model(
    tmp_path: Path,
) -> None:
    model = need_model("everyday")
    photo = cv2.imencode(".jpg", np.zeros((480, 640, 3), np.uint8))[1].tobytes()
    with daemon("--source", "demo", "--model", "everyday", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        urllib.request.urlopen(f"{running.url}/api/classify", data=photo, timeout=60).close()
        assert eventually(lambda: list(tmp_path.rglob("*.jpg")), every_s=0.1)
        with urllib.request.urlopen(f"{running.url}/stream?overlay=attention&width=640", timeout=30) as stream:
            ends = time.monotonic() + _WATCHED_S
            while time.monotonic() < ends:
                stream.read(4096)
        own_mb = _own_mb(running.process.pid)

    assert 0.8 < (own_mb + LIBRARIES_MB) / daemon_mb(model.stat().st_size) < 1.15


def _own_mb(process: int) -> float:
    """Resident memory that is no file's: how much of the libraries' code is resident depends on the kernel's cache."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return sum(int(fields[name].split()[0]) for name in ("RssAnon", "RssShmem")) / 1024
