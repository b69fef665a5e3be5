"""How files are played: at their own pace, paused, resumed and stepped through. The page sets it, the source follows.

A paused source delivers its frame again and again, as a camera in front of it would. So a viewer who comes later, a new
crop and another overlay all get a picture.
"""

import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

from vitcam.frames import Frame

_TOO_LATE_S = 0.5
_TOO_EARLY_S = 60.0
_AGAIN_S = 0.25  # at most four inferences a second, and a new crop is seen at once


@dataclass(frozen=True, slots=True)
class Position:
    """Where a source of files is."""

    paused: bool = False
    index: int | None = None
    """Of the photo that is shown, from 0; None in a film."""
    count: int | None = None
    """How many photos there are; None in a film."""
    path: str | None = None
    """The file that is shown; None in a film."""
    can_step_back: bool = False


class Playback:
    """Shared by the source and the page. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._position: Position | None = None
        self._step = 0
        self._version = 0

    @property
    def position(self) -> Position | None:
        """Where the source is; None while it cannot be paused, such as a camera."""
        return self._position

    @property
    def paused(self) -> bool:
        return self._position is not None and self._position.paused

    def offer(self, count: int | None = None, *, can_step_back: bool = False) -> None:
        """The source can be paused from now on."""
        self._set(Position(count=count, can_step_back=can_step_back), 0)

    def withdraw(self) -> None:
        """The source has ended and cannot be paused any more."""
        self._set(None, 0)

    def arrive(self, index: int, path: str) -> None:
        """The source shows another photo."""
        with self._changed:
            if self._position is not None:
                self._position = replace(self._position, index=index, path=path)

    def pause(self, paused: bool) -> bool:
        """Pause, or resume. False where the source cannot be paused."""
        return self._change(paused, 0)

    def step(self, by: int) -> bool:
        """Pause, and show the next frame (1) or the one before (-1). False where the source cannot do that."""
        return self._change(True, by)

    def wait(self, timeout_s: float) -> int:
        """Wait until a viewer does something, at most `timeout_s`.

        returns  the step that was asked for, which is then taken; 0 if none was
        """
        with self._changed:
            version = self._version
            self._changed.wait_for(lambda: self._step or self._version != version, max(0.0, timeout_s))
            step, self._step = self._step, 0
            return step

    def _change(self, paused: bool, step: int) -> bool:
        with self._changed:  # the source may withdraw at any moment
            position = self._position
            if position is None or (step < 0 and not position.can_step_back):
                return False
            self._set(replace(position, paused=paused), step)
            return True

    def _set(self, position: Position | None, step: int) -> None:
        with self._changed:
            self._position, self._step = position, step
            self._version += 1
            self._changed.notify_all()


class Pace:
    """Ties positions in a film to the clock. `stop` may be called from any thread."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._origin: float | None = None

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """End every wait, now and later."""
        self._stopped.set()

    def restart(self) -> None:
        """The next position is due at once, and those after it follow."""
        self._origin = None

    def wait_for(self, position_s: float) -> None:
        """Wait until the frame at `position_s` of the film is due; not if it is late, or more than a minute early."""
        now = time.monotonic()
        if self._origin is None:
            self._origin = now - position_s
        early = self._origin + position_s - now
        if -_TOO_LATE_S <= early <= _TOO_EARLY_S:
            self._stopped.wait(max(0.0, early))
        else:  # the reader paused or is too slow, or the film's clock jumped: continue from here
            self._origin -= early


def repeat_frame(frame: Frame, show_s: float, playback: Playback, pace: Pace) -> Generator[Frame, None, int]:
    """Deliver `frame` again until it was shown for `show_s`, pauses not counted, or a viewer steps on.

    returns  1: go to the next frame; -1: go back to the one before; 0: `pace` was stopped
    """
    left_s = show_s
    while not pace.stopped:
        began = time.monotonic()
        step = playback.wait(_AGAIN_S if playback.paused else min(_AGAIN_S, left_s))
        if step:
            return step
        if not playback.paused:
            left_s -= time.monotonic() - began
            if left_s <= 0:
                return 1
        yield replace(frame, captured_ns=time.monotonic_ns(), capture_ms=0.0)
    return 0


def repeat_while_paused(last: Frame | None, playback: Playback, pace: Pace) -> Iterator[Frame]:
    """The last frame of a film again and again, until a viewer resumes it or steps; nothing if it is not paused."""
    if last is not None and playback.paused:
        yield from repeat_frame(last, 0.0, playback, pace)
        pace.restart()
