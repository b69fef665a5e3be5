"""Whether a camera is frozen: its pictures are the same to the last bit, as the noise of a sensor never is."""

import zlib

from vitcam.frames import Frame
from vitcam.look.active_areas import ActiveAreas

_EVERY_S = 1.0
_ROWS = 4  # every fourth row is compared: 1 ms for 1080p
_LEAST_SAME = 5
_LEAST_GAP_S = 1.0  # between two pictures of a camera that rests there is half of that
_SETTLE_S = 10.0
_MOST_BETWEEN_S = 3600.0
_SECOND = 1_000_000_000


class FrozenWatch:
    """Gets every frame of a source, in the thread that reads it. No camera is frozen until `watch` is called.

    areas  a picture that is all mask is not judged
    """

    def __init__(self, areas: ActiveAreas) -> None:
        self._areas = areas
        self._after_ns = self._every_ns = self._settle_ns = 0
        self._next_ns = 0
        self._last_ns = 0
        self._seen = -1
        self._same, self._same_since_ns = 0, 0
        self._moves_since_ns: int | None = None
        self._open_at_ns = self._between_ns = 0
        self.since_ns: int | None = None
        """Monotonic time of the first of the same pictures; None: the camera is not frozen. Any thread may read it."""

    def watch(self, after_s: float) -> None:
        """The same picture for this long means that the camera is frozen. Call it before anything runs."""
        self._after_ns = self._between_ns = round(after_s * _SECOND)
        self._every_ns = round(min(_EVERY_S, after_s / (2 * _LEAST_SAME)) * _SECOND)
        self._settle_ns = round(min(_SETTLE_S, after_s / 6) * _SECOND)

    def take(self, frame: Frame) -> bool:
        """Look at a frame, if it is time; whether the camera should be opened again now.

        A frozen camera is opened again at once, and then after ever longer times. It is well only when its picture
        changes for some seconds: one that gives a single new picture each time it is opened is frozen all the time.
        """
        now_ns = frame.captured_ns
        if not self._after_ns or frame.asked or now_ns < self._next_ns:
            return False
        self._next_ns, gap_ns, self._last_ns = now_ns + self._every_ns, now_ns - self._last_ns, now_ns
        seen = zlib.crc32(frame.preview[::_ROWS].tobytes())
        if seen != self._seen or gap_ns > max(self._after_ns / 3, _LEAST_GAP_S * _SECOND):
            changed, self._seen = seen != self._seen, seen
            self._same, self._same_since_ns = 0, now_ns
            if changed:
                self._move(now_ns)
            return False
        self._same += 1
        if self._same < _LEAST_SAME or now_ns - self._same_since_ns < self._after_ns or self._is_masked(frame):
            return False
        return self._freeze(now_ns)

    def _move(self, now_ns: int) -> None:
        """The picture has changed."""
        if self.since_ns is None:
            return
        if self._moves_since_ns is None:
            self._moves_since_ns = now_ns
        elif now_ns - self._moves_since_ns >= self._settle_ns:
            self.since_ns = self._moves_since_ns = None
            self._between_ns, self._open_at_ns = self._after_ns, 0

    def _freeze(self, now_ns: int) -> bool:
        self._moves_since_ns = None
        if self.since_ns is None:
            self.since_ns = self._same_since_ns
        if now_ns < self._open_at_ns:
            return False
        self._open_at_ns = now_ns + self._between_ns
        self._between_ns = min(2 * self._between_ns, round(_MOST_BETWEEN_S * _SECOND))
        return True

    def _is_masked(self, frame: Frame) -> bool:
        return bool(self._areas.areas.masks) and not frame.preview.any()
