"""A film's file as FFmpeg reads it: frame after frame, each with its position."""

import math
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import av
import av.container
import av.format
import av.video.stream

from vitcam.errors import SourceError
from vitcam.frames import Image
from vitcam.pictures.file_kind import JPEG, FileKind, Use, kind_of, read_beginning
from vitcam.pictures.header import READABLE
from vitcam.sources.ffmpeg import FrameConverter, number_of
from vitcam.sources.truncation import missing_bytes
from vitcam.text import printable

ASSUMED_FPS = 25.0
"""Frames/s of a film that says nothing that can be true."""
_SLOWEST_FPS, _FASTEST_FPS = 1 / 60, 1000.0
_LONGEST_S = 60.0  # from one frame to the next; a camera that records changes alone may be silent for long
_LIGHT_PX_PER_S = 1280 * 720 * 30  # 2 ms a frame of one core of the machine in docs/program/benchmarks.md


@dataclass(frozen=True, slots=True, eq=False)
class FilmFrame:
    """A decoded frame, not converted yet."""

    position_s: float
    """From the beginning of the film."""
    decode_ns: int
    """How long decoding it took."""
    _frame: av.VideoFrame
    _converter: FrameConverter

    def picture(self) -> Image | None:
        """(H, W, 3) uint8, RGB, upright, its pixels square; None if it is damaged."""
        try:
            return self._converter.picture(self._frame)
        except (av.FFmpegError, ValueError):
            return None


class Film:
    """An open film. Iterate it once; close it, or use `with`.

    paced   it is read at its own pace. Then one thread decodes where that is enough: each further one decodes a frame
            ahead, which takes memory (5 MB of 720p) and gives nothing
    raises  SourceError for what is not a file, not a film, or has no frame
    """

    def __init__(self, path: Path, *, paced: bool = False) -> None:
        self._path = path
        self._container = _opened(path)
        try:
            self._stream = _video_of(self._container, path)
            self.fps, self.believes_times = self._pace()
            if paced and self._stream.width * self._stream.height * self.fps <= _LIGHT_PX_PER_S:
                self._stream.codec_context.thread_count = 1
            self._converter = FrameConverter(self._stream)
            self._count = self._damaged = 0
            self._frames = self._decoded()
            self._first = next(self._frames, None)
            if self._first is None:
                raise SourceError(f"{printable(str(path))} holds no frame that can be decoded")
            self._damaged = 0  # a recording that begins between two key frames is whole
        except BaseException:
            self._container.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._frames.close()
        self._container.close()

    @property
    def announced(self) -> int:
        """How many frames the file says it has, which may be wrong; 0: it does not say."""
        return max(0, self._stream.frames)

    @property
    def assumption(self) -> str:
        """What is assumed of a film without times: the end of a sentence; empty: nothing."""
        if self.believes_times:
            return ""
        return f"has no usable time stamps; {self.fps:g} frames/s are assumed"

    @property
    def trouble(self) -> str:
        """After the last frame: why the film is not whole; empty: it is."""
        if missing := missing_bytes(self._path):
            if self.announced > self._count:
                return f"ends after {self._count:,} of {self.announced:,} frames: truncated or damaged"
            return f"ends after frame {self._count:,}, and {missing:,} bytes are missing: truncated"
        if self._damaged:
            return f"{self._damaged:,} of its pictures cannot be decoded: damaged"
        return ""

    def __iter__(self) -> Iterator[FilmFrame]:
        times = FilmTimes(self.fps, self.believes_times)
        found, self._first = self._first, None
        while found is not None:
            frame, decode_ns = found
            self._count += 1
            yield FilmFrame(times.next(frame.time), decode_ns, frame, self._converter)
            found = next(self._frames, None)

    def _pace(self) -> tuple[float, bool]:
        """Frames/s, and whether the file's times can be true."""
        stream = self._stream
        has_times = not av.format.Flags(self._container.format.flags) & av.format.Flags.no_timestamps
        fps = number_of(stream.guessed_rate) or number_of(stream.average_rate)
        if not _is_possible(fps):
            # a rate of 0 is one that nobody knows: of a film of few frames, which have their times all the same
            return ASSUMED_FPS, has_times and fps == 0
        return fps, has_times

    def _decoded(self) -> Generator[tuple[av.VideoFrame, int], None, None]:
        """Every frame that can be decoded, and the ns that it took; damaged ones are counted."""
        packets = self._container.demux(self._stream)
        while True:
            started = time.monotonic_ns()
            try:
                packet = next(packets, None)
            except av.FFmpegError:  # the file ends in the middle of a packet, or its index leads nowhere
                self._damaged += 1
                return
            if packet is None:
                return
            try:
                frames = packet.decode()
            except av.FFmpegError:
                self._damaged += 1
                continue
            for frame in frames:
                self._damaged += frame.is_corrupt
                yield frame, time.monotonic_ns() - started
                started = time.monotonic_ns()


def _opened(path: Path) -> av.container.InputContainer:
    name = printable(str(path))
    if not path.is_file():  # a pipe would wait for a writer without end
        raise SourceError(f"{name} is not a file" if path.exists() else f"there is no file {name}")
    try:
        kind = kind_of(read_beginning(path))
    except OSError as error:
        raise SourceError(f"{name} cannot be read: {error.strerror}") from error
    if kind is not None and kind.use in (Use.FOREIGN, Use.OTHER):
        raise SourceError(f"{name} is {kind.name}; videos, and {READABLE} pictures, can be read")
    try:
        # an absolute path behind `file:`: no part of the name is read as a protocol
        return av.open(f"file:{path.absolute()}", "r", format=_format_of(kind), metadata_errors="replace")
    except (av.FFmpegError, OSError, ValueError) as error:
        raise SourceError(f"{name} cannot be read as a video: cut off, damaged, or of an unknown kind") from error


def _format_of(kind: FileKind | None) -> str | None:
    """What FFmpeg is told; None: it finds out. Of a file of several JPEG pictures it would believe its ending."""
    return "mjpeg" if kind is not None and kind.name == JPEG else None


def _video_of(container: av.container.InputContainer, path: Path) -> av.video.stream.VideoStream:
    stream = container.streams.best("video")
    if not isinstance(stream, av.video.stream.VideoStream):
        raise SourceError(f"{printable(str(path))} holds no video, only sound or other data")
    stream.thread_type = "AUTO"
    return stream


def _is_possible(fps: float) -> bool:
    """Whether a film can have this rate, in frames/s."""
    return _SLOWEST_FPS <= fps <= _FASTEST_FPS


class FilmTimes:
    """Positions of the frames of one film in s: from 0, and never backwards.

    fps      of the film, for frames without a time
    believe  whether the file's own times are used
    """

    def __init__(self, fps: float, believe: bool) -> None:
        self._interval_s = 1 / fps
        self._believe = believe
        self._position_s = -self._interval_s
        self._before_s: float | None = None

    def next(self, time_s: float | None) -> float:
        """The position of the next frame, in s.

        time_s  the file's own time of it, from any origin; None: it has none
        """
        step_s = self._interval_s
        if self._believe and time_s is not None and math.isfinite(time_s):
            if self._before_s is not None and 0 < time_s - self._before_s <= _LONGEST_S:
                step_s = time_s - self._before_s
            self._before_s = time_s
        self._position_s = max(0.0, self._position_s + step_s)
        return self._position_s
