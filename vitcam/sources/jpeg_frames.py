"""Frames made of JPEG pictures that come by HTTP or through a pipe."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from vitcam.errors import SourceLost, UsageError
from vitcam.frames import Frame, Image, Unreadable
from vitcam.pictures.decode import Decode, decode
from vitcam.sources.jpeg_stream import JpegStream
from vitcam.sources.source import SMALL, SourceOptions
from vitcam.sources.transform import reorient

_LEAST_PATIENCE_S = 5.0


def decode_small(data: bytes) -> Image:
    """(h, w, 3) uint8, RGB: a picture, reduced by its decoder to be compared. Raises UsageError as `decode`."""
    return decode(data, SMALL).image


@dataclass(frozen=True, slots=True)
class IncomingStream:
    """A stream of pictures that comes in, and what is requested of it."""

    source: str
    """Its URI without secrets."""
    options: SourceOptions
    decode: Decode = decode
    decode_small: Callable[[bytes], Image] = decode_small
    """Of the whole picture, reduced to be compared."""

    @property
    def patience_s(self) -> float:
        """How long a picture may take to come, in s: the time of three at the requested rate, at least 5 s."""
        return max(_LEAST_PATIENCE_S, 3 / self.options.fps)

    def moves(self, data: bytes, arrived_ns: int) -> bool:
        """Whether a picture is worth all its px. Raises UsageError for an invalid one."""
        if not self.options.compares():
            return True
        small = reorient(self.options.orientation, self.decode_small(data))
        return self.options.moves(small, arrived_ns)

    def report(self, trouble: str) -> None:
        """Report a damaged picture where every picture counts."""
        self.options.on_unreadable(Unreadable(self.source, trouble))

    def frame(self, picture: Image, seq: int, arrived_ns: int, asked: bool = False) -> Frame:
        """A frame for a received picture. Only the sender knows when it was taken.

        picture     (H, W, 3) uint8, RGB
        arrived_ns  when its last byte came
        asked       as in `Frame`
        """
        capture_ns = time.monotonic_ns() - arrived_ns
        return self.options.frame(picture, self.source, seq, arrived_ns, capture_ns, asked=asked)


def decode_newest(incoming: IncomingStream, chunks: Iterable[bytes]) -> Iterator[Frame]:
    """Decode frames from bytes as they come; of several pictures that came together only the newest.

    A damaged picture is a gap in `seq`, as one that nobody wanted.

    raises  SourceLost when bytes come, but no decodable picture for `patience_s`
    """
    stream, seq, trouble = JpegStream(), 0, "no whole JPEG is among the data"
    begun, deadline = False, None
    for pictures in _cut(chunks, stream):
        deadline = deadline or time.monotonic() + incoming.patience_s
        arrived_ns = time.monotonic_ns()
        seq += stream.cut_off + len(pictures)
        stream.cut_off = 0
        if pictures and begun and not incoming.options.wanted():
            deadline = time.monotonic() + incoming.patience_s
        elif pictures:
            try:
                moves = not begun or incoming.moves(pictures[-1], arrived_ns)
                picture = incoming.decode(pictures[-1]).image if moves else None
            except UsageError as error:
                trouble = str(error)
            else:
                if picture is not None:
                    yield incoming.frame(picture, seq - 1, arrived_ns)
                begun = True
                deadline = time.monotonic() + incoming.patience_s
        if time.monotonic() > deadline:
            raise SourceLost(f"{incoming.source} sends data, but no picture for {incoming.patience_s:g} s: {trouble}")


def decode_every(incoming: IncomingStream, chunks: Iterable[bytes]) -> Iterator[Frame]:
    """Decode every picture, however long the next one takes to come. Damaged ones and cut-off ones are reported."""
    stream, seq = JpegStream(), 0
    for pictures in _cut(chunks, stream):
        arrived_ns = time.monotonic_ns()
        for _ in range(stream.cut_off):
            incoming.report("a picture is cut off by the beginning of the next one")
        stream.cut_off = 0
        for data in pictures:
            try:
                picture = incoming.decode(data).image
            except UsageError as error:
                incoming.report(str(error))
                continue
            yield incoming.frame(picture, seq, arrived_ns)
            seq += 1
    if stream.begun:
        incoming.report(f"the last picture is cut off after {stream.begun:,} bytes")


def _cut(chunks: Iterable[bytes], stream: JpegStream) -> Iterator[list[bytes]]:
    """The pictures that each chunk completes, and at last those that the end does."""
    yield from map(stream.feed, chunks)
    yield stream.finish()
