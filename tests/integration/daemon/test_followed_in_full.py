"""The daemon with a camera of a sensor: what moves is looked at in more px than the preview has."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests import fake_picamera2
from tests.daemon import Daemon, daemon, get_json
from tests.eventually import eventually
from tests.unit.sources.picamera.test_larger import MODES

SIZE = ("--set", "camera.width=640", "--set", "camera.height=360", "--set", "camera.fps=10")


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """Variables of a machine whose camera sees a square that moves."""
    fake_picamera2.install_into(tmp_path)
    return {"PYTHONPATH": str(tmp_path), "FAKE_PICAMERA2": json.dumps({"modes": MODES, "moving": True})}


def followed(running: Daemon) -> dict[str, Any] | None:
    """What is followed now."""
    found: list[dict[str, Any]] = get_json(f"{running.url}/api/state").get("following", [])
    return found[0] if found else None


def look_at(running: Daemon) -> Any:
    """(H, W, 3): what the model saw of what is followed; None: nothing is."""
    now = followed(running)
    if now is None:
        return None
    try:
        url = f"{running.url}/snapshot.jpg?track={now['track']}&overlay=none"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return cv2.imdecode(np.frombuffer(answer.read(), np.uint8), cv2.IMREAD_COLOR)
    except urllib.error.HTTPError:  # it was followed until now
        return None


def test_what_moves_is_looked_at_in_the_cameras_own_px(machine: dict[str, str]) -> None:
    options = ("--source", "picamera", "--model", "models/cifar10.tflite", "--follow", "motion", *SIZE)
    with daemon(*options, **machine) as running:
        running.wait_for("ok")

        def has_more_px() -> bool:
            picture, now = look_at(running), followed(running)
            if picture is None or now is None:
                return False
            _, _, width, _ = now["box"].split(",")
            return bool(picture.shape[1] > 1.5 * 640 * float(width))

        assert eventually(has_more_px, 60, every_s=0.1)
        assert "what is followed is cut from 1728×972 px of the camera" in running.errors()
