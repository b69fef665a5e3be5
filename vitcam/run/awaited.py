"""What somebody waits for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Awaited:
    """A label or a group, in a zone or anywhere."""

    label: str
    """Empty: any."""
    zone: str
    """Empty: any, and the whole view."""
    who: str
    """Who waits for it, as the end of a sentence: `the rule lamp is for`."""
