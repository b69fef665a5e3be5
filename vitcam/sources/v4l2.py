"""A USB camera, or anything else that the kernel shows as a V4L2 capture device."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Frame, Image
from vitcam.pictures.opencv import SELECT_TIMEOUT_S, prepare_capture
from vitcam.sentence import Sentence
from vitcam.sources.source import SourceOptions
from vitcam.sources.transform import reorient
from vitcam.sources.v4l2_devices import capture_devices, other_users, stable_name

_OLDEST_NS = 5_000_000_000


class V4l2Camera:
    """Requests MJPEG: no other format fits 720p at 30 frames/s through USB 2. The device may grant another."""

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self.live = True
        self._uri = uri
        self._path = place
        self._options = options
        self._stopped = threading.Event()
        self._capture: cv2.VideoCapture | None = None
        self._gives_jpeg = False

    def __enter__(self) -> Self:
        self._stopped = threading.Event()
        _check(self._path)
        # a device that was lost may come back under another number; the name of its USB socket stays
        self._path = stable_name(self._path) or self._path
        self._capture = _open(self._path, self._options)
        self._gives_jpeg = _takes_jpeg(self._capture)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._release()

    def stop(self) -> None:
        self._stopped.set()

    def __iter__(self) -> Iterator[Frame]:
        seq = 0
        while self._capture is not None:
            if self._options.wanted() and (frame := self._take(self._capture, seq)) is not None:
                yield frame
            seq += 1  # a damaged MJPEG frame is a gap
            if self._stopped.is_set():
                return
            if not self._capture.grab():  # it would fail again and again, and keep the device's number
                self._release()
                raise SourceLost(
                    Sentence(
                        f"{self._path} gives no pictures any more: unplugged, or silent for {SELECT_TIMEOUT_S} s",
                        "camera.lost",
                        camera=self._path,
                    )
                )

    def _take(self, capture: cv2.VideoCapture, seq: int) -> Frame | None:
        """The picture that was grabbed; None if it is damaged, or if it was only compared, and nothing moves in it."""
        done, grabbed = capture.retrieve()
        if not done or grabbed is None:
            return None
        captured = _captured_ns(capture)
        if not self._gives_jpeg:
            return self._frame(_rgb(grabbed), seq, captured)
        data = np.asarray(grabbed, np.uint8).reshape(-1)
        if self._options.compares():
            small = _decoded(data, cv2.IMREAD_REDUCED_COLOR_8)
            if small is None or not self._options.moves(reorient(self._options.orientation, small), captured):
                return None
        picture = _decoded(data, cv2.IMREAD_COLOR)
        return None if picture is None else self._frame(picture, seq, captured)

    def _frame(self, preview: Image, seq: int, captured_ns: int) -> Frame:
        return self._options.frame(preview, self._uri, seq, captured_ns, time.monotonic_ns() - captured_ns)

    def _release(self) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None


def _takes_jpeg(capture: cv2.VideoCapture) -> bool:
    """Have the pictures as the camera has compressed them, so that few have to be decoded in all their px."""
    is_jpeg = int(capture.get(cv2.CAP_PROP_FOURCC)) == cv2.VideoWriter.fourcc(*"MJPG")
    return is_jpeg and capture.set(cv2.CAP_PROP_CONVERT_RGB, 0)


def _decoded(data: NDArray[np.uint8], flags: int) -> Image | None:
    """(h, w, 3) uint8, RGB; None if the data are damaged."""
    try:
        bgr = cv2.imdecode(data, flags)
    except cv2.error:
        return None
    return None if bgr is None else _rgb(bgr)


def _rgb(bgr: cv2.typing.MatLike) -> Image:
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), dtype=np.uint8)


def _captured_ns(capture: cv2.VideoCapture) -> int:
    """The driver's own time of capture; most give monotonic time, as uvcvideo does."""
    now = time.monotonic_ns()
    captured = int(capture.get(cv2.CAP_PROP_POS_MSEC) * 1e6)
    return captured if now - _OLDEST_NS < captured <= now else now


def _check(path: str) -> None:
    """Raises SourceError, with the remedy, for a device that does not exist or may not be opened."""
    if not Path(path).exists():
        missing = f"there is no device {path or '(none named)'}; {_what_there_is()}"
        raise SourceError(Sentence(missing, "camera.gone", camera=path))
    if not os.access(path, os.R_OK | os.W_OK):
        raise SourceError(
            f"{path} may not be opened by this user; join the group `video` (sudo usermod -aG video $USER) and log in"
        )


def _open(path: str, options: SourceOptions) -> cv2.VideoCapture:
    prepare_capture()
    capture = cv2.VideoCapture(path, cv2.CAP_V4L2)
    if not capture.isOpened():
        in_use = f"{_in_use(path)}, or is not a camera that V4L2 can read; {_what_there_is()}"
        raise SourceError(Sentence(in_use, "camera.in_use", camera=path))
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, options.width)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, options.height)
    capture.set(cv2.CAP_PROP_FPS, options.fps)
    if not capture.grab():
        capture.release()
        silent = f"{path} gave no picture within {SELECT_TIMEOUT_S} s; {_remedy(path)}"
        raise SourceError(Sentence(silent, "camera.in_use", camera=path))
    return capture


def _in_use(path: str) -> str:
    users = _users(path)
    return f"{path} is in use by {users[0]}" if users else f"{path} is in use"


def _remedy(path: str) -> str:
    users = _users(path)
    return f"{users[0]} has it open: end that one" if users else "is another program using it?"


def _users(path: str) -> list[str]:
    """Which processes have a camera open; of any other device, such as /dev/null, that says little."""
    return other_users(path) if Path(path).resolve().name.startswith("video") else []


def _what_there_is() -> str:
    found = [f"{device.path} ({device.card})" for device in capture_devices() if device.permitted]
    return f"cameras here: {', '.join(found)}" if found else "no camera was found"
