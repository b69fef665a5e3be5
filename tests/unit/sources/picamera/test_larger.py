"""A larger picture is set up only where it shows what the preview shows without it."""

import json
from typing import Any

import numpy as np
import pytest

from tests.fake_picamera2 import ColorSpace, MappedArray, Picamera2, Transform
from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect
from vitcam.sources.picamera.larger import configure_for_boxes, shows_the_view
from vitcam.sources.picamera.messages import CameraConfig
from vitcam.sources.picamera.streams import GrantedStream, Streams, buffers_size, copy_preview

MIDDLE = {"size": [576, 324], "crop_limits": [288, 162, 1152, 648], "fps": 120.0, "bit_depth": 10}
WHOLE = {"size": [864, 486], "crop_limits": [0, 0, 1728, 972], "fps": 56.0, "bit_depth": 10}
EVERY_PX = {"size": [1728, 972], "crop_limits": [0, 0, 1728, 972], "fps": 14.0, "bit_depth": 10}
MODES = [MIDDLE, WHOLE, EVERY_PX]
"""As those of a Camera Module 3, in smaller: two px are read as one, of the middle or of all; and all px, slowly."""
VIEW = Rect(288, 162, 1152, 648)


def config(fps: float = 30, follow: bool = True, width: int = 320, height: int = 180) -> CameraConfig:
    return CameraConfig(0, width, height, fps, InputSpec(96, 96), follow=follow)


def set_up(
    monkeypatch: pytest.MonkeyPatch, wanted: CameraConfig, modes: list[dict[str, Any]] = MODES, **world: Any
) -> tuple[Picamera2, Streams]:
    monkeypatch.setenv("FAKE_PICAMERA2", json.dumps({"modes": modes} | world))
    camera = Picamera2()
    return camera, configure_for_boxes(camera, wanted, ColorSpace.Smpte170m(), Transform())


def preview_of(camera: Picamera2, streams: Streams) -> Image:
    camera.start()
    request = camera.capture_request(wait=1)
    assert shows_the_view(streams, request.get_metadata())
    out = np.zeros((streams.preview.height, streams.preview.width, 3), np.uint8)
    with MappedArray(request, streams.preview.name) as mapped:
        assert mapped.array is not None
        copy_preview(mapped.array, streams.preview, out)
    request.release()
    return out


def test_without_following_the_camera_is_set_up_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    _, streams = set_up(monkeypatch, config(follow=False))

    assert streams.preview == GrantedStream("main", "BGR888", 320, 180)
    assert streams.small is not None
    assert (streams.large, streams.view, streams.following) == (None, None, "")


def test_what_is_followed_is_cut_from_all_px_that_the_sensor_reads_of_the_view(monkeypatch: pytest.MonkeyPatch) -> None:
    camera, streams = set_up(monkeypatch, config())

    assert streams.large == GrantedStream("main", "YUV420", 576, 324)
    assert streams.preview == GrantedStream("lores", "BGR888", 320, 180)
    assert streams.view == VIEW
    assert streams.following == "what is followed is cut from 576×324 px of the camera"
    assert camera.camera_configuration()["sensor"]["output_size"] == (576, 324)


def test_a_slower_mode_with_more_px_is_taken_where_it_is_fast_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    camera, streams = set_up(monkeypatch, config(fps=10))

    assert camera.camera_configuration()["sensor"]["output_size"] == (1728, 972)
    assert streams.large == GrantedStream("main", "YUV420", 1152, 648)
    assert streams.view == VIEW


@pytest.mark.parametrize("fps", [10, 30])
@pytest.mark.parametrize("is_pi_5", [True, False])
def test_the_preview_shows_the_same_with_following_as_without(
    monkeypatch: pytest.MonkeyPatch, fps: float, is_pi_5: bool
) -> None:
    pictures = [
        preview_of(*set_up(monkeypatch, config(fps, follow), scales_to_rgb=is_pi_5)) for follow in (False, True)
    ]
    apart = np.abs(pictures[0].astype(int) - pictures[1])

    assert apart.mean() < (0.1 if is_pi_5 else 6)  # 4:2:0 loses some colour; another part is 40 apart


def table(*modes: tuple[tuple[int, int], tuple[int, int, int, int], float, int]) -> list[dict[str, Any]]:
    return [dict(zip(("size", "crop_limits", "fps", "bit_depth"), mode, strict=True)) for mode in modes]


SENSORS = {
    "imx708": table(
        ((1536, 864), (768, 432, 3072, 1728), 120.13, 10),
        ((2304, 1296), (0, 0, 4608, 2592), 56.03, 10),
        ((4608, 2592), (0, 0, 4608, 2592), 14.35, 10),
    ),
    "imx477": table(
        ((1332, 990), (696, 528, 2664, 1980), 120.05, 10),
        ((2028, 1080), (0, 440, 4056, 2160), 50.03, 12),
        ((2028, 1520), (0, 0, 4056, 3040), 40.01, 12),
        ((4056, 3040), (0, 0, 4056, 3040), 10.0, 12),
    ),
    "imx219": table(
        ((640, 480), (1000, 752, 1280, 960), 206.65, 10),
        ((1640, 1232), (0, 0, 3280, 2464), 41.85, 10),
        ((1920, 1080), (680, 692, 1920, 1080), 47.57, 10),
        ((3280, 2464), (0, 0, 3280, 2464), 21.19, 10),
    ),
    "ov5647": table(
        ((640, 480), (16, 0, 2560, 1920), 58.92, 10),
        ((1296, 972), (0, 0, 2592, 1944), 43.25, 10),
        ((1920, 1080), (348, 434, 1928, 1080), 30.62, 10),
        ((2592, 1944), (0, 0, 2592, 1944), 15.63, 10),
    ),
}
"""The modes of Raspberry Pi's cameras, as picamera2 lists them."""


@pytest.mark.parametrize(
    ("sensor", "width", "height", "fps", "mode", "large"),
    [
        ("imx708", 1280, 720, 30, (1536, 864), (1536, 864)),
        ("imx708", 1280, 720, 14, (4608, 2592), (3072, 1728)),
        ("imx708", 2304, 1296, 14, (4608, 2592), (3264, 1836)),  # 6 megapixels are the most
        ("imx708", 2304, 1296, 30, (2304, 1296), None),
        ("imx477", 1280, 720, 30, (2028, 1080), (1920, 1080)),
        ("imx477", 1280, 720, 10, (4056, 3040), (3264, 1836)),
        ("imx219", 1280, 720, 30, (1920, 1080), (1920, 1080)),
        ("imx219", 1280, 720, 15, (1920, 1080), (1920, 1080)),  # all px that there are of this view
        ("ov5647", 1280, 720, 30, (1920, 1080), (1888, 1062)),
        ("ov5647", 640, 480, 15, (640, 480), None),  # not from the middle of the sensor
    ],
)
def test_of_raspberry_pis_cameras_the_mode_with_the_most_px_of_the_view_is_taken(
    monkeypatch: pytest.MonkeyPatch,
    sensor: str,
    width: int,
    height: int,
    fps: float,
    mode: tuple[int, int],
    large: tuple[int, int] | None,
) -> None:
    camera, streams = set_up(monkeypatch, config(fps, width=width, height=height), SENSORS[sensor])
    found = streams.large and (streams.large.width, streams.large.height)

    assert found == large, streams.following
    assert camera.camera_configuration()["sensor"]["output_size"] == mode


def test_the_larger_picture_has_the_previews_shape_and_even_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    for width, height in ((320, 180), (300, 222), (178, 320), (330, 186), (322, 190)):
        _, streams = set_up(monkeypatch, config(10, width=width, height=height), [EVERY_PX])
        large, preview = streams.large, streams.preview
        assert large is not None, streams.following

        assert large.width % 2 == large.height % 2 == 0
        assert (preview.width, preview.height) == (width, height)
        assert large.width * height / large.height == pytest.approx(width, abs=0.5)


@pytest.mark.parametrize(
    ("modes", "world", "reason"),
    [
        ([], {}, "does not say which part of its sensor it shows"),
        (MODES, {"says_view": False}, "does not say which part"),
        ([MIDDLE | {"size": [320, 180]}], {}, "no more px of this view at 30 frames/s"),
        ([MIDDLE | {"size": [320, 180]}, WHOLE | {"size": [400, 226]}], {}, "no more px of this view"),
        ([MIDDLE | {"crop_limits": [270, 162, 1152, 648], "size": [320, 180]}, WHOLE], {}, "another part of the view"),
        (MODES, {"grants": "NV12"}, "grants a larger one as NV12 only"),
        (MODES, {"lores_size": [160, 90]}, "scales to 160×90 px only"),
        (MODES, {"lores": False}, "a larger one is refused: Invalid camera configuration"),
    ],
)
def test_where_the_view_would_not_stay_everything_stays_as_it_was_and_the_reason_is_told(
    monkeypatch: pytest.MonkeyPatch, modes: list[dict[str, Any]], world: dict[str, Any], reason: str
) -> None:
    _, without = set_up(monkeypatch, config(follow=False), modes, **world)
    _, streams = set_up(monkeypatch, config(), modes, **world)

    assert (streams.preview, streams.small) == (without.preview, without.small)
    assert (streams.large, streams.view) == (None, None)
    assert streams.following.startswith("what is followed is cut from the picture of 320×180 px, since ")
    assert reason in streams.following


def test_a_frame_that_shows_another_part_of_the_sensor_is_known_by_its_metadata(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, streams = set_up(monkeypatch, config(fps=10))

    assert shows_the_view(streams, {"ScalerCrop": (288, 162, 1152, 648)})
    assert shows_the_view(streams, {"ScalerCrop": (289, 163, 1152, 648)})  # half a px of the preview is 1.8 px of it
    for shown in ((0, 0, 1728, 972), (292, 162, 1152, 648), (288, 162, 1144, 648)):
        assert not shows_the_view(streams, {"ScalerCrop": shown})
    assert not shows_the_view(streams, {})


def test_the_cameras_buffers_are_counted_and_the_sensors_own_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    camera, _ = set_up(monkeypatch, config(fps=10))

    assert buffers_size(camera) == 4 * (1152 * 648 * 3 // 2 + 960 * 180)
