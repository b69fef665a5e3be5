"""Pause, resume and step of a film or a slideshow. The page sets it, and the source follows it."""

import threading
from dataclasses import dataclass, replace


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
