"""Which place is looked at next: the one that waited longest, where the wait of an urgent one counts several times."""

import math
from collections.abc import Collection, Sequence

from vitcam.frames import Place

URGENT_TIMES = 3
"""How many times the wait of an urgent place counts. So the others still get their turn: none starves."""


class Turns:
    """Remembers when each place had its last turn. It reads no clock: the same calls give the same answers."""

    def __init__(self) -> None:
        self._last_ns: dict[Place, int] = {}

    def take(self, places: Sequence[Place], urgent: Collection[Place], now_ns: int) -> Place:
        """Give the next turn to one of `places`, which are not empty.

        places  those that may have it; of equals the first one gets it
        urgent  those in which something moves, or an event may begin or end
        now_ns  monotonic
        """

        def weight(place: Place) -> float:
            waited = now_ns - self._last_ns[place] if place in self._last_ns else math.inf
            return waited * (URGENT_TIMES if place in urgent else 1)

        chosen = max(places, key=weight)
        self._last_ns[chosen] = now_ns
        return chosen

    def keep(self, places: Collection[Place]) -> None:
        """Forget all other places."""
        self._last_ns = {place: at_ns for place, at_ns in self._last_ns.items() if place in places}
