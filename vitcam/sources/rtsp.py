"""A network camera by RTSP, read by the FFmpeg inside OpenCV."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Self

import cv2

from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Frame
from vitcam.opencv import prepare_capture, stream_options
from vitcam.shown import shown
from vitcam.sources.address import Address
from vitcam.sources.connections import connections_since, own_sockets
from vitcam.sources.received import Sender
from vitcam.sources.source import SourceOptions
from vitcam.sources.video import retrieve_rgb

_PORT = 554  # RFC 7826, 4.2
_OPEN_S = 10  # FFmpeg looks at some 28 pictures before it knows a stream
_MOST_QUEUED = 300


class RtspCamera:
    """`rtsp://[USER:PASSWORD@]HOST[:PORT]/PATH`, over TCP where the camera can."""

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self.live = True
        self._uri = uri
        self._port = Address.of(uri).port or _PORT
        self._sender = Sender(shown(uri), options, newest_only=True)
        self._stopped = threading.Event()
        self._capture: cv2.VideoCapture | None = None
        self._lines: list[socket.socket] = []

    def __enter__(self) -> Self:
        self._stopped = threading.Event()
        before = own_sockets()
        self._capture = self._open()
        self._lines = connections_since(before, self._port)
        _skip_queued(self._capture)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if self._capture is not None:
            self._capture.release()
            self._capture = None
        for line in self._lines:
            line.close()
        self._lines = []

    def stop(self) -> None:
        """OpenCV has no way to end a read that waits; FFmpeg's does end when its connection is shut down."""
        self._stopped.set()
        for line in self._lines:
            with suppress(OSError):  # closed by the other side, or by us
                line.shutdown(socket.SHUT_RDWR)

    def __iter__(self) -> Iterator[Frame]:
        seq = 0
        while self._capture is not None and not self._stopped.is_set():
            if not self._capture.grab():
                if self._stopped.is_set():
                    return
                raise SourceLost(
                    f"{self._sender.source} gives no pictures any more: it ended the stream, or was silent for "
                    f"{self._sender.patience_s:g} s"
                )
            arrived_ns = time.monotonic_ns()
            picture = retrieve_rgb(self._capture) if self._sender.options.wanted() else None
            if picture is not None:
                yield self._sender.frame(picture, seq, arrived_ns)
            seq += 1  # a damaged picture is a gap

    def _open(self) -> cv2.VideoCapture:
        prepare_capture()
        limits = {
            cv2.CAP_PROP_OPEN_TIMEOUT_MSEC: _OPEN_S * 1000,
            cv2.CAP_PROP_READ_TIMEOUT_MSEC: round(self._sender.patience_s * 1000),
            cv2.CAP_PROP_N_THREADS: 1,  # several would work on as many pictures at once: each a frame of delay
        }
        started = time.monotonic()
        with stream_options():
            capture = cv2.VideoCapture(
                self._uri, cv2.CAP_FFMPEG, [number for pair in limits.items() for number in pair]
            )
        if not capture.isOpened():
            waited = time.monotonic() - started
            why = f"no answer within {_OPEN_S} s" if waited > _OPEN_S * 0.9 else "refused, or no such stream there"
            raise SourceError(
                f"{self._sender.source} cannot be opened: {why}; check host, port, path, user and password"
            )
        return capture


def _skip_queued(capture: cv2.VideoCapture) -> None:
    """Go on to the first picture that had to be waited for: what FFmpeg collected to get to know the stream is old."""
    fps = capture.get(cv2.CAP_PROP_FPS)
    interval_s = 1 / fps if 1 <= fps <= 240 else 1 / 30
    for _ in range(_MOST_QUEUED):
        started = time.monotonic()
        if not capture.grab() or time.monotonic() - started > interval_s / 4:
            return
