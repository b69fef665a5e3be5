"""A video file, at its own pace or as fast as it is taken."""

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from vitcam.frames import Frame, Image, Unreadable
from vitcam.sources.film import Film
from vitcam.sources.playback import Pace, repeat_while_paused
from vitcam.sources.source import SourceOptions
from vitcam.text import printable

log = logging.getLogger(__name__)


class Video:
    """A film, or pictures that follow one another in one file. `live` unless `realtime` is False."""

    def __init__(self, uri: str, place: str, options: SourceOptions) -> None:
        self.live = options.realtime is not False
        self._uri = uri
        self._place = place
        self._options = options
        self._pace = Pace()
        self._film: Film | None = None

    def __enter__(self) -> Self:
        self._pace = Pace()
        self._film = Film(Path(self._place), paced=self.live)
        if self._film.assumption:
            log.warning("%s %s", printable(self._place), self._film.assumption)
        if self.live:
            self._options.playback.offer()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._options.playback.withdraw()
        if self._film is not None:
            self._film.close()
            self._film = None

    def stop(self) -> None:
        self._pace.stop()

    def __iter__(self) -> Iterator[Frame]:
        seq = 0
        last: Frame | None = None
        while self._film is not None:
            self._pace.restart()
            begun_with = seq
            for shot in self._film:
                if self.live:
                    yield from self._repeat_while_paused(last)
                    self._pace.wait_for(shot.position_s)
                if self._pace.stopped:
                    return
                if not self.live or self._options.playback.paused or self._options.wanted():
                    started = time.monotonic_ns()
                    picture = shot.picture()
                    if picture is not None:  # a damaged one is a gap
                        last = self._frame(picture, seq, shot.decode_ns + time.monotonic_ns() - started)
                        yield last
                seq += 1
            yield from self._repeat_while_paused(last)
            if begun_with == 0:
                self._report(self._film)
            if not self._options.loop or seq == begun_with:
                return
            self._film.close()
            self._film = Film(Path(self._place), paced=self.live)

    def _repeat_while_paused(self, last: Frame | None) -> Iterator[Frame]:
        return repeat_while_paused(last, self._options.playback, self._pace)

    def _report(self, film: Film) -> None:
        """Report a film that is not whole."""
        if film.trouble:
            self._options.on_unreadable(Unreadable(self._place, film.trouble))

    def _frame(self, picture: Image, seq: int, decode_ns: int) -> Frame:
        picture.setflags(write=False)  # it may be delivered again, without the masks of now
        due_ns = time.monotonic_ns() - decode_ns  # as if it had been decoded the moment it was due
        return self._options.frame(picture, self._uri, seq, due_ns, decode_ns)
