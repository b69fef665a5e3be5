"""Pictures of cameras on the network: huge ones, and a decoder that dies."""

import os
import signal
from itertools import cycle, repeat
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.daemon import daemon
from tests.eventually import eventually
from tests.hostile import progressive_cmyk_jpeg
from tests.http_camera import EXACT, MULTIPART, jpeg, keeps_sending, part, sends, server
from vitcam.errors import SourceError
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Region
from vitcam.sources import SourceOptions, open_source
from vitcam.sources.active_crop import ActiveCrop


@pytest.mark.fault(
    "a camera sends enormous pictures",
    injected="a server that sends more than 40 megapixels",
    observed="the camera is lost with a sentence",
)
def test_a_camera_of_enormous_pictures_is_lost_with_a_sentence() -> None:
    enormous = part(progressive_cmyk_jpeg(12_500, 8_000))
    with (
        server(keeps_sending(repeat(enormous), every_s=0.3)) as port,
        pytest.raises(SourceError, match=r"100 megapixels; at most 40 are allowed"),
    ):
        open_source(f"http://127.0.0.1:{port}/").__enter__()


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        (SourceOptions(), (750, 1500, 3)),
        (SourceOptions(width=640, height=360), (375, 750, 3)),
        (SourceOptions(width=640, height=360, input=InputSpec(224, 224)), (750, 1500, 3)),  # twice what the model takes
        (SourceOptions(width=320, height=180, input=InputSpec(96, 96)), (375, 750, 3)),
        (SourceOptions(width=640, height=360, follows=lambda: True), (1500, 3000, 3)),  # what moves may be small
        (SourceOptions(active_crop=ActiveCrop(Region(100, 100, 2000, 1000))), (1500, 3000, 3)),
        (SourceOptions(active_crop=ActiveCrop(Region(0, 0, 0.2, 0.2)), input=InputSpec(224, 224)), (1500, 3000, 3)),
    ],
)
def test_a_cameras_picture_is_not_much_larger_than_what_was_asked(
    options: SourceOptions, shape: tuple[int, int, int]
) -> None:
    large = bytes(cv2.imencode(".jpg", np.full((1500, 3000, 3), 128, np.uint8))[1])
    with (
        server(sends(MULTIPART + EXACT + large, then_s=20)) as port,
        open_source(f"http://127.0.0.1:{port}/", options) as source,
    ):
        frame = next(iter(source))
        source.stop()

    assert frame.preview.shape == shape
    assert not frame.preview.flags.writeable


@pytest.mark.smoke
@pytest.mark.fault(
    "the decoder of a camera's pictures crashes",
    injected="SIGKILL to the decoder",
    observed="one picture is lost, the next is decoded",
)
def test_a_decoder_that_dies_costs_one_picture() -> None:
    sends_on = keeps_sending(repeat(part(jpeg())), every_s=0.05)
    with server(sends_on) as port, open_source(f"http://127.0.0.1:{port}/") as source:
        frames = iter(source)
        next(frames)
        children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
        for pid in " ".join(path.read_text() for path in children).split():
            if b"pictures.decoder.child" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(int(pid), signal.SIGKILL)
        after = [next(frames) for _ in range(3)]

    assert after[-1].seq > 2


def test_pictures_as_large_as_is_allowed_leave_daemon_and_decoder_within_the_units_memory() -> None:
    coloured = bytes(cv2.imencode(".jpg", np.full((5000, 8000, 3), 128, np.uint8))[1])
    greedy = progressive_cmyk_jpeg(8000, 5000)
    sends_both = keeps_sending(cycle([part(coloured), part(greedy)]), every_s=0.7)
    with server(sends_both) as port, daemon("--source", f"http://127.0.0.1:{port}/") as running:
        running.wait_for("ok")
        assert eventually(lambda: running.state()["frames"]["captured"] >= 4)
        peak = running.peak_memory()

    assert peak < 0.9 * (1 << 30)
