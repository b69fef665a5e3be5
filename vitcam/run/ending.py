"""How a run ends: at once or after what waits, and by when."""

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vitcam.daemon.shutdown import ShutdownRequest

_WITHIN_S = 0.6  # for each object
_ALL_WITHIN_S = 1.0  # below `EXIT_WITHIN_S` of the signals: the interpreter needs time for its own end
_LEAST_S = 0.1  # for an object, whatever those before it took


class Ending:
    """Shared by all that end, one after the other.

    shutdown  says whether a signal came; another one may come while the run ends
    """

    def __init__(self, shutdown: "ShutdownRequest") -> None:
        self._shutdown = shutdown
        self._ends_s = time.monotonic() + _ALL_WITHIN_S

    @property
    def in_haste(self) -> bool:
        """Whether a signal has asked for the end: what waits is left out."""
        return self._shutdown.requested

    def left_s(self) -> float:
        """How long the next one may take."""
        left_s = max(_LEAST_S, self._ends_s - time.monotonic())
        return min(_WITHIN_S, left_s) if self.in_haste else _WITHIN_S
