"""Sets up a larger picture that shows the same as the preview, where the camera has one. In its process only.

A sensor has several modes, and some of them see a part of it only. Masks, zones and the crop are parts of a view: so a
larger picture is taken only where the view stays, to half a px of the preview, and every frame is checked for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from vitcam.rects import Rect
from vitcam.sources.picamera.messages import CameraConfig
from vitcam.sources.picamera.streams import (
    GrantedStream,
    Streams,
    configure,
    even,
    even_below,
    frame_rate,
    granted_stream,
)

LARGE = "YUV420"
_LORES = ("BGR888", "YUV420")  # a Pi 5 scales to RGB, a Pi 4 to YUV only
_BUFFERS = 4  # as many as picamera2 takes for a preview on a screen
_MOST_PX = 6_000_000  # each buffer takes 1.5 bytes a px
_LEAST_GAIN = 1.1  # times the sides of the preview
_TRIED_PX = 64
_SAME_RATE = 0.98
_LONGEST_REASON = 200  # picamera2 repeats the whole configuration


class NothingLarger(Exception):
    """Why the preview has all px there are: the end of a sentence."""


@dataclass(frozen=True, slots=True)
class SensorMode:
    """A way in which the sensor can be read."""

    width: int
    height: int
    bit_depth: int
    fps: float
    seen: Rect
    """The part of the sensor that it sees, in px of the sensor."""

    def across(self, view: Rect) -> float:
        """How many px wide a view is in this mode, both ways alike; 0 if it does not see all of it."""
        if not _contains(self.seen, view):
            return 0.0
        return view.width * min(self.width / self.seen.width, self.height / self.seen.height)


def configure_for_boxes(camera: Any, config: CameraConfig, colour_space: object, transform: object) -> Streams:
    """As `configure`, and with a larger picture where something may be followed and the camera has one.

    raises  RuntimeError of picamera2, or for a format that cannot be read
    """
    streams = configure(camera, config, colour_space, transform)
    if not config.follow:
        return streams
    try:
        return _configure_larger(camera, config, streams, colour_space, transform)
    except NothingLarger as why:
        reason = str(why)
    except Exception as error:  # noqa: BLE001 - picamera2 raises whatever it likes, and without all this it works
        reason = f"a larger one is refused: {str(error).partition(chr(10))[0][:_LONGEST_REASON]}"
    return configure_without(camera, config, colour_space, transform, reason)


def configure_without(
    camera: Any, config: CameraConfig, colour_space: object, transform: object, reason: str
) -> Streams:
    """As `configure`, where something may be followed, but there is no larger picture.

    reason  why, as the end of a sentence
    """
    streams = configure(camera, config, colour_space, transform)
    size = f"{streams.preview.width}×{streams.preview.height}"
    return replace(streams, following=f"what is followed is cut from the picture of {size} px, since {reason}")


def shows_the_view(streams: Streams, metadata: Mapping[str, Any]) -> bool:
    """Whether a frame shows what it should of the sensor.

    metadata  of the request, as picamera2 gives them
    """
    if streams.view is None:
        return True
    shown = metadata.get("ScalerCrop")
    return shown is not None and _is_same(Rect(*shown), streams.view, streams.preview)


def _configure_larger(
    camera: Any, config: CameraConfig, plain: Streams, colour_space: object, transform: object
) -> Streams:
    view = _view_of(camera)
    mode = _best_mode(camera, config, plain.preview, view)
    plan = {
        "main": {"size": _size_in(mode, view, plain.preview, config.fps), "format": LARGE},
        "raw": None,  # nobody reads it, and its buffers are the largest of all
        "colour_space": colour_space,
        "transform": transform,
        "buffer_count": _BUFFERS,
        "controls": frame_rate(camera, config.fps),
        "sensor": {"output_size": (mode.width, mode.height), "bit_depth": mode.bit_depth},
    }
    for name in _LORES:
        lores = {"size": (plain.preview.width, plain.preview.height), "format": name}
        try:
            camera.configure(camera.create_video_configuration(**plan, lores=lores))
            break
        except RuntimeError:
            if name == _LORES[-1]:
                raise
    return _granted(camera, plain.preview, view)


def _granted(camera: Any, preview: GrantedStream, view: Rect) -> Streams:
    """What was configured, with the view set. Raises NothingLarger where it is not what was asked for."""
    granted = camera.camera_configuration()
    large, small = granted_stream("main", granted), granted_stream("lores", granted)
    if large.format != LARGE:
        raise NothingLarger(f"the camera grants a larger one as {large.format} only")
    if (small.width, small.height) != (preview.width, preview.height):
        raise NothingLarger(f"beside a larger one the camera scales to {small.width}×{small.height} px only")
    if abs(large.width * preview.height / large.height - preview.width) > 0.5:
        raise NothingLarger(f"the camera grants a larger one of another shape, {large.width}×{large.height} px")
    shown = _view_of(camera)
    if not _is_same(shown, view, preview):
        if not _contains(shown, view) or not _is_same(_middle_of(shown, view), view, preview):
            raise NothingLarger("a larger one shows another part of the view")
        _zoom(camera, view)
    return Streams(
        small, None, large, view, f"what is followed is cut from {large.width}×{large.height} px of the camera"
    )


def _zoom(camera: Any, view: Rect) -> None:
    """Make both pictures show a part of what the sensor's mode sees. A Pi 5 has a crop for each of them."""
    part = (view.x, view.y, view.width, view.height)
    both = "ScalerCrops" in camera.camera_controls
    camera.set_controls({"ScalerCrops": [part, part]} if both else {"ScalerCrop": part})


def _view_of(camera: Any) -> Rect:
    """What of its sensor the configured camera shows, in px of the sensor. Raises NothingLarger."""
    limits = camera.camera_controls.get("ScalerCrop")
    view = Rect(*limits[2]) if limits else None
    if view is None or not (view.width and view.height):
        raise NothingLarger("the camera does not say which part of its sensor it shows")
    return view


def _best_mode(camera: Any, config: CameraConfig, preview: GrantedStream, view: Rect) -> SensorMode:
    """The mode with the most px of the view among those that are fast enough; else the one with fewer px to read."""
    used = camera.camera_configuration().get("sensor") or {}
    modes = [_mode(each) for each in camera.sensor_modes if "crop_limits" in each]  # else it is not a sensor's
    fast = [
        mode
        for mode in modes
        if mode.fps >= _SAME_RATE * config.fps or (mode.width, mode.height) == used.get("output_size")
    ]
    if not fast:
        raise NothingLarger("the camera does not say in which ways its sensor can be read")
    most = _most_across(preview)

    def worth(mode: SensorMode) -> tuple[float, bool, int]:
        return min(mode.across(view), most), mode.bit_depth == used.get("bit_depth"), -mode.width * mode.height

    return max(fast, key=worth)


def _mode(listed: dict[str, Any]) -> SensorMode:
    width, height = listed["size"]
    return SensorMode(width, height, listed["bit_depth"], listed["fps"], Rect(*listed["crop_limits"]))


def _size_in(mode: SensorMode, view: Rect, preview: GrantedStream, fps: float) -> tuple[int, int]:
    """Width and height of the largest picture with the preview's shape. Raises NothingLarger if that is not larger."""
    most = even_below(min(mode.across(view), _most_across(preview)))
    if most < _LEAST_GAIN * preview.width:
        raise NothingLarger(f"the camera has no more px of this view at {fps:g} frames/s")
    shape = preview.height / preview.width
    tried = range(most, max(preview.width, most - _TRIED_PX), -2)
    width = min(tried, key=lambda width: abs(even(width * shape) / width - shape))
    return width, even(width * shape)


def _most_across(preview: GrantedStream) -> float:
    return float((_MOST_PX * preview.width / preview.height) ** 0.5)


def _contains(outer: Rect, inner: Rect) -> bool:
    across = outer.x <= inner.x and inner.x + inner.width <= outer.x + outer.width
    return across and outer.y <= inner.y and inner.y + inner.height <= outer.y + outer.height


def _middle_of(outer: Rect, inner: Rect) -> Rect:
    """As much as `inner` from the middle: that stays the same part where the sensor flips what it reads."""
    x, y = outer.x + (outer.width - inner.width) // 2, outer.y + (outer.height - inner.height) // 2
    return Rect(x, y, inner.width, inner.height)


def _is_same(one: Rect, other: Rect, preview: GrantedStream) -> bool:
    """Whether two parts of the sensor are the same to half a px of the preview that shows them."""
    half = other.width / preview.width / 2
    pairs = zip(_sides(one), _sides(other), strict=True)
    return all(abs(a - b) <= half for a, b in pairs)


def _sides(rect: Rect) -> tuple[int, int, int, int]:
    return rect.x, rect.y, rect.x + rect.width, rect.y + rect.height
