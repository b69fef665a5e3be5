"""What clips say of themselves."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ClipCounts:
    """The clips of events, since the start."""

    enabled: bool = False
    made: int = 0
    left_out: int = 0
    """Events whose clip could not be made; each says why."""
    queued: int = 0
    """Wait to be encoded, or are being encoded now."""
