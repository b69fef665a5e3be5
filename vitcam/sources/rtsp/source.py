"""A network camera by RTSP, read by PyAV's FFmpeg, in a process of its own."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Frame, Image
from vitcam.pictures.decode import Limits, fitting_reduction
from vitcam.processes.child import Child, how_it_ended, pack, unpack
from vitcam.processes.shared_memory import BufferPool
from vitcam.redaction import redacted
from vitcam.sentence import Sentence
from vitcam.sources.jpeg_frames import IncomingStream
from vitcam.sources.network.address import Address
from vitcam.sources.rtsp.messages import (
    FROM_CHILD,
    PATIENCE_OPEN_S,
    FromChild,
    FromDaemon,
    Grabbed,
    Open,
    Skip,
    StreamFailed,
    Take,
    Taken,
)
from vitcam.sources.source import LIVE_PIXELS, SMALL, SourceOptions, live_limits
from vitcam.sources.transform import reorient

_START_S = 20.0  # importing OpenCV from a cold SD card
_LATE_S = 1.0  # the child itself says when the camera is silent, if it can say anything


class _Silent(SourceLost):
    """Nothing came in time."""


class RtspCamera:
    """`rtsp://[USER:PASSWORD@]HOST[:PORT]/PATH`, over TCP where the camera can, or rtsps.

    Frames are views on memory shared with the camera's process: read-only.
    """

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self.live = True
        Address.of(uri)
        self._uri = uri
        self._options = options
        self._incoming = IncomingStream(redacted(uri), options)
        self._stopped = False
        self._child: Child | None = None
        self._pool: BufferPool | None = None
        self._size = (0, 0)
        """(height, width) of the newest picture."""

    def __enter__(self) -> Self:
        self._stopped = False
        try:
            self._child = Child("the camera's process", "vitcam.sources.rtsp.child")
            trust = self._options.trust
            request = Open(self._uri, self._incoming.patience_s, trust.fingerprint, trust.authority)
            self._child.send(pack(request))
            opened = self._next(self._child, _START_S + PATIENCE_OPEN_S + self._incoming.patience_s)
        except _Silent:
            self._end()
            advice = "check host and port, and that the camera is on"
            raise SourceError(self._unreachable(f"it does not answer; {advice}")) from None
        except (SourceLost, OSError, EOFError) as error:
            self._end()
            raise SourceError(self._unreachable(str(error))) from None
        if opened is None or isinstance(opened, StreamFailed):
            self._end()
            why = opened.why if opened is not None else "it was ended"
            raise SourceError(self._unreachable(why))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._end()

    def stop(self) -> None:
        self._stopped = True
        child = self._child
        if child is not None:
            child.hang_up()

    def __iter__(self) -> Iterator[Frame]:
        seq = 0
        while self._child is not None:
            grabbed = self._next(self._child, self._incoming.patience_s + _LATE_S)
            if not isinstance(grabbed, Grabbed):
                return
            if not self._options.wanted():
                self._tell(self._child, Skip())
            elif self._options.compares():
                small = self._take(self._child, SMALL)
                if small is not None:  # the next picture is taken whole
                    self._options.moves(reorient(self._options.orientation, small), grabbed.arrived_ns)
            elif (picture := self._take(self._child, live_limits(self._options))) is not None:
                yield self._incoming.frame(picture, seq, grabbed.arrived_ns)
            seq += 1  # a damaged picture is a gap

    def _take(self, child: Child, limits: Limits) -> Image | None:
        """(H, W, 3) uint8, RGB, read-only: the picture that was grabbed; None if it is damaged, or after `stop`."""
        while True:
            factor = fitting_reduction(self._size, limits.enough)
            height, width = (-(-side // factor) for side in self._size)
            pool, fds = self._pool_for(max(1, 3 * height * width))
            buffer = pool.take()
            self._tell(child, Take(*self._size, factor, buffer * pool.size), fds)
            taken = self._next(child, self._incoming.patience_s + _LATE_S)
            if isinstance(taken, Taken) and taken.height and (taken.height, taken.width) == self._size:
                return pool.lend(buffer, height, width)
            pool.give_back(buffer)
            if not isinstance(taken, Taken) or not taken.height:
                return None
            self._size = self._allowed(taken)

    def _allowed(self, taken: Taken) -> tuple[int, int]:
        if taken.height * taken.width > LIVE_PIXELS:
            raise SourceLost(
                f"{self._incoming.source} sends pictures of {taken.width:,}×{taken.height:,} px; at most "
                f"{LIVE_PIXELS / 1e6:.0f} megapixels are allowed"
            )
        return taken.height, taken.width

    def _pool_for(self, size: int) -> tuple[BufferPool, list[int]]:
        """Memory for pictures of up to `size` bytes, and its descriptor where it is new to the child."""
        if self._pool is not None and self._pool.size >= size:
            return self._pool, []
        if self._pool is not None:
            self._pool.close()
        self._pool = BufferPool(size)
        return self._pool, [self._pool.fd]

    def _tell(self, child: Child, message: FromDaemon, fds: Sequence[int] = ()) -> None:
        with suppress(EOFError):  # `_next` reports it
            child.send(pack(message), fds)

    def _next(self, child: Child, timeout_s: float) -> FromChild | None:
        """What the child says; None once `stop` was called. Raises SourceLost, when the child has been ended."""
        try:
            packet = child.receive(timeout_s)
        except EOFError:
            if self._stopped:
                return None
            status = self._end()
            if status == -signal.SIGALRM:  # its own limit for a silent camera, where this thread looks later than that
                raise self._silent() from None
            raise SourceLost(f"the camera's process ended {how_it_ended(status)}") from None
        if packet is None:  # it is too busy to say so
            self._end()
            raise self._silent()
        message = unpack(packet, FROM_CHILD)
        if isinstance(message, StreamFailed) and not message.why:
            raise self._silent()
        return message

    def _silent(self) -> _Silent:
        source = self._incoming.source
        return _Silent(
            Sentence(
                f"{source} gives no pictures any more: it ended the stream, or was silent for "
                f"{self._incoming.patience_s:g} s",
                "camera.lost",
                camera=source,
            )
        )

    def _unreachable(self, why: str) -> Sentence:
        source = self._incoming.source
        return Sentence(f"{source} cannot be opened: {why}", "camera.unreachable", camera=source)

    def _end(self) -> int | None:
        child, self._child = self._child, None
        pool, self._pool = self._pool, None
        self._size = (0, 0)
        if pool is not None:
            pool.close()
        return None if child is None else child.end(at_once=True)
