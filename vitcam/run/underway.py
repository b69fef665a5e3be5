"""Pictures on their way out of this process: to the disk, to a broker, to a phone."""

import threading
from types import TracebackType
from typing import Self

from vitcam.errors import VitcamError
from vitcam.run.kinds import HoldsPixels

_ENDS_S = 5.0


class Way:
    """Of one picture, from before it is read until it is there or given up. A `with` ends it."""

    def __init__(self, underway: "Underway") -> None:
        self._underway = underway
        self.expired = False
        """Masks were drawn since: the picture is to be given up, or taken back."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, traceback: TracebackType | None) -> None:
        self.end()

    def end(self) -> None:
        """It is there, or given up. A second call changes nothing."""
        self._underway._ended(self)


class Underway(HoldsPixels):
    """Those of one sender. Any thread may call it.

    what  for people, such as `a picture is still being sent to the broker`
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._changed = threading.Condition()
        self._ways = set[Way]()

    def begin(self) -> Way:
        """Call it before the picture is read: masks that are drawn after that wait for its end."""
        way = Way(self)
        with self._changed:
            self._ways.add(way)
        return way

    def expire(self) -> None:
        """Masks were drawn: what is underway now is to be given up. Does not wait for it."""
        with self._changed:
            for way in self._ways:
                way.expired = True

    def drop_pixels(self) -> None:
        """The same, and wait until all of it is there or given up. Raises VitcamError where that takes too long."""
        self.expire()
        with self._changed:
            before = {*self._ways}
            if not self._changed.wait_for(lambda: not before & self._ways, _ENDS_S):
                raise VitcamError(self._what)

    def _ended(self, way: Way) -> None:
        with self._changed:
            self._ways.discard(way)
            self._changed.notify_all()
