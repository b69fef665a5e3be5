"""Programs that watch and record, each as docs/use/clients.md shows it."""

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.bench.motion import missing as motion_missing
from tests.bench.motion import motion
from tests.daemon import free_port
from tests.integration.web.clients.conftest import PAGE, PATIENCE_S, ROOT, Camera, block
from tests.needs import missing, need_system_python
from tests.secured import PASSWORD

pytestmark = pytest.mark.slow(
    "vitcam/web/stream", "vitcam/web/requests", "vitcam/web/server.py", "vitcam/access", "docs/use/clients.md",
    "examples/rtsp", "tests/integration/web/clients/conftest.py",
)  # fmt: skip
SIZE = (540, 960, 3)


def shape(path: Path) -> tuple[int, ...]:
    """(height, width, 3) of a picture, or of the first one of a film."""
    picture = cv2.imread(str(path)) if path.suffix == ".jpg" else cv2.VideoCapture(str(path)).read()[1]
    assert picture is not None
    assert picture.std() > 10  # there is something on it
    return tuple(picture.shape)


def times_s(path: Path) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """When each picture of a film is shown."""
    command = ["ffprobe", "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", str(path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    return np.array([float(line.strip(",")) for line in printed.split()])


def test_curl_gets_a_picture(camera: Camera, tmp_path: Path) -> None:
    camera.run("curl", tmp_path)

    assert shape(tmp_path / "snapshot.jpg") == SIZE


def test_ffprobe_finds_one_stream_of_mjpeg(camera: Camera, tmp_path: Path) -> None:
    (stream,) = json.loads(camera.run("ffprobe", tmp_path, " -of json"))["streams"]

    assert (stream["codec_name"], stream["height"], stream["width"]) == ("mjpeg", *SIZE[:2])


def test_ffmpeg_records_a_film_that_is_as_long_as_it_took(camera: Camera, tmp_path: Path) -> None:
    camera.run("ffmpeg", tmp_path)
    times = times_s(tmp_path / "film.mkv")

    assert shape(tmp_path / "film.mkv") == SIZE
    assert len(times) > 10
    assert 4 <= times[-1] - times[0] <= 5.1
    assert (np.diff(times) >= 0).all()


def test_gstreamer_records_a_film(camera: Camera, tmp_path: Path) -> None:
    camera.run("gst-launch-1.0", tmp_path, PASSWORD=PASSWORD)

    assert shape(tmp_path / "film.avi") == SIZE


def test_mpv_plays_the_stream(camera: Camera, tmp_path: Path) -> None:
    camera.run("mpv", tmp_path, " --no-config --vo=image --vo-image-format=jpg --frames=10")
    pictures = sorted(tmp_path.glob("*.jpg"))

    assert len(pictures) == 10
    assert {shape(path) for path in pictures} == {SIZE}


def test_opencv_reads_pictures(camera: Camera, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(camera.here(block("python", "cv2")))
    command = [sys.executable, "shown.py"]
    printed = subprocess.run(
        command, cwd=tmp_path, env=camera.environment, capture_output=True, text=True, timeout=PATIENCE_S
    )

    assert printed.stdout.splitlines() == [f"True {SIZE}"] * 5, printed.stderr


def test_motion_takes_vitcam_for_a_network_camera(camera: Camera) -> None:
    if absent := motion_missing():
        missing(f"{absent} is not there: apt install {absent}")
    address, login = re.findall(r"(\S+)$", camera.here(block("ini", "netcam")), re.MULTILINE)
    with motion(address, 960, 540, 5, login=login.replace("PASSWORD", PASSWORD)) as (served, _):
        picture = urllib.request.urlopen(f"http://{served}/current", timeout=30).read(500_000)

    assert cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR).shape[1] == SIZE[1]


def test_a_video_recorder_gets_h264_by_rtsp(camera: Camera, tmp_path: Path) -> None:
    python = need_system_python("gi")
    port = str(free_port())
    shown = camera.here(PAGE).replace("8554", port)
    serve, probe = re.findall(rf"^\$ (.*{port}.*)$", shown, re.MULTILINE)
    server = [python, *serve.split("/usr/bin/python3 ")[1].split()]
    with subprocess.Popen(server, cwd=ROOT, env=camera.environment, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            printed = subprocess.run(
                [*probe.split(), "-of", "json"], capture_output=True, text=True, timeout=PATIENCE_S
            ).stdout
            film = tmp_path / "film.mkv"
            record = ["ffmpeg", "-v", "error", "-rtsp_transport", "tcp", "-i", probe.split()[-1], "-t", "3"]
            subprocess.run([*record, "-c", "copy", str(film)], check=True, timeout=PATIENCE_S)
        finally:
            process.kill()

    assert [stream["codec_name"] for stream in json.loads(printed)["streams"]] == ["h264"]
    assert shape(film) == SIZE
