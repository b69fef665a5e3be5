"""A bright region inside a mask never leaves a source, whatever kind of source it is."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests import fake_picamera2
from tests.daemon import free_port
from tests.http_camera import EXACT, MULTIPART, sends, server
from tests.integration.sources.test_rtsp import rtsp_server
from tests.videos import write_video
from vitcam.frames import Frame
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas
from vitcam.pictures.resize import InputSpec
from vitcam.pictures.view import Orientation, Region
from vitcam.sources import SourceOptions, open_source

LEFT = Region(0, 0, 0.5, 1)
WHITE = np.full((48, 64, 3), 255, np.uint8)
FROM_STDIN = """
import sys
from vitcam.pictures.view import Region
from vitcam.sources import SourceOptions, open_source
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas
areas = ActiveAreas(Areas(masks=(Region(0, 0, 0.5, 1),)))
with open_source(sys.argv[1], SourceOptions(realtime=False, active_areas=areas)) as source:
    for frame in source:
        print(frame.preview[:, :32].max(), frame.preview[:, 32:].max())
"""


def options(**others: float) -> SourceOptions:
    areas = ActiveAreas(Areas(masks=(LEFT,)))
    return SourceOptions(input=InputSpec(32, 32), realtime=False, active_areas=areas, **others)  # type: ignore[arg-type]


def brightest(frames: list[Frame]) -> tuple[int, int]:
    """The brightest level inside the mask and outside of it; no scaled copy may hold what the mask hides."""
    assert frames
    assert all(frame.model_input is None for frame in frames)
    halves = [np.split(frame.preview, [frame.preview.shape[1] // 2], axis=1) for frame in frames]
    return max(int(left.max()) for left, _ in halves), max(int(right.max()) for _, right in halves)


@contextmanager
def taken(uri: str, count: int = 5, chosen: SourceOptions | None = None) -> Iterator[list[Frame]]:
    with open_source(uri, chosen or options()) as source:
        frames = list(islice(source, count))
        yield frames
        source.stop()


@pytest.fixture
def picamera(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_picamera2.install_into(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("FAKE_PICAMERA2", json.dumps({"lores": True}))


@pytest.mark.usefixtures("picamera")
def test_the_pi_camera_and_its_scaled_stream_are_masked_in_their_own_memory() -> None:
    with taken("picamera", 20) as frames:
        found = brightest(frames)
        copies = [frame for frame in frames if frame.preview.base is None]

    assert found == (0, 255)
    assert not copies


@pytest.mark.usefixtures("picamera")
def test_a_turned_pi_camera_is_masked_where_the_mask_was_drawn() -> None:
    areas = ActiveAreas(Areas(masks=(LEFT,)))
    turned = SourceOptions(input=InputSpec(32, 32), orientation=Orientation.of(90, "h"), active_areas=areas)
    with taken("picamera", 5, turned) as frames:
        found = brightest(frames)

    assert found == (0, 255)


def test_the_pictures_of_an_http_camera_are_masked() -> None:
    white = bytes(cv2.imencode(".jpg", WHITE)[1])
    with (
        server(sends(MULTIPART + (EXACT + white) * 5, then_s=20)) as port,
        taken(f"http://127.0.0.1:{port}/", 1) as one,
    ):
        found = brightest(one)

    assert found == (0, 255)


def test_the_pictures_of_an_rtsp_camera_are_masked() -> None:
    port = free_port()
    with rtsp_server(port), taken(f"rtsp://127.0.0.1:{port}/cam", 30) as frames:
        inside, _ = brightest(frames)

    assert inside == 0


def test_a_video_a_photo_and_a_folder_are_masked(tmp_path: Path) -> None:
    write_video(tmp_path / "white.avi", [WHITE] * 3, "MJPG")
    (tmp_path / "folder").mkdir()
    cv2.imwrite(str(tmp_path / "folder" / "white.png"), WHITE)
    found = []
    for uri in (tmp_path / "white.avi", tmp_path / "folder", tmp_path / "folder" / "white.png"):
        with taken(str(uri)) as frames:
            found.append(brightest(frames))

    assert found == [(0, 255)] * 3


@pytest.mark.parametrize("uri", ["demo", "demo:ram"])
def test_the_demo_is_masked_with_its_copies_at_the_models_size(uri: str) -> None:
    with taken(uri, 60) as frames:  # more than demo:ram keeps, so that some come again
        inside, outside = brightest(frames)

    assert inside == 0
    assert outside > 200


@pytest.mark.parametrize("uri", ["-", "-:rgb24:64x48"])
def test_pictures_from_a_pipe_are_masked(uri: str) -> None:
    white = bytes(cv2.imencode(".jpg", WHITE)[1]) if uri == "-" else WHITE.tobytes()
    done = subprocess.run([sys.executable, "-c", FROM_STDIN, uri], input=white * 3, capture_output=True, timeout=60)

    assert done.stdout.decode().splitlines() == ["0 255"] * 3, done.stderr.decode()
