"""Pictures through a pipe: `rpicam-vid … -o - | vitcam run --source -`. The end of the pipe is the end of the run."""

import fcntl
import os
import select
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Self

from vitcam.errors import SourceError, SourceLost, UsageError
from vitcam.frames import Frame, Unreadable
from vitcam.sources.jpeg_frames import IncomingStream, decode_frames
from vitcam.sources.raw import RawFormat
from vitcam.sources.source import SourceOptions

_STDIN = 0
_TICK_MS = 250  # how soon `stop` is seen
_BEGIN_WITHIN_S = 30.0  # rpicam-vid needs seconds to start its camera
# as much as a pipe may hold: with the usual 64 kB a raw picture would take twenty reads; of JPEG pictures that have
# piled up only the newest is decoded
_CHUNK = 1 << 20
_EXAMPLE = "rpicam-vid -n -t 0 --codec mjpeg -o - | vitcam run --source -"


class StandardInput:
    """`-`: JPEG pictures one after the other; `-:FORMAT:WIDTHxHEIGHT`: raw ones.

    Live, unless `realtime` is False: then every picture waits to be classified, and so does the pipe.
    """

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self.live = options.realtime is not False
        self._raw = RawFormat.parse(place) if place else None
        self._incoming = IncomingStream(uri, options, newest_only=self.live)
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
        for frame in decode_frames(self._incoming, self._chunks()) if self._raw is None else self._raws(self._raw):
            self._frames += 1
            yield frame
        if not self._frames and not self._stopped.is_set():
            raise SourceError(f"stdin ended without a picture: {self._what_came()}")

    def _chunks(self) -> Iterator[bytes]:
        while self._wait():
            data = os.read(_STDIN, _CHUNK)
            if not data:
                return
            self._beginning = self._beginning or data[:16]
            self._received += len(data)
            yield data

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
        if self._beginning.startswith((b"\0\0\0\1", b"\0\0\1")):
            return "H.264 came, but vitcam reads JPEG pictures: rpicam-vid --codec mjpeg"
        return f"{self._received:,} bytes came, and no whole JPEG is among them"
