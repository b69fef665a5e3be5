"""Which zone is looked at next: the one that waited longest, where the wait of an urgent one counts several times."""

import math
from collections.abc import Collection, Sequence

URGENT_TIMES = 3
"""How many times the wait of an urgent zone counts. So the others still get their turn: none starves."""


class Turns:
    """Remembers when each zone had its last turn. It reads no clock: the same calls give the same answers."""

    def __init__(self) -> None:
        self._last_ns: dict[str, int] = {}

    def take(self, names: Sequence[str], urgent: Collection[str], now_ns: int) -> str:
        """Give the next turn to one of `names`, which are not empty.

        names   those that may have it; of equals the first one gets it
        urgent  those in which something moves, or an event may begin
        now_ns  monotonic
        """

        def weight(name: str) -> float:
            waited = now_ns - self._last_ns[name] if name in self._last_ns else math.inf
            return waited * (URGENT_TIMES if name in urgent else 1)

        chosen = max(names, key=weight)
        self._last_ns[chosen] = now_ns
        return chosen

    def keep(self, names: Collection[str]) -> None:
        """Forget all other zones."""
        self._last_ns = {name: at_ns for name, at_ns in self._last_ns.items() if name in names}
