"""The Pi's own camera, by picamera2: its scaler delivers the model's input, in a process of its own, which may hang."""

import time
from collections.abc import Iterator
from mmap import mmap
from types import TracebackType
from typing import Self

from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Frame
from vitcam.processes.child import how_it_ended
from vitcam.sources.picamera.messages import CameraConfig, CameraFailed, Captured, Ready
from vitcam.sources.picamera.process import CameraProcess
from vitcam.sources.source import SourceOptions

_OPEN_S = 20  # importing picamera2 takes 2 s on a Pi 5, more on a busy Pi 3
_LATE_S = 0.5  # the child says itself when the camera stalls, if it can say anything


class PiCamera:
    """`picamera` or `picamera:N`. Frames are views on memory shared with the camera's process: read-only.

    It does the flips of `options.orientation`; a rotation by 90° is left to `OrientedSource`.
    """

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        if place and not (place.isascii() and place.isdigit()):
            raise SourceError(f"there is no camera {place!r}; name it by its number, as in picamera:0")
        self.live = True
        self._uri = uri
        self._options = options
        orientation = options.orientation
        self._config = CameraConfig(
            int(place or 0),
            options.width,
            options.height,
            options.fps,
            options.input,
            orientation.hflip,
            orientation.vflip,
        )
        self._process: CameraProcess | None = None
        self._stopped = False

    def __enter__(self) -> Self:
        self._stopped = False
        self._process = CameraProcess(self._config)
        try:
            message = self._next(self._process, _OPEN_S)
        except SourceLost as lost:
            raise SourceError(str(lost)) from None
        if not isinstance(message, Ready):
            self._end()
            raise SourceError(f"{self._uri} was ended while it was being opened")
        self._ready = message
        self._memory: mmap = self._process.map_memory(message)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def stop(self) -> None:
        self._stopped = True
        process = self._process
        if process is not None:
            process.hang_up()

    def __iter__(self) -> Iterator[Frame]:
        while self._process is not None:
            message = self._next(self._process, self._config.patience_s + _LATE_S)
            if not isinstance(message, Captured):
                return
            yield self._frame(self._process, message)

    def _frame(self, process: CameraProcess, captured: Captured) -> Frame:
        now = time.monotonic_ns()
        lent = process.lend(self._ready, self._memory, captured.buffer)
        preview, model_input = self._ready.pictures(lent)
        return Frame(
            preview=preview,
            model_input=model_input,
            crop=self._options.crop(self._ready.height, self._ready.width),
            seq=captured.seq,
            captured_ns=captured.captured_ns,
            source=self._uri,
            capture_ms=(now - captured.captured_ns) / 1e6,
        )

    def _next(self, process: CameraProcess, timeout_s: float) -> Ready | Captured | None:
        """What the child says; None once `stop` was called. Raises SourceLost, when the child has been ended."""
        try:
            message = process.receive(timeout_s)
        except EOFError:
            if self._stopped:
                return None
            raise SourceLost(f"the camera's process ended {how_it_ended(self._end())}") from None
        if message is None:
            self._end()
            raise SourceLost(f"the camera's process has said nothing for {timeout_s:.1f} s and was ended")
        if isinstance(message, CameraFailed):
            self._end()
            raise SourceLost(message.error)
        return message

    def _end(self) -> int | None:
        process, self._process = self._process, None
        return process.end() if process is not None else None
