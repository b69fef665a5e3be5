"""Frames made of JPEG pictures that come by HTTP or through a pipe."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vitcam.errors import SourceLost, UsageError
from vitcam.frames import Frame, Image, Unreadable
from vitcam.pictures.decode import Decode, decode
from vitcam.sources.jpeg_stream import JpegStream
from vitcam.sources.source import SourceOptions

_LEAST_PATIENCE_S = 5.0


@dataclass(frozen=True, slots=True)
class IncomingStream:
    """A stream of pictures that comes in, and what is requested of it."""

    source: str
    """Its URI without secrets."""
    options: SourceOptions
    newest_only: bool
    """Decode only the newest of several pictures that have come together."""
    decode: Decode = decode

    @property
    def patience_s(self) -> float:
        """How long a picture may take to come, in s: the time of three at the requested rate, at least 5 s."""
        return max(_LEAST_PATIENCE_S, 3 / self.options.fps)

    def report(self, trouble: str) -> None:
        """Report a damaged picture where every picture counts; of a camera it is a gap in `seq`."""
        if not self.newest_only:
            self.options.on_unreadable(Unreadable(self.source, trouble))

    def frame(self, picture: Image, seq: int, arrived_ns: int, asked: bool = False) -> Frame:
        """A frame for a received picture. Only the sender knows when it was taken.

        picture     (H, W, 3) uint8, RGB
        arrived_ns  when its last byte came
        asked       as in `Frame`
        """
        height, width = picture.shape[:2]
        return Frame(
            preview=picture,
            model_input=None,
            crop=self.options.crop(height, width),
            seq=seq,
            captured_ns=arrived_ns,
            source=self.source,
            capture_ms=(time.monotonic_ns() - arrived_ns) / 1e6,
            asked=asked,
        )


def decode_frames(incoming: IncomingStream, chunks: Iterable[bytes]) -> Iterator[Frame]:
    """Decode frames from bytes as they come.

    raises  SourceLost when bytes come, but no decodable picture for `patience_s`
    """
    stream, seq, trouble = JpegStream(), 0, "no whole JPEG is among the data"
    begun, deadline = False, None
    for pictures in _cut(chunks, stream):
        deadline = deadline or time.monotonic() + incoming.patience_s
        arrived_ns = time.monotonic_ns()
        seq += stream.cut_off
        stream.cut_off = 0
        for position, data in _chosen(pictures, incoming.newest_only):
            if begun and incoming.newest_only and not incoming.options.wanted():
                deadline = time.monotonic() + incoming.patience_s
                continue
            try:
                picture = incoming.decode(data).image
            except UsageError as error:
                trouble = str(error)
                incoming.report(trouble)
                continue
            yield incoming.frame(picture, seq + position, arrived_ns)
            begun = True
            deadline = time.monotonic() + incoming.patience_s
        seq += len(pictures)
        if time.monotonic() > deadline:
            raise SourceLost(f"{incoming.source} sends data, but no picture for {incoming.patience_s:g} s: {trouble}")


def _cut(chunks: Iterable[bytes], stream: JpegStream) -> Iterator[list[bytes]]:
    """The pictures that each chunk completes, and at last those that the end does."""
    yield from map(stream.feed, chunks)
    yield stream.finish()


def _chosen(pictures: list[bytes], newest_only: bool) -> list[tuple[int, bytes]]:
    numbered = list(enumerate(pictures))
    return numbered[-1:] if newest_only else numbered
