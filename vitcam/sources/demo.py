"""The bundled clip, for machines without a camera."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from vitcam.errors import SourceError
from vitcam.frames import Frame, Image
from vitcam.pictures.resize import to_model_size
from vitcam.sources.film import Film
from vitcam.sources.playback import Pace, repeat_while_paused
from vitcam.sources.source import Source, SourceOptions
from vitcam.sources.video import Video

CLIP = Path(__file__).with_name("demo.mp4")
RAM_FRAMES = 48  # of 1280×720 px: 133 MB, and 7 MB more at 224 px; the whole clip would take 2 GB


def open_demo(uri: str, place: str, options: SourceOptions) -> Source:
    """The clip as a film (`demo`), or from memory (`demo:ram`); both begin again at the end unless `loop` is False."""
    looped = replace(options, loop=options.loop is not False)
    if place == "":
        return Video(uri, str(CLIP), looped)
    if place == "ram":
        return DemoInRam(uri, looped)
    raise SourceError(f"there is no demo {place!r}; known are demo and demo:ram")


class DemoInRam:
    """48 frames spread over the clip, decoded at opening, with copies at the model's size beside them.

    The scaler of a Pi delivers frames like that. So throughput is measured without decoding and resizing.
    `live`, at the rate of the options, unless `realtime` is False.
    """

    def __init__(self, uri: str, options: SourceOptions) -> None:
        self.live = options.realtime is not False
        self._uri = uri
        self._options = options
        self._pace = Pace()
        self._pictures: list[tuple[Image, Image | None]] = []

    def __enter__(self) -> Self:
        self._pace = Pace()
        self._pictures = [(picture, self._model_input(picture)) for picture in _spread_frames(CLIP, RAM_FRAMES)]
        if self.live:
            self._options.playback.offer()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._options.playback.withdraw()
        self._pictures = []

    def stop(self) -> None:
        self._pace.stop()

    def __iter__(self) -> Iterator[Frame]:
        seq = 0
        last: Frame | None = None
        while self._pictures:
            for preview, model_input in self._pictures:
                if self.live:
                    yield from repeat_while_paused(last, self._options.playback, self._pace)
                    self._pace.wait_for(seq / self._options.fps)
                if self._pace.stopped:
                    return
                crop = self._options.crop(*preview.shape[:2])
                last = Frame(preview, model_input, crop, seq, time.monotonic_ns(), self._uri)
                yield last
                seq += 1
            if not self._options.loop:
                return

    def _model_input(self, picture: Image) -> Image | None:
        if self._options.input is None:
            return None
        small = np.ascontiguousarray(to_model_size(picture, self._options.input))
        return _read_only(small)


def _spread_frames(clip: Path, count: int) -> Iterator[Image]:
    """`count` frames at equal distances, (H, W, 3) uint8, RGB; read-only, since each is delivered again and again."""
    with Film(clip) as film:
        wanted = {index * film.announced // count for index in range(count)}
        for index, shot in enumerate(film):
            picture = shot.picture() if index in wanted else None
            if picture is not None:
                yield _read_only(picture)


def _read_only(picture: Image) -> Image:
    picture.setflags(write=False)
    return picture
