"""What the camera is asked for, and how its pictures become RGB."""

import json
from typing import Any

import numpy as np
import pytest

from tests.fake_picamera2 import BARS, ColorSpace, MappedArray, Picamera2, Transform, bars
from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec, crop_of
from vitcam.pictures.view import Orientation
from vitcam.sources.picamera.messages import CameraConfig
from vitcam.sources.picamera.streams import (
    GrantedStream,
    Streams,
    configure,
    copy_model_input,
    copy_preview,
    left_to_flip,
    lores_size,
)

SPEC = InputSpec(224, 224)
CONFIG = CameraConfig(0, 1280, 720, 30, SPEC)
CLOSE = 6  # of 255: what 8 bits of YUV lose


def camera_in(monkeypatch: pytest.MonkeyPatch, **world: Any) -> Picamera2:
    monkeypatch.setenv("FAKE_PICAMERA2", json.dumps(world))
    return Picamera2()


def set_up(camera: Picamera2, config: CameraConfig = CONFIG) -> Streams:
    return configure(camera, config, ColorSpace.Smpte170m(), Transform(config.hflip, config.vflip))


def shown_by(camera: Picamera2, preview: GrantedStream) -> Image:
    camera.start()
    out = np.zeros((preview.height, preview.width, 3), np.uint8)
    with MappedArray(camera.capture_request(wait=1), preview.name) as mapped:
        assert mapped.array is not None
        copy_preview(mapped.array, preview, out)
    return out


def middles(picture: Image) -> Image:
    """(8, 3): the colour in the middle of each bar, half way down."""
    height, width = picture.shape[:2]
    return picture[height // 2, [(2 * n + 1) * width // 16 for n in range(8)]]


def far_from_bars(picture: Image) -> int:
    return int(np.abs(middles(picture).astype(int) - np.array(BARS)).max())


def test_a_pi_5_scales_both_pictures_to_rgb(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = set_up(camera_in(monkeypatch))
    preview, small = streams.preview, streams.small

    assert preview == GrantedStream("main", "BGR888", 1280, 720)
    assert small == GrantedStream("lores", "BGR888", 398, 224)


def test_a_pi_4_scales_the_small_picture_to_yuv(monkeypatch: pytest.MonkeyPatch) -> None:
    camera = camera_in(monkeypatch, scales_to_rgb=False)
    small = set_up(camera).small

    assert small == GrantedStream("lores", "YUV420", 398, 224)
    assert camera.camera_configuration()["colour_space"].name == "SMPTE170M"  # what the conversion assumes


def test_a_usb_camera_has_one_stream_and_that_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = set_up(camera_in(monkeypatch, lores=False))

    assert streams.preview == GrantedStream("main", "BGR888", 1280, 720)
    assert streams.small is None


def test_without_a_model_no_second_stream_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    camera = camera_in(monkeypatch)
    small = set_up(camera, CameraConfig(0, 640, 480, 15, None)).small

    assert small is None
    assert camera.camera_configuration()["lores"] is None
    assert camera.camera_configuration()["controls"] == {"FrameDurationLimits": (66_667, 66_667)}


def test_a_small_picture_of_another_shape_is_not_taken_for_the_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    squashed = CameraConfig(0, 1280, 720, 30, InputSpec(224, 224, resize="squash"))

    assert set_up(camera_in(monkeypatch, lores_size=(320, 240))).small is None
    assert set_up(camera_in(monkeypatch, lores_size=(320, 240)), squashed).small is not None


@pytest.mark.fault(
    "the camera grants a format that nobody can read",
    injected="picamera2 that grants MJPEG",
    observed="one sentence that names the format",
)
def test_a_format_that_nobody_can_read_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RuntimeError, match="grants MJPEG only"):
        set_up(camera_in(monkeypatch, grants="MJPEG"))


@pytest.mark.parametrize("size", [(1280, 720), (640, 480), (480, 640), (1536, 864)])
@pytest.mark.parametrize(
    "spec", [SPEC, InputSpec(96, 96), InputSpec(224, 224, crop_fraction=0.875), InputSpec(96, 128)]
)
def test_the_middle_of_the_small_picture_is_the_crop_of_the_preview(size: tuple[int, int], spec: InputSpec) -> None:
    small = lores_size(spec, *size)
    assert small is not None
    seen, crop = crop_of(spec, small[1], small[0]), crop_of(spec, size[1], size[0])

    assert (seen.height, seen.width) == (spec.height, spec.width)  # nothing is left to resize
    for mine, whole, other, total in (
        (seen.x, small[0], crop.x, size[0]),
        (seen.y, small[1], crop.y, size[1]),
        (seen.width, small[0], crop.width, size[0]),
    ):
        assert abs(mine / whole - other / total) < 0.01


def test_a_model_larger_than_the_preview_gets_no_scaler() -> None:
    assert lores_size(InputSpec(384, 384), 320, 240) is None
    assert lores_size(InputSpec(224, 224, resize="squash"), 1280, 720) == (224, 224)


@pytest.mark.fault(
    "the camera grants another order of colours, or rows that are padded",
    injected="each format that picamera2 knows, with its stride",
    observed="the picture has its true colours in RGB",
)
@pytest.mark.parametrize("name", ["BGR888", "RGB888", "XBGR8888", "XRGB8888", "YUV420", "NV12", "YUYV"])
@pytest.mark.parametrize("size", [(1280, 720), (400, 300)])  # rows of 400 px are padded
def test_every_format_that_is_granted_becomes_rgb(
    monkeypatch: pytest.MonkeyPatch, name: str, size: tuple[int, int]
) -> None:
    camera = camera_in(monkeypatch, grants=name)
    preview = set_up(camera, CameraConfig(0, *size, 30, None)).preview
    picture = shown_by(camera, preview)

    assert preview.format == name
    assert picture.shape == (size[1], size[0], 3)
    assert far_from_bars(picture) <= CLOSE


@pytest.mark.parametrize("name", ["BGR888", "YUV420", "NV12"])
def test_the_model_gets_exactly_the_middle_in_true_colours(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    camera = camera_in(monkeypatch, grants=name)
    small = set_up(camera).small
    assert small is not None
    camera.start()
    request = camera.capture_request(wait=1)
    out = np.zeros((224, 224, 3), np.uint8)
    with MappedArray(request, "lores") as mapped:
        assert mapped.array is not None
        copy_model_input(mapped.array, small, SPEC, out)
    expected = bars(398, 224)[:, 87 : 87 + 224]
    wrong = np.abs(out.astype(int) - expected).max(axis=2)

    assert (wrong <= CLOSE).mean() > 0.95  # 4:2:0 blurs a column or two where bars meet


@pytest.mark.fault(
    "the camera grants another size than was asked for",
    injected="picamera2 that grants lores of another size",
    observed="the model gets its own size, and the right part of the picture",
)
def test_a_size_that_was_not_asked_for_is_resized_in_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    camera = camera_in(monkeypatch, lores_size=(320, 240), grants="NV12")
    small = set_up(camera, CameraConfig(0, 640, 480, 30, SPEC)).small
    assert small is not None
    out = np.zeros((224, 224, 3), np.uint8)
    copy_model_input(camera_rows(camera, small), small, SPEC, out)

    assert out[112, 2].tolist() == pytest.approx(BARS[1], abs=CLOSE)  # 40 of 320 columns are cut off: the white bar
    assert out[112, -3].tolist() == pytest.approx(BARS[6], abs=CLOSE)


def camera_rows(camera: Picamera2, stream: GrantedStream) -> Image:
    camera.start()
    return camera.capture_request(wait=1).make_array(stream.name)


@pytest.mark.parametrize("flips", [True, False])
def test_what_the_camera_does_not_flip_is_left_to_do(monkeypatch: pytest.MonkeyPatch, flips: bool) -> None:
    camera = camera_in(monkeypatch, flips=flips)
    config = CameraConfig(0, 640, 480, 30, None, hflip=True)
    set_up(camera, config)

    assert left_to_flip(camera, config) == Orientation(hflip=not flips)
