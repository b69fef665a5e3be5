"""Pictures through a pipe: `rpicam-vid … -o - | vitcam run --source -`. The end of the pipe is the end of the run."""

import fcntl
import math
import os
import re
import select
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from vitcam.errors import SourceError, SourceLost, UsageError
from vitcam.frames import Frame, Image, Unreadable
from vitcam.pictures.file_kind import BEGINNING, JPEG, Use, kind_of
from vitcam.sources.jpeg_frames import IncomingStream, decode_every, decode_newest
from vitcam.sources.jpeg_stream import MAX_PICTURE
from vitcam.sources.source import SourceOptions

_STDIN = 0
_TICK_MS = 250  # how soon `stop` is seen
_BEGIN_WITHIN_S = 30.0  # rpicam-vid needs seconds to start its camera
# as much as a pipe may hold: with the usual 64 kB a raw picture would take twenty reads; of JPEG pictures that have
# piled up only the newest is decoded
_CHUNK = 1 << 20
_ENOUGH = 16  # bytes, to know a kind
_MOST_WITHOUT = 4 * MAX_PICTURE  # bytes without a picture; what sends more will never send one
_EXAMPLE = "rpicam-vid -n -t 0 --codec mjpeg -o - | vitcam run --source -"
_RAW = re.compile(r"(\w+):(\d{1,5})x(\d{1,5})", re.ASCII)
_LEAST_PX, _MOST_PX = 16, 8192
_ROWS = {"yuv420": 1.5, "rgb24": 3.0, "bgr24": 3.0}  # bytes a pixel
_TO_RGB: dict[str, Callable[[NDArray[np.uint8]], cv2.typing.MatLike]] = {
    "yuv420": lambda data: cv2.cvtColor(data, cv2.COLOR_YUV2RGB_I420),
    "rgb24": np.copy,
    "bgr24": lambda data: cv2.cvtColor(data, cv2.COLOR_BGR2RGB),
}


@dataclass(frozen=True, slots=True)
class RawFormat:
    """`yuv420` (three planes, as of `rpicam-vid --codec yuv420`), `rgb24` or `bgr24`; rows without padding."""

    pixels: str
    width: int
    height: int

    @classmethod
    def parse(cls, text: str) -> "RawFormat":
        """`FORMAT:WIDTHxHEIGHT`. Raises UsageError."""
        found = _RAW.fullmatch(text)
        if found is None or found[1] not in _TO_RGB:
            raise UsageError(
                f"-:{text} is not a valid stdin source; allowed are - (MJPEG) and -:FORMAT:WIDTHxHEIGHT such as "
                f"-:yuv420:1280x720, FORMAT one of {', '.join(_TO_RGB)}"
            )
        width, height = int(found[2]), int(found[3])
        if not all(_LEAST_PX <= side <= _MOST_PX for side in (width, height)):
            raise UsageError(
                f"-:{text} is out of range; width and height from {_LEAST_PX} to {_MOST_PX} px are allowed"
            )
        if found[1] == "yuv420" and (width % 2 or height % 2):
            raise UsageError(f"-:{text} is invalid: width and height of yuv420 must be even")
        return cls(found[1], width, height)

    @property
    def size(self) -> int:
        """Bytes of one picture."""
        return int(self.width * self.height * _ROWS[self.pixels])

    def picture(self, data: bytearray) -> Image:
        """(height, width, 3) uint8, RGB, a copy; `data` has `size` bytes."""
        shape = (self.height * 3 // 2, self.width) if self.pixels == "yuv420" else (self.height, self.width, 3)
        return np.asarray(_TO_RGB[self.pixels](np.frombuffer(data, np.uint8).reshape(shape)), dtype=np.uint8)

    def __str__(self) -> str:
        return f"{self.width}×{self.height} {self.pixels}"


class StandardInput:
    """`-`: JPEG pictures one after the other; `-:FORMAT:WIDTHxHEIGHT`: raw ones.

    Every picture waits to be classified, and so does the pipe. If `realtime` is True, it is live: the newest wins.
    """

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self.live = options.realtime is True
        self._raw = RawFormat.parse(place) if place else None
        self._incoming = IncomingStream(uri, options)
        self._stopped = threading.Event()
        self._frames = 0
        self._received = 0
        self._beginning = b""
        self._partial = bytearray(self._raw.size if self._raw else 0)
        self._filled = 0  # kept when the pipe is silent, so that the rest of a picture is not read as a new one

    def __enter__(self) -> Self:
        self._stopped = threading.Event()
        if sys.stdin is None:
            raise UsageError(f"there is no stdin to read pictures from; pipe them in: {_EXAMPLE}")
        if os.isatty(_STDIN):
            raise UsageError(f"stdin is a terminal, but it must carry pictures; pipe them in: {_EXAMPLE}")
        if stat.S_ISDIR(os.fstat(_STDIN).st_mode):
            raise UsageError(f"stdin is a folder, but it must carry pictures; pipe them in: {_EXAMPLE}")
        with suppress(OSError):  # no pipe, or the user has no more memory for pipes
            fcntl.fcntl(_STDIN, fcntl.F_SETPIPE_SZ, _CHUNK)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        self._stopped.set()

    def __iter__(self) -> Iterator[Frame]:
        """Raises SourceError when the pipe ends before the first picture, SourceLost when it is silent."""
        for frame in self._jpegs() if self._raw is None else self._raws(self._raw):
            self._frames += 1
            yield frame
        if not self._frames and not self._stopped.is_set():
            raise SourceError(f"stdin ended without a picture: {self._what_came()}")

    def _jpegs(self) -> Iterator[Frame]:
        return (decode_newest if self.live else decode_every)(self._incoming, self._chunks())

    def _chunks(self) -> Iterator[bytes]:
        while self._wait():
            data = os.read(_STDIN, _CHUNK)
            if not data:
                return
            self._beginning += data[: BEGINNING - len(self._beginning)]
            self._received += len(data)
            yield data
            if not self._frames and (self._received > _MOST_WITHOUT or self._is_of_another_kind()):
                raise SourceError(f"stdin carries no picture that can be read: {self._what_came()}")

    def _is_of_another_kind(self) -> bool:
        """Whether what came is known to be something else. A text may be the headers of multipart parts."""
        kind = kind_of(self._beginning) if len(self._beginning) >= _ENOUGH else None
        return kind is not None and kind.use is not Use.OTHER and kind.name != JPEG

    def _raws(self, raw: RawFormat) -> Iterator[Frame]:
        seq = 0
        while self._wait():
            count = os.readv(_STDIN, [memoryview(self._partial)[self._filled :]])
            if not count:
                break
            self._received += count
            self._filled += count
            if self._filled == raw.size:
                arrived_ns = time.monotonic_ns()
                self._filled = 0
                if not self.live or self._incoming.options.wanted():
                    yield self._incoming.frame(raw.picture(self._partial), seq, arrived_ns)
                seq += 1
        if self._filled and not self._stopped.is_set():
            left = f"ended after {self._filled:,} of a picture's {raw.size:,} bytes: is it {raw}?"
            self._incoming.options.on_unreadable(Unreadable(self._incoming.source, left))

    def _wait(self) -> bool:
        """Wait until there is something to read, or the end; False once `stop` was called. Raises SourceLost."""
        patience_s = self._incoming.patience_s if self._received else _BEGIN_WITHIN_S
        poll = select.poll()
        poll.register(_STDIN, select.POLLIN)
        if self._received and not self.live:  # a program that makes the pictures one by one may take long for the next
            patience_s = math.inf
        deadline = time.monotonic() + patience_s
        while not self._stopped.is_set():
            if poll.poll(_TICK_MS):
                return True
            if time.monotonic() > deadline:
                raise SourceLost(f"stdin has been silent for {patience_s:g} s")
        return False

    def _what_came(self) -> str:
        if self._raw is not None:
            return f"{self._received:,} bytes came, and {self._raw} has {self._raw.size:,}"
        kind = kind_of(self._beginning) if self._beginning else None
        allowed = "vitcam reads JPEG pictures one after the other, or raw ones with -:yuv420:WIDTHxHEIGHT"
        if self._beginning.startswith((b"\0\0\0\1", b"\0\0\1")):
            return f"H.264 came, but {allowed}: rpicam-vid --codec mjpeg"
        if kind is not None and kind.name != JPEG:
            one = "; for one photo: vitcam classify -" if kind.use is Use.PICTURE else ""
            return f"{self._received:,} bytes came, {kind.name}; {allowed}{one}"
        return f"{self._received:,} bytes came, and no whole JPEG is among them"
