"""A video file, at its own pace or as fast as it is taken."""

import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import cv2
import numpy as np

from vitcam.errors import SourceError
from vitcam.frames import Frame, Image, Unreadable
from vitcam.pictures.opencv import prepare_capture
from vitcam.sources.files.pace import Pace
from vitcam.sources.files.repeat import repeat_while_paused
from vitcam.sources.source import SourceOptions

_MISSING_SHARE = 0.05  # containers estimate their number of frames; 5 % less is more than an estimate can be wrong


class Video:
    """A file that OpenCV's FFmpeg reads. `live` unless `realtime` is False."""

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self.live = options.realtime is not False
        self._uri = uri
        self._place = place
        self._options = options
        self._pace = Pace()
        self._capture: cv2.VideoCapture | None = None

    def __enter__(self) -> Self:
        self._pace = Pace()
        self._capture = open_video(Path(self._place))
        if self.live:
            self._options.playback.offer()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._options.playback.withdraw()
        if self._capture is not None:
            self._capture.release()
            self._capture = None

    def stop(self) -> None:
        self._pace.stop()

    def __iter__(self) -> Iterator[Frame]:
        seq = 0
        last: Frame | None = None
        while self._capture is not None:
            self._pace.restart()
            begun_with = seq
            for position_s, grab_ns in grab_all(self._capture):
                if self.live:
                    yield from self._repeat_while_paused(last)
                    self._pace.wait_for(position_s)
                if self._pace.stopped:
                    return
                if not self.live or self._options.playback.paused or self._options.wanted():
                    started = time.monotonic_ns()
                    picture = retrieve_rgb(self._capture)
                    if picture is None:
                        break
                    last = self._frame(picture, seq, grab_ns + time.monotonic_ns() - started)
                    yield last
                seq += 1
            yield from self._repeat_while_paused(last)
            if begun_with == 0:
                self._report_missing(self._capture, seq)
            if not self._options.loop or seq == begun_with:
                return
            self._capture.release()
            self._capture = open_video(Path(self._place))

    def _repeat_while_paused(self, last: Frame | None) -> Iterator[Frame]:
        return repeat_while_paused(last, self._options.playback, self._pace)

    def _report_missing(self, capture: cv2.VideoCapture, frames: int) -> None:
        """Report a file that ends before the number of frames that it announces: it was cut off."""
        promised = capture.get(cv2.CAP_PROP_FRAME_COUNT)
        if frames < promised * (1 - _MISSING_SHARE) - 1:
            reason = f"ends after {frames:,} of {promised:,.0f} frames: truncated or damaged"
            self._options.on_unreadable(Unreadable(self._place, reason))

    def _frame(self, picture: Image, seq: int, decode_ns: int) -> Frame:
        height, width = picture.shape[:2]
        picture.setflags(write=False)  # it may be delivered again, without the masks of now
        return Frame(
            preview=picture,
            model_input=None,
            crop=self._options.crop(height, width),
            seq=seq,
            captured_ns=time.monotonic_ns() - decode_ns,  # as if it had been decoded the moment it was due
            source=self._uri,
            capture_ms=decode_ns / 1e6,
        )


def open_video(path: Path) -> cv2.VideoCapture:
    """Open a video and read its first frame.

    raises  SourceError for what is not a file, not a video, or has no frame
    """
    if not path.is_file():  # a pipe would wait for a writer without end
        raise SourceError(f"{path} is not a file" if path.exists() else f"there is no file {path}")
    prepare_capture()
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not capture.isOpened():
        raise SourceError(f"{path} cannot be read as a video: cut off, damaged, or of an unknown kind")
    if not capture.grab():
        raise SourceError(f"{path} holds no frame that can be decoded")
    return capture


def retrieve_rgb(capture: cv2.VideoCapture) -> Image | None:
    """(H, W, 3) uint8, RGB: the grabbed frame; None if it cannot be decoded."""
    done, bgr = capture.retrieve()
    return np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), dtype=np.uint8) if done else None


def grab_all(capture: cv2.VideoCapture) -> Iterator[tuple[float, int]]:
    """Every frame from the grabbed one on, ready to be retrieved: its position in s, the ns that grabbing it took."""
    grabbed, grab_ns = True, 0
    while grabbed:
        yield max(0.0, capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000, grab_ns
        started = time.monotonic_ns()
        grabbed = capture.grab()
        grab_ns = time.monotonic_ns() - started
