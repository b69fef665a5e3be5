"""A frame that stays: delivered again and again, as a camera in front of it would, so that whoever comes later, a new
crop and another overlay all find it."""

import time
from collections.abc import Generator, Iterator
from dataclasses import replace

from vitcam.frames import Frame
from vitcam.sources.files.pace import Pace
from vitcam.sources.playback import Playback

_AGAIN_S = 0.25  # four inferences a second at most, and a new crop is seen at once


def repeat_frame(frame: Frame, show_s: float, playback: Playback, pace: Pace) -> Generator[Frame, None, int]:
    """Deliver `frame` again until it was shown for `show_s`, pauses not counted, or a viewer steps on.

    returns  1: on to the next frame, -1: back to the one before, 0: `pace` was stopped
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
    """The last frame of a film again and again, until a viewer lets it go on or steps; nothing if it is not paused."""
    if last is not None and playback.paused:
        yield from repeat_frame(last, 0.0, playback, pace)
        pace.restart()
