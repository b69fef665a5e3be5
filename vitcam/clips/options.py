"""What clips show, and how large they may get."""

from dataclasses import dataclass

from vitcam.frames import Event

QUALITY = 75
"""Of the JPEGs in memory, 0 to 100."""
MOST_BYTES = 32 << 20
"""Of the pictures in memory; a minute of 640×360 px at 10 pictures/s takes 24 MB."""


@dataclass(frozen=True, slots=True)
class ClipOptions:
    """The settings of `[clips]`."""

    before_s: float = 5.0
    """How much a clip shows of the time before its event."""
    after_s: float = 5.0
    """The same after its event."""
    longest_s: float = 60.0
    """A clip that would be longer ends here."""
    labels: frozenset[str] = frozenset()
    """Events with one of these labels or groups get a clip; empty: all."""
    zones: frozenset[str] = frozenset()
    """Events in one of these zones get a clip; empty: all."""
    fps: float = 10.0
    """Pictures/s of a clip, and the most that are kept in memory."""
    width: int = 640
    """In px; a narrower picture is never enlarged."""

    def wants(self, event: Event) -> bool:
        """Whether this event gets a clip."""
        names = {event.label, event.group.name if event.group else event.label}
        in_zone = not self.zones or event.zone in self.zones
        return in_zone and (not self.labels or bool(self.labels & names))
