"""The last seconds of pictures as JPEGs, in memory, and what is cut out of them."""

from collections import deque
from dataclasses import dataclass

from vitcam.rects import Box

MOST_BYTES = 32 << 20
"""Of the pictures in memory; a minute of 640×360 px at 10 pictures/s takes 24 MB."""


@dataclass(frozen=True, slots=True)
class Still:
    """One picture, as it is kept."""

    captured_ns: int
    """Monotonic."""
    jpeg: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """A clip that can be encoded."""

    event_id: str
    stills: tuple[Still, ...]
    end_ns: int
    """When the clip ends; the last still is shown until then."""
    box: Box | None = None
    """Where in the pictures what is followed was, when it was most probable; None: it was in the whole zone or view."""

    @property
    def bytes(self) -> int:
        """Of all its JPEGs."""
        return sum(len(still.jpeg) for still in self.stills)


class Ring:
    """Stills in the order in which they were captured; the owner says how old the oldest may be."""

    def __init__(self) -> None:
        self._stills: deque[Still] = deque()
        self.bytes = 0
        """Of all JPEGs in it."""

    def __len__(self) -> int:
        return len(self._stills)

    def add(self, still: Still) -> None:
        """Add the newest still."""
        self._stills.append(still)
        self.bytes += len(still.jpeg)

    def forget_before(self, oldest_ns: int) -> None:
        """Drop what is older."""
        while self._stills and self._stills[0].captured_ns < oldest_ns:
            self._drop()

    def shrink_to(self, most_bytes: int) -> None:
        """Drop the oldest until the rest fits."""
        while self._stills and self.bytes > most_bytes:
            self._drop()

    def clear(self) -> None:
        """Drop all."""
        self.shrink_to(0)

    def between(self, start_ns: int, end_ns: int) -> tuple[Still, ...]:
        """The stills of a time; the ring keeps them."""
        return tuple(still for still in self._stills if start_ns <= still.captured_ns <= end_ns)

    def _drop(self) -> None:
        self.bytes -= len(self._stills.popleft().jpeg)
