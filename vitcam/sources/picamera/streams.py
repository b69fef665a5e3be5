"""Configures the streams of picamera2, and converts its pictures to RGB. Runs in the camera's process only."""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.frames import Image
from vitcam.pictures.resize import InputSpec, crop_of, to_model_size
from vitcam.pictures.view import Orientation
from vitcam.rects import Rect
from vitcam.sources.picamera.messages import CameraConfig

# picamera2 names formats as DRM does, from the highest byte down: its "BGR888" is R, G, B in memory
_RGB = "BGR888"
_TO_RGB = {
    "RGB888": cv2.COLOR_BGR2RGB,
    "XBGR8888": cv2.COLOR_RGBA2RGB,
    "XRGB8888": cv2.COLOR_BGRA2RGB,
    "YUV420": cv2.COLOR_YUV2RGB_I420,
    "YVU420": cv2.COLOR_YUV2RGB_YV12,
    "NV12": cv2.COLOR_YUV2RGB_NV12,
    "NV21": cv2.COLOR_YUV2RGB_NV21,
    "YUYV": cv2.COLOR_YUV2RGB_YUYV,
}
_SAME_SHAPE = 0.02  # sizes are even, so aspect ratios differ a little


@dataclass(frozen=True, slots=True)
class GrantedStream:
    """A stream as picamera2 granted it."""

    name: str
    format: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Streams:
    """What the camera was set up to give."""

    preview: GrantedStream
    small: GrantedStream | None = None
    """What the model's input is cut from."""
    large: GrantedStream | None = None
    """What is followed is cut from it; it shows what the preview shows, in more px."""
    view: Rect | None = None
    """What every frame has to show of the sensor, in px of the sensor; None: it can show nothing else."""
    following: str = ""
    """What is followed is cut from this, as a sentence; empty where nothing is followed."""


def configure(camera: Any, config: CameraConfig, colour_space: object, transform: object) -> Streams:
    """Set up a preview stream and, where the scaler can, one for the model.

    camera        a Picamera2
    colour_space  BT.601, limited range: what OpenCV takes YUV for (picamera2 would choose BT.709 from 720p on)
    transform     libcamera's, with the flips that are wished for
    raises        RuntimeError of picamera2, or for a format that cannot be read
    """
    width, height = even(config.width), even(config.height)
    size = lores_size(config.input, width, height) if config.input else None
    # a Pi 5 scales to RGB, a Pi 4 to YUV only, a USB camera does not scale
    choices = [{"size": size, "format": name} for name in (_RGB, "YUV420")] if size else []
    for lores in [*choices, None]:
        plan = camera.create_video_configuration(
            main={"size": (width, height), "format": _RGB},
            lores=lores,
            colour_space=colour_space,
            transform=transform,
            controls=frame_rate(camera, config.fps),
        )
        try:
            camera.configure(plan)
            break
        except RuntimeError:
            if lores is None:
                raise
    granted = camera.camera_configuration()
    preview = granted_stream("main", granted)
    small = granted_stream("lores", granted) if granted.get("lores") else None
    is_right = small is not None and config.input is not None and _shows_the_same(preview, small, config.input)
    return Streams(preview, small if is_right else None)


def left_to_flip(camera: Any, config: CameraConfig) -> Orientation:
    """What the camera that was configured does not do of the flips: a USB camera can do none."""
    granted = camera.camera_configuration()["transform"]
    return Orientation(config.hflip != bool(granted.hflip), config.vflip != bool(granted.vflip))


def lores_size(spec: InputSpec, width: int, height: int) -> tuple[int, int] | None:
    """The size (width, height) at which the whole preview has to be scaled so that its crop has the model's size.

    Then cutting out the middle is all that is left to do. The scaler could cut, too (`preserve_ar`), but on a Pi 5
    only, and only to the full crop. None when the scaler would have to enlarge, which it cannot.
    """
    crop = crop_of(spec, height, width)
    size = even(width * spec.width / crop.width), even(height * spec.height / crop.height)
    return size if size[0] <= width and size[1] <= height else None


def even(pixels: float) -> int:
    """Chroma is shared by two pixels: sides must be even."""
    return max(2, 2 * round(pixels / 2))


def even_below(pixels: float) -> int:
    """The even side that is not larger, but at least 2."""
    return max(2, 2 * int(pixels / 2))


def buffers_size(camera: Any) -> int:
    """Bytes of all buffers that were set up."""
    granted = camera.camera_configuration()
    streams = [granted[name] for name in ("main", "lores", "raw") if granted.get(name)]
    return int(granted["buffer_count"] * sum(stream["framesize"] for stream in streams))


def copy_preview(array: NDArray[np.uint8], stream: GrantedStream, out: Image) -> None:
    """Convert the camera's buffer to RGB, in one pass.

    array  the buffer as MappedArray gives it, uint8: (H, W, channels), or planes of YUV below each other
    out    (H, W, 3) uint8, RGB: where the picture is written
    """
    if stream.format == _RGB:
        np.copyto(out, array)
    elif array.shape[1] == stream.width:
        cv2.cvtColor(array, _TO_RGB[stream.format], dst=out)
    else:
        np.copyto(out, to_rgb(array, stream))


def copy_model_input(array: NDArray[np.uint8], stream: GrantedStream, spec: InputSpec, out: Image) -> None:
    """Convert the small picture to RGB and write its middle, resized if its size is another.

    array  the buffer as MappedArray gives it, uint8
    out    (h, w, 3) uint8, RGB: where the model's input is written
    """
    np.copyto(out, to_model_size(to_rgb(array, stream), spec))


def to_rgb(array: NDArray[np.uint8], stream: GrantedStream) -> Image:
    """(H, W, 3) uint8, RGB, of the camera's buffer.

    YUV420 rows come with the padding of the buffer, which is easier to remove afterwards.
    """
    if stream.format == _RGB:
        return array
    return np.asarray(cv2.cvtColor(array, _TO_RGB[stream.format]), dtype=np.uint8)[:, : stream.width]


def frame_rate(camera: Any, fps: float) -> dict[str, tuple[int, int]]:
    """A camera that cannot be told its rate refuses to be asked."""
    if "FrameDurationLimits" not in camera.camera_controls:
        return {}
    microseconds = round(1e6 / fps)
    return {"FrameDurationLimits": (microseconds, microseconds)}


def granted_stream(name: str, granted: dict[str, Any]) -> GrantedStream:
    """One of the streams of `camera_configuration()`. Raises RuntimeError for a format that cannot be read."""
    stream = granted[name]
    if stream["format"] != _RGB and stream["format"] not in _TO_RGB:
        raise RuntimeError(f"it grants {stream['format']} only, for which `--source v4l2:/dev/video0` is the way")
    return GrantedStream(name, stream["format"], *stream["size"])


def _shows_the_same(preview: GrantedStream, small: GrantedStream, spec: InputSpec) -> bool:
    """Whether the small stream is the whole preview, scaled: a camera that grants another size may have cut."""
    if spec.resize == "squash":
        return True
    ratio = (small.width * preview.height) / (small.height * preview.width)
    return abs(ratio - 1) < _SAME_SHAPE
