"""`vitcam`, and one source more: a still scene at 720p as a Pi's camera delivers it, with the model's input beside it.

python -m tests.bench.still run --source still …
"""

import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import numpy as np

from vitcam.cli import main
from vitcam.frames import Frame, Image
from vitcam.pictures.resize import to_model_size
from vitcam.sources import OPENERS, open_source
from vitcam.sources.playback import Pace
from vitcam.sources.source import Source, SourceOptions

_VERSIONS = 8
_NOISE = 2.0  # standard deviation of a sensor's noise, in levels of 255


def scene() -> list[Image]:
    """The first picture of the demo, (720, 1280, 3) uint8 RGB, several times with other noise: nothing moves."""
    with open_source("demo", SourceOptions(realtime=False)) as source:
        picture = next(iter(source)).preview
    numbers = np.random.default_rng(0)
    noise = (numbers.normal(0, _NOISE, picture.shape) for _ in range(_VERSIONS))
    return [np.clip(picture + each, 0, 255).astype(np.uint8) for each in noise]


class Still:
    """Always live, at the rate of the options."""

    live = True

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self._uri = uri
        self._options = options
        self._pace = Pace()
        self._pictures: list[tuple[Image, Image | None]] = []

    def __enter__(self) -> Self:
        spec = self._options.input
        self._pictures = [
            (picture, None if spec is None else np.ascontiguousarray(to_model_size(picture, spec)))
            for picture in scene()
        ]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        self._pace.stop()

    def __iter__(self) -> Iterator[Frame]:
        seq = 0
        while not self._pace.stopped:
            preview, small = self._pictures[seq % len(self._pictures)]
            self._pace.wait_for(seq / self._options.fps)
            crop = self._options.crop(*preview.shape[:2])
            if self._options.wanted():
                yield Frame(preview, small, crop, seq, time.monotonic_ns(), self._uri)
            seq += 1


def _open(uri: str, place: str, options: SourceOptions) -> Source:
    return Still(uri, place, options)


if __name__ == "__main__":
    OPENERS["still"] = _open
    main()
