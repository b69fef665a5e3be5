"""A stand-in for picamera2 (and the little of libcamera that vitcam names) where there is no camera.

It keeps to the real names, signatures, shapes and refusals of picamera2 0.3.38; `tests/pivm/check_fake.py` compares the
names and signatures with the installed package. The picture is eight colour bars, as YUV in BT.601, limited range; of a
camera whose sensor has modes it is `landscape`, as far as the mode and the scaler's crop see it. What kind of machine
it plays is read from FAKE_PICAMERA2, the JSON of a `World`.
"""

import json
import os
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

import cv2
import numpy as np
from numpy.typing import NDArray

BARS = ((255, 255, 255), (255, 255, 0), (0, 255, 255), (0, 255, 0), (255, 0, 255), (255, 0, 0), (0, 0, 255), (0, 0, 0))
"""RGB, from left to right."""


@dataclass(frozen=True)
class World:
    """The machine that is played."""

    cameras: list[str] = field(default_factory=lambda: ["/base/axi/pcie@1000120000/rp1/i2c@88000/imx708@1a"])
    scales_to_rgb: bool = True
    """A Pi 5; False: a Pi 4, whose lores stream must be YUV."""
    lores: bool = True
    """False: a USB camera, which has one stream only."""
    grants: str = ""
    """The format that every stream gets, whatever was asked."""
    lores_size: tuple[int, int] | None = None
    """The size that lores gets, whatever was asked."""
    flips: bool = True
    """False: a camera that cannot flip, whatever was asked."""
    align: int = 64
    """Rows are padded to a multiple of so many bytes."""
    fps: float = 60
    modes: list[dict[str, Any]] = field(default_factory=list)
    """Of the sensor: `size`, `crop_limits` in its px, `fps`, `bit_depth`. None: it is not a sensor's camera."""
    pictures: str = ""
    """A file with pictures (n, H, W, 3), uint8, RGB, that are shown one after the other in place of the bars."""
    then: str = ""
    """Another such file, which is shown once it exists."""
    moving: bool = False
    """Whether a bright square crosses what it sees."""
    zooms: bool = True
    """False: the scaler's crop stays what it is, whatever was asked."""
    says_view: bool = True
    """False: it does not say which part of the sensor it shows."""
    busy: bool = False
    stall_file: str = ""
    """While this file exists, no frame comes."""
    astray_file: str = ""
    """While this file exists, the scaler cuts out another part of the sensor than it was set to."""
    hang_file: str = ""
    """While this file exists, nothing returns at all."""

    @classmethod
    def current(cls) -> Self:
        return cls(**json.loads(os.environ.get("FAKE_PICAMERA2", "{}")))

    def wait_while_hung(self) -> None:
        while self.hang_file and Path(self.hang_file).exists():
            time.sleep(0.01)


def install_into(folder: Path) -> None:
    """Let a Python with this folder in PYTHONPATH import the stand-in as picamera2 and libcamera."""
    (folder / "picamera2.py").write_text(Path(__file__).read_text())
    (folder / "libcamera.py").write_text("from picamera2 import ColorSpace, Transform\n")


class ColorSpace:
    """Of libcamera."""

    def __init__(self, name: str) -> None:
        self.name = name

    @staticmethod
    def Smpte170m() -> "ColorSpace":  # noqa: N802 - libcamera's name
        return ColorSpace("SMPTE170M")


class Transform:
    """Of libcamera."""

    def __init__(self, hflip: bool = False, vflip: bool = False) -> None:
        self.hflip, self.vflip = hflip, vflip


class CompletedRequest:
    """A frame; its buffers are the camera's own until it is released."""

    def __init__(self, request: dict[str, NDArray[np.uint8]], picam2: "Picamera2") -> None:
        self.request: dict[str, NDArray[np.uint8]] | None = request
        self.picam2 = picam2
        self.config = picam2.camera_configuration().copy()
        self._timestamp = time.monotonic_ns()

    def release(self) -> None:
        if self.request is None:
            raise RuntimeError("CompletedRequest: lock now has negative ref_count")
        for buffer in () if self.picam2._world.pictures else self.request.values():
            buffer[:] = 0x55  # the camera writes into it again
        self.request = None
        self.picam2.held -= 1

    def get_metadata(self) -> dict[str, Any]:
        view = {"ScalerCrop": self.picam2._view} if self.picam2._mode and self.picam2._world.says_view else {}
        return {"SensorTimestamp": self._timestamp, "ExposureTime": 10_000} | view

    def make_array(self, name: str) -> NDArray[np.uint8]:
        with MappedArray(self, name) as mapped:
            return np.ascontiguousarray(mapped.array)


class MappedArray:
    """The pixels of a stream, only inside `with`."""

    def __init__(self, request: CompletedRequest, stream: str, reshape: bool = True, write: bool = True) -> None:
        self._request, self._stream, self._reshape = request, stream, reshape
        self._array: NDArray[np.uint8] | None = None

    def __enter__(self) -> Self:
        if self._request.request is None:
            raise RuntimeError("failed to find buffer")
        buffer = self._request.request[self._stream]
        self._array = _shaped(buffer, self._request.config[self._stream]) if self._reshape else buffer
        return self

    def __exit__(self, exc_type: object, exc_value: object, exc_traceback: object) -> None:
        self._array = None

    @property
    def array(self) -> NDArray[np.uint8] | None:
        return self._array


class Picamera2:
    """One camera."""

    def __init__(
        self, camera_num: int = 0, verbose_console: object = None, tuning: object = None, allocator: object = None
    ) -> None:
        self._world = World.current()
        self._world.wait_while_hung()
        if self._world.busy:
            try:
                raise OSError("Device or resource busy")
            except OSError as error:
                raise RuntimeError("Camera __init__ sequence did not complete.") from error
        self._config: dict[str, Any] = {}
        self._mode: dict[str, Any] = {}
        self._asked: dict[str, Any] = {}
        self._modes: list[dict[str, Any]] = []
        self._abandoned_jobs = self._number = 0
        self._ready: dict[object, list[NDArray[np.uint8]]] = {}
        self._due = 0.0
        self.started = False
        self.held = 0

    @staticmethod
    def global_camera_info() -> list[dict[str, Any]]:
        cameras = enumerate(World.current().cameras)
        return [{"Model": Path(name).name.split("@")[0], "Id": name, "Num": number} for number, name in cameras]

    @property
    def camera_controls(self) -> dict[str, tuple[Any, Any, Any]]:
        controls: dict[str, tuple[Any, Any, Any]] = {}
        if self._world.lores:
            controls["FrameDurationLimits"] = (round(1e6 / self._mode.get("fps", 30)), 120_000, 33_333)
        if self._mode and self._world.says_view:
            controls["ScalerCrop"] = ((0, 0, 64, 64), tuple(self._mode["crop_limits"]), self._view)
            if self._world.scales_to_rgb and self._config["lores"]:
                controls["ScalerCrops"] = (self._view, self._view, self._view)
        return controls

    @property
    def sensor_modes(self) -> list[dict[str, Any]]:
        for mode in () if self._modes else self._world.modes:  # as the original, it configures each of them
            sensor = {"output_size": tuple(mode["size"]), "bit_depth": mode["bit_depth"]}
            self.configure(self.create_video_configuration(sensor=sensor))
            known = {"size": tuple(mode["size"]), "crop_limits": tuple(mode["crop_limits"])}
            self._modes.append(mode | known | {"format": f"SRGGB{mode['bit_depth']}"})
        return self._modes

    def set_controls(self, controls: dict[str, Any]) -> None:
        for control in controls:
            if control not in self.camera_controls:
                raise RuntimeError(f"Control {control} is not advertised by libcamera")
        self._asked |= controls

    def create_video_configuration(
        self,
        main: dict[str, Any] = {},  # noqa: B006 - as in the original
        lores: dict[str, Any] | None = None,
        raw: dict[str, Any] | None = {},  # noqa: B006
        transform: object = None,
        colour_space: ColorSpace | None = None,
        buffer_count: int = 6,
        controls: dict[str, Any] = {},  # noqa: B006
        display: str | None = "main",
        encode: str | None = "main",
        queue: bool = True,
        sensor: dict[str, Any] | None = {},  # noqa: B006
        use_case: str = "video",
    ) -> dict[str, Any]:
        whole = {"format": "XBGR8888", "size": (1280, 720), "preserve_ar": True} | main
        small = None if lores is None else {"format": "YUV420", "size": whole["size"], "preserve_ar": False} | lores
        transform = transform or Transform()
        has_sensor = bool(self._world.modes)
        return {
            "main": whole,
            "lores": small,
            "raw": {"format": "SRGGB10", "size": whole["size"]} | raw if has_sensor and raw is not None else None,
            "sensor": sensor if has_sensor else None,
            "colour_space": colour_space,
            "transform": transform,
            "buffer_count": buffer_count,
            "controls": controls,
        }

    def configure(self, camera_config: dict[str, Any] | None = None) -> None:
        if camera_config is None:
            raise RuntimeError("this stand-in has no default configuration")
        if self.started:
            raise RuntimeError("Camera must be stopped before configuring")
        self._check(camera_config)
        self._mode = self._best_mode(camera_config)
        size, depth = tuple(self._mode.get("size", ())), self._mode.get("bit_depth")
        self._config = {
            "main": self._grant(camera_config["main"]),
            "lores": camera_config["lores"] and self._grant(camera_config["lores"], self._world.lores_size),
            "raw": camera_config["raw"] and {"size": size, "framesize": 2 * size[0] * size[1]},
            "sensor": {"output_size": size, "bit_depth": depth} if self._mode else None,
            "controls": camera_config["controls"],
            "colour_space": camera_config["colour_space"],
            "transform": camera_config["transform"] if self._world.flips else Transform(),
            "buffer_count": camera_config["buffer_count"],
        }
        self._asked = {}
        self._view = self._whole_view() if self._mode else (0, 0, 0, 0)

    def camera_configuration(self) -> dict[str, Any]:
        return self._config

    def start(self, config: dict[str, Any] | None = None, show_preview: bool | None = False) -> None:
        if not self._config:
            raise RuntimeError("Camera has not been configured")
        self.started = True
        if self._world.zooms:
            self._view = tuple(self._asked.get("ScalerCrops", [self._asked.get("ScalerCrop", self._view)])[0])
        self._due = time.monotonic()

    def capture_request(
        self, wait: float | None = None, signal_function: object = None, flush: object = None
    ) -> CompletedRequest:
        self._world.wait_while_hung()
        if self.held >= self._config["buffer_count"]:
            raise RuntimeError("every buffer is held: the real one would wait for ever")
        deadline = time.monotonic() + (1e9 if wait is None else wait)
        stall = Path(self._world.stall_file) if self._world.stall_file else None
        while time.monotonic() < self._due or (stall is not None and stall.exists()):
            if time.monotonic() > deadline:
                self._abandoned_jobs += 1
                raise TimeoutError
            time.sleep(0.002)
        self._due = max(self._due + 1 / self._world.fps, time.monotonic())
        if self._world.astray_file and Path(self._world.astray_file).exists():
            self._view = tuple(self._mode["crop_limits"])
        self.held += 1
        self._now = time.monotonic()
        streams = {name: self._config[name] for name in ("main", "lores") if self._config[name]}
        if self._world.pictures:
            self._number += 1
            return CompletedRequest({name: self._made(stream) for name, stream in streams.items()}, self)
        return CompletedRequest(
            {name: _buffer(stream, self._config["transform"], self._seen(stream)) for name, stream in streams.items()},
            self,
        )

    def _made(self, stream: dict[str, Any]) -> NDArray[np.uint8]:
        """(bytes,): a picture of the file in the stream's format, which was made the first time."""
        shown = self._world.then if self._world.then and Path(self._world.then).exists() else self._world.pictures
        key = shown, stream["format"], stream["size"]
        if key not in self._ready:
            scenes = [cv2.resize(each, stream["size"], interpolation=cv2.INTER_AREA) for each in np.load(shown)]
            self._ready[key] = [_buffer(stream, self._config["transform"], np.asarray(each)) for each in scenes]
        return self._ready[key][self._number % len(self._ready[key])]

    def cancel_all_and_flush(self) -> None:
        self._abandoned_jobs = 0

    def stop(self) -> None:
        while self._abandoned_jobs:  # as the real one does behind a capture that timed out
            time.sleep(0.01)
        self.started = False

    def close(self) -> None:
        self.stop()

    def _check(self, config: dict[str, Any]) -> None:
        lores = config["lores"]
        for stream in filter(None, (config["main"], lores)):
            if stream["size"][0] % 2 or stream["size"][1] % 2:
                raise RuntimeError("width and height should be even")
        for control in config["controls"]:
            if control not in self.camera_controls:
                raise RuntimeError(f"Control {control} is not advertised by libcamera")
        if lores is None:
            return
        if not self._world.lores:
            raise RuntimeError("Invalid camera configuration")
        if lores["size"][0] > config["main"]["size"][0] or lores["size"][1] > config["main"]["size"][1]:
            raise RuntimeError("lores stream dimensions may not exceed main stream")
        if not self._world.scales_to_rgb and "8" in lores["format"]:
            raise RuntimeError("lores stream must be YUV")

    def _grant(self, asked: dict[str, Any], size: tuple[int, int] | None = None) -> dict[str, Any]:
        granted = asked | {"format": self._world.grants or asked["format"], "size": tuple(size or asked["size"])}
        row = granted["size"][0] * _BYTES.get(granted["format"], 1)
        stride = -(-row // self._world.align) * self._world.align
        planes = 1.0 if granted["format"] in _BYTES else 1.5
        return granted | {"stride": stride, "framesize": int(stride * granted["size"][1] * planes)}

    def _best_mode(self, config: dict[str, Any]) -> dict[str, Any]:
        """As picamera2 scores modes."""
        asked = config["sensor"] or {}
        most = max(self._world.modes, key=lambda mode: int(mode["size"][0] * mode["size"][1]), default={})
        size = asked.get("output_size") or config["main"]["size"]
        depth = asked.get("bit_depth") or most.get("bit_depth")

        def apart(wanted: float, actual: float) -> float:
            return (wanted - actual) * 2 if wanted > actual else (actual - wanted) / 4

        def score(mode: dict[str, Any]) -> float:
            (width, height), shape = mode["size"], size[0] / size[1]
            sides: float = apart(size[0], width) + apart(size[1], height)
            depths: int = abs(depth - mode["bit_depth"])
            return sides + 1500 * apart(shape, width / height) + 500 * depths

        return min(self._world.modes, key=score, default={})

    def _whole_view(self) -> tuple[int, ...]:
        """As much of what the mode sees as has the shape of the main stream, from its middle."""
        x, y, width, height = self._mode["crop_limits"]
        across, down = self._config["main"]["size"]
        w, h = min(width, height * across // down), min(height, width * down // across)
        return x + (width - w) // 2, y + (height - h) // 2, w, h

    def _seen(self, stream: dict[str, Any]) -> NDArray[np.uint8]:
        """(H, W, 3) RGB: the scene, as this stream shows it."""
        if not self._mode:
            return bars(*stream["size"])
        width, height = stream["size"]
        scene = with_square(self._now) if self._world.moving else landscape()
        return view_of_landscape(self._view, width, height, scene)


_BYTES = {"BGR888": 3, "RGB888": 3, "XBGR8888": 4, "XRGB8888": 4, "YUYV": 2}


def bars(width: int, height: int) -> NDArray[np.uint8]:
    """(height, width, 3) RGB: the scene, scaled as an ISP would, its aspect ratio not kept."""
    columns = np.array(BARS, np.uint8)[np.arange(width) * len(BARS) // width]
    return np.ascontiguousarray(np.broadcast_to(columns, (height, width, 3)))


@cache
def landscape() -> NDArray[np.uint8]:
    """(972, 1728, 3) RGB: what the whole sensor sees; everywhere something else, with edges and hues."""
    random = np.random.default_rng(7)
    coarse = random.integers(40, 216, (28, 49, 3), np.uint8)
    return np.asarray(cv2.resize(coarse, (1728, 972), interpolation=cv2.INTER_CUBIC), np.uint8)


def with_square(now_s: float) -> NDArray[np.uint8]:
    """(972, 1728, 3) RGB: the landscape and a square, which goes to and fro in eight seconds."""
    scene = landscape().copy()
    x = 500 + round(abs(now_s % 8 - 4) / 4 * 600)
    scene[450:550, x : x + 100] = 255
    return scene


def view_of_landscape(
    view: tuple[int, ...], width: int, height: int, scene: NDArray[np.uint8] | None = None
) -> NDArray[np.uint8]:
    """(height, width, 3) RGB: a part of the sensor, scaled."""
    x, y, w, h = view
    part = (landscape() if scene is None else scene)[y : y + h, x : x + w]
    return np.asarray(cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _buffer(stream: dict[str, Any], transform: Transform, scene: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(bytes,): the scene in the stream's format, rows padded with garbage."""
    scene = scene[:: -1 if transform.vflip else 1, :: -1 if transform.hflip else 1]
    rows = _rows(np.ascontiguousarray(scene), stream["format"])
    padded = np.full((rows.shape[0], stream["stride"]), 0xAA, np.uint8)
    if stream["format"] != "YUV420":
        padded[:, : rows.shape[1]] = rows
        return padded.reshape(-1)
    height, width = stream["size"][1], stream["size"][0]
    padded[:height, :width] = rows[:height]
    chroma = padded[height:].reshape(height, stream["stride"] // 2)
    chroma[:, : width // 2] = rows[height:].reshape(height, width // 2)
    return padded.reshape(-1)


def _rows(rgb: NDArray[np.uint8], name: str) -> NDArray[np.uint8]:
    """(rows, bytes of a row), not padded; the 4:2:0 planes below each other, as in memory."""
    height, width = rgb.shape[:2]
    if name in ("BGR888", "RGB888"):  # named from the highest byte down
        return (rgb if name == "BGR888" else rgb[..., ::-1]).reshape(height, width * 3)
    if name in ("XBGR8888", "XRGB8888"):
        code = cv2.COLOR_RGB2RGBA if name == "XBGR8888" else cv2.COLOR_RGB2BGRA
        return np.asarray(cv2.cvtColor(rgb, code), np.uint8).reshape(height, width * 4)
    planes = np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2YUV_I420), np.uint8)
    if name == "YUV420":
        return planes
    if name == "YUYV":
        return np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2YUV_YUY2), np.uint8).reshape(height, width * 2)
    if name == "NV12":
        blue, red = planes[height:].reshape(2, -1)
        return np.concatenate([planes[:height], np.stack([blue, red], axis=1).reshape(height // 2, width)])
    return np.zeros((height, width), np.uint8)


def _shaped(buffer: NDArray[np.uint8], stream: dict[str, Any]) -> NDArray[np.uint8]:
    """As picamera2's Helpers._make_array_shared: YUV420 and YUYV keep their padding, the others lose it."""
    (width, height), stride, name = stream["size"], stream["stride"], stream["format"]
    if name == "YUYV":
        return buffer.reshape(height, stride // 2, 2)
    if name in _BYTES:
        return buffer.reshape(height, stride)[:, : width * _BYTES[name]].reshape(height, width, _BYTES[name])
    if name == "YUV420":
        return buffer.reshape(height * 3 // 2, stride)
    if name == "NV12":
        return buffer.reshape(height * 3 // 2, stride)[:, :width]
    return buffer.reshape(-1, stride)
