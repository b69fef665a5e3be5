"""SIGSTOP and SIGCONT, as a debugger, a laptop's lid or a full machine stops processes."""

import os
import signal
import time

import pytest

from tests.daemon import daemon
from tests.eventually import eventually
from tests.soak.camera import FaultyCamera

STOPPED_S = 6.0  # longer than a camera may be silent


@pytest.mark.fault(
    "the daemon is stopped and continued",
    injected="SIGSTOP to it, SIGCONT after 6 s",
    observed="the camera's backlog is left out, new frames are classified within seconds",
)
def test_a_daemon_that_was_stopped_continues_with_new_frames() -> None:
    with FaultyCamera(size=(320, 180)) as camera, daemon("--source", camera.url, "--model", "mnist") as running:
        before = running.wait_for("ok")["frames"]
        running.process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)  # how long it is stopped is what is tested
        running.process.send_signal(signal.SIGCONT)
        again = eventually(
            lambda: (now := running.state())["frames"]["captured"] > before["captured"] + 60 and now, every_s=0.2
        )
        code, _ = running.end()

        assert again
        assert again["status"] == "ok"
        # Few are classified: eight pictures in a loop become a still view.
        assert again["frames"]["classified"] > before["classified"]
        assert again["ms"]["total"]["p50"] < 1000
        assert code == 0


@pytest.mark.fault(
    "the process that decodes a camera's pictures is stopped",
    injected="SIGSTOP to the decoder of an HTTP camera",
    observed="the decoder is ended in time, another takes its place, and the picture is back; the daemon stays",
)
def test_a_stopped_decoder_is_replaced_and_the_picture_comes_back() -> None:
    options = ("--model", "mnist", "--wait")
    with FaultyCamera(size=(320, 180)) as camera, daemon("--source", camera.url, *options) as running:
        running.wait_for("ok")
        stopped = running.children("vitcam.pictures.decoder")
        for child in stopped:
            os.kill(child, signal.SIGSTOP)
        replaced = eventually(lambda: not set(stopped) & set(running.children("vitcam.pictures.decoder")), every_s=0.2)
        before = running.state()["frames"]["captured"]
        again = eventually(lambda: running.state()["frames"]["captured"] > before + 30, every_s=0.2)

        assert stopped
        assert replaced
        assert again
        assert running.process.poll() is None
