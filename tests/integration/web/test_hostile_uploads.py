"""Hostile photos, sent to a real daemon: it answers, keeps running, and stays within its memory."""

import os
import signal
from collections.abc import Iterator
from threading import Timer
from typing import Any

import cv2
import numpy as np
import pytest

from tests import hostile
from tests.daemon import Daemon, answer_to, daemon

GIB = 1 << 30


@pytest.fixture(scope="module")
def running() -> Iterator[Daemon]:
    with daemon("--source", "demo", "--model", "everyday") as child:
        child.wait_for("ok")
        yield child


def photo(height: int = 300, width: int = 400) -> bytes:
    return bytes(cv2.imencode(".jpg", np.full((height, width, 3), 90, np.uint8))[1])


def post(running: Daemon, data: bytes) -> tuple[int, dict[str, Any]]:
    return answer_to(f"{running.url}/api/classify", data, headers={"Content-Type": "image/jpeg"})


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (hostile.animated_png(), "the data are damaged"),
        (hostile.jpeg_of_many_scans(3000), "more than 64 scans"),
        (hostile.progressive_cmyk_jpeg(12_000, 8_000), "96 megapixels, and decoding it takes"),
    ],
)
def test_a_hostile_photo_is_refused_with_a_sentence_and_the_daemon_keeps_running(
    running: Daemon, data: bytes, sentence: str
) -> None:
    status, answer = post(running, data)

    assert status == 400
    assert sentence in answer["error"]
    assert post(running, photo())[0] == 200


def test_a_photo_that_ends_its_decoder_is_refused_and_the_next_one_answered(running: Daemon) -> None:
    post(running, photo())
    child = running.children("vitcam.pictures.decoder.child")[0]
    os.kill(child, signal.SIGSTOP)
    Timer(0.5, os.kill, (child, signal.SIGKILL)).start()
    status, answer = post(running, photo())

    assert status == 400
    assert "the decoder process ended by SIGKILL" in answer["error"]
    assert post(running, photo())[0] == 200
    assert running.children("vitcam.pictures.decoder.child") != [child]


def test_a_photo_is_decoded_at_reduced_size_and_answered_in_its_own_size(running: Daemon) -> None:
    status, answer = post(running, photo(3000, 4000))

    assert status == 200
    assert answer["image"] == {"width": 4000, "height": 3000}
    assert answer["crop"] == {"x": 500, "y": 0, "width": 3000, "height": 3000}
    assert answer["frame"]["crop"] == pytest.approx([0.125, 0, 0.75, 1], abs=0.002)


@pytest.mark.fault(
    "photos made to take as much memory as possible",
    injected="the largest PNG and JPEG that are allowed",
    observed="daemon and decoder stay below MemoryMax of the unit",
)
def test_daemon_and_decoder_together_stay_below_the_units_memory(running: Daemon) -> None:
    status, answer = post(running, hostile.progressive_cmyk_jpeg(8000, 5000))

    assert status == 200
    assert answer["image"] == {"width": 8000, "height": 5000}
    assert running.peak_memory() < 0.9 * GIB
