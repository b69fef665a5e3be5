"""The Pi's own camera, by picamera2: its scaler delivers the model's input, in a process of its own, which may hang."""

import logging
import mmap
import os
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from vitcam.errors import SourceError, SourceLost
from vitcam.frames import Detail, Frame
from vitcam.processes.child import Child, how_it_ended, pack, unpack
from vitcam.processes.shared_memory import POOL_SIZE
from vitcam.rects import Rect
from vitcam.sentence import Sentence
from vitcam.sources.picamera.messages import (
    KINDS,
    MOST_DETAILS,
    Boxes,
    CameraConfig,
    CameraFailed,
    Captured,
    DetailCut,
    Ready,
    Still,
)
from vitcam.sources.source import SourceOptions
from vitcam.sources.transform import rects_before_turning, reorient

log = logging.getLogger(__name__)

_OPEN_S = 20  # importing picamera2 takes 2 s on a Pi 5, more on a busy Pi 3
_LATE_S = 0.5  # the child itself says when the camera stalls, if it can say anything
_MOST_HELD = POOL_SIZE - 3  # the other buffers are being written, or are on their way


class PiCamera:
    """`picamera` or `picamera:N`. Frames are views on memory shared with the camera's process.

    They are read-only, but where there may be masks the preview is not: `OrientedSource` draws them into that memory.

    It does the flips of `options.orientation`; a rotation by 90° is left to `OrientedSource`. Where something may be
    followed, frames carry what is followed in the camera's own px, if it has more of them.
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
        self._child: Child | None = None
        self._stuck: Child | None = None
        self._stopped = False

    def __enter__(self) -> Self:
        self._stopped = False
        self._open()
        return self

    def _open(self) -> None:
        self._config = replace(self._config, follow=self._options.follows())
        if self._stuck is not None and not self._stuck.has_ended:  # another would only get stuck beside it
            raise SourceError(
                f"the camera's process {self._stuck.pid} does not end, because its driver hangs; the camera is opened "
                "again once the driver lets go; if it does not, reboot"
            )
        self._held: set[int] = set()
        self._told: tuple[Rect, ...] = ()
        self._still = False
        self._memory_fd = os.memfd_create("vitcam-frames")
        self._child = Child(
            "the camera's process",
            "vitcam.sources.picamera.child",
            [self._memory_fd],
            [self._config.to_json()],
            {"LIBCAMERA_LOG_LEVELS": "*:ERROR"},
        )
        try:
            message = self._receive(self._child, _OPEN_S)
        except SourceLost as lost:
            raise SourceError(str(lost)) from None
        if not isinstance(message, Ready):
            self._end()
            raise SourceError(f"{self._uri} was ended while it was being opened")
        self._ready = message
        self._crop = self._options.crop(message.height, message.width)
        may_mask = self._options.active_areas is not None
        access = mmap.PROT_READ | mmap.PROT_WRITE if may_mask else mmap.PROT_READ
        # it lives as long as an array shows a part of it
        self._memory = mmap.mmap(self._memory_fd, POOL_SIZE * message.buffer_size, prot=access)
        self._report(message)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def stop(self) -> None:
        self._stopped = True
        child = self._child
        if child is not None:
            child.hang_up()

    def __iter__(self) -> Iterator[Frame]:
        while self._child is not None:
            if self._config.follow is not self._options.follows():
                self._end()
                self._open()
            self._tell_boxes(self._child)
            compares = self._compares(self._child)
            message = self._receive(self._child, self._config.patience_s + _LATE_S)
            if not isinstance(message, Captured) or self._stopped:
                return
            if not message.is_small:
                yield self._frame(self._child, message)
            elif compares:
                self._compare(self._child, message)
            else:
                _give_back(self._child, self._held, message.buffer)

    def _compares(self, child: Child) -> bool:
        """Whether the next small picture is compared. The child is told whether only such ones are wanted."""
        options, can = self._options, self._ready.small_height > 0
        rests = can and options.rests()
        wanted = rests and options.wanted()
        compares = wanted and options.compares()
        still = rests and (compares or not wanted)
        if still is not self._still:
            with suppress(EOFError):  # `_receive` reports it
                child.send(pack(Still(still)), wait=False)
                self._still = still
        return compares

    def _compare(self, child: Child, captured: Captured) -> None:
        """Have a small picture compared: where something moves in it, the next one is whole."""
        small = self._ready.small(self._ready.bytes_of(self._memory, captured.buffer))
        orientation = self._options.orientation.without_flips
        self._options.moves(reorient(orientation, small), captured.captured_ns)
        _give_back(child, self._held, captured.buffer)

    def _report(self, ready: Ready) -> None:
        shared, own = POOL_SIZE * ready.buffer_size / 1e6, ready.camera_bytes / 1e6
        log.debug("%s: %.1f MB in %d shared buffers, %.1f MB in the camera's own", self._uri, shared, POOL_SIZE, own)
        if ready.following:
            log.info("%s: %s", self._uri, ready.following)

    def _tell_boxes(self, child: Child) -> None:
        """Tell the child what is followed now, where that changed. It has them in its next frame."""
        if not self._ready.room:
            return
        size = self._ready.height, self._ready.width
        boxes = self._options.boxes()[:MOST_DETAILS]
        rects = rects_before_turning(boxes, self._options.orientation.without_flips, *size)
        if rects == self._told:
            return
        with suppress(EOFError):  # `_receive` reports it
            child.send(pack(Boxes([(rect.x, rect.y, rect.width, rect.height) for rect in rects])), wait=False)
            self._told = rects

    def _frame(self, child: Child, captured: Captured) -> Frame:
        now = time.monotonic_ns()
        cuts = [DetailCut(*cut) for cut in captured.cuts]
        buffer = self._lend(child, captured.buffer, cuts)
        preview, model_input = self._ready.pictures(buffer)
        if model_input is not None:
            model_input.setflags(write=False)
        details = zip(cuts, self._ready.details(buffer, cuts), strict=True)
        return Frame(
            preview=preview,
            model_input=model_input,
            crop=self._crop,
            seq=captured.seq,
            captured_ns=captured.captured_ns,
            source=self._uri,
            capture_ms=(now - captured.captured_ns) / 1e6,
            details=tuple(Detail(cut.rect, picture) for cut, picture in details),
        )

    def _lend(self, child: Child, buffer: int, cuts: Sequence[DetailCut]) -> NDArray[np.uint8]:
        """(size,) uint8: what is in a buffer, which goes back to the child once nobody refers to the array any more."""
        lent = self._ready.bytes_of(self._memory, buffer, cuts)
        if len(self._held) < _MOST_HELD:
            self._held.add(buffer)
            weakref.finalize(lent, _give_back, child, self._held, buffer).atexit = False
            return lent
        copy = lent.copy()  # somebody collects frames: without a free buffer the camera would have to stop
        copy.setflags(write=lent.flags.writeable)
        _give_back(child, self._held, buffer)
        return copy

    def _receive(self, child: Child, timeout_s: float) -> Ready | Captured | None:
        """What the child says; None once `stop` was called. Raises SourceLost once the child has been ended."""
        try:
            packet = child.receive(timeout_s)
        except EOFError:
            if self._stopped:
                return None
            ended = f"the camera's process ended {how_it_ended(self._end())}"
            raise SourceLost(Sentence(ended, "camera.lost", camera=self._uri)) from None
        if packet is None:
            self._end()
            silent = f"the camera's process has said nothing for {timeout_s:.1f} s and was ended"
            raise SourceLost(Sentence(silent, "camera.lost", camera=self._uri))
        message = unpack(packet, KINDS)
        if isinstance(message, CameraFailed):
            self._end()
            raise SourceLost(message.error)
        return message

    def _end(self) -> int | None:
        child, self._child = self._child, None
        if child is None:
            return None
        os.close(self._memory_fd)
        status = child.end()
        self._stuck = child if status is None else None
        return status


def _give_back(child: Child, held: set[int], buffer: int) -> None:
    """Called by the garbage collector, in any thread, also long after the child is gone."""
    held.discard(buffer)
    with suppress(EOFError):
        child.send(bytes([buffer]), wait=False)
