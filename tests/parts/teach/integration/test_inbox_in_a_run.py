"""The inbox of a real daemon: what it does not know is kept, masked, across a kill, and nowhere where nothing is."""

import signal
from http import HTTPStatus
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.daemon import daemon, get_json, status_of
from tests.eventually import eventually
from tests.shapes import draw
from tests.videos import write_video


def film(folder: Path) -> Path:
    """Another cross twice a second."""
    rng = np.random.default_rng(0)
    drawn = [cv2.resize(draw("red", "cross", rng), (192, 192))[..., ::-1] for _ in range(20)]
    return write_video(folder / "crosses.mp4", [picture for picture in drawn for _ in range(5)], fps=10)


@pytest.mark.fault(
    "SIGKILL while pictures wait in the inbox",
    injected="SIGKILL of the daemon once a picture waits",
    observed="the same pictures wait after the next start; what a mask covers is black in them",
)
def test_what_the_model_has_no_word_for_waits_masked_and_across_a_kill(tmp_path: Path) -> None:
    config, state = tmp_path / "config.toml", {"STATE_DIRECTORY": str(tmp_path / "state")}
    config.write_text('[camera]\nmasks = ["0,0,0.2,1"]\n')
    source = ("--source", str(film(tmp_path)), "--loop")
    with daemon(*source, "--config", str(config), **state) as running:
        running.wait_for("ok")
        eventually(lambda: get_json(f"{running.url}/api/inbox")["pictures"], 60)
        running.end(signal.SIGKILL)
    kept = {path.stem for path in (tmp_path / "state" / "inbox").glob("inbox-*.jpg")}
    pictures = [cv2.imread(str(path)) for path in (tmp_path / "state" / "inbox").glob("inbox-*.jpg")]
    with daemon(*source, "--set", "inbox.pictures=1000", **state) as running:
        running.wait_for("ok")
        waiting = {each["id"] for each in get_json(f"{running.url}/api/inbox")["pictures"]}
    with daemon(*source, "--set", "store.enabled=false", **state) as running:
        running.wait_for("ok")
        off = status_of(f"{running.url}/api/inbox")

    assert kept
    assert kept <= waiting
    assert all(picture[:, :20].max() < 24 and picture.max() > 90 for picture in pictures)
    assert off == HTTPStatus.NOT_FOUND
