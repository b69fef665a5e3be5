"""Delivers one frame again and again, as a camera in front of it would.

So a viewer who comes later, a new crop and another overlay all get a picture.
"""

import time
from collections.abc import Generator, Iterator
from dataclasses import replace

from vitcam.frames import Frame
from vitcam.sources.files.pace import Pace
from vitcam.sources.playback import Playback

_AGAIN_S = 0.25  # at most four inferences a second, and a new crop is seen at once


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
