"""Settings that earlier versions had. What is given for one is left out with a warning, and never an error.

A rule that has nothing else to do stays, so that its trouble is shown wherever rules are; it never acts.
"""

from collections.abc import Mapping
from types import MappingProxyType

from vitcam.parts import PARTS

REMOVED: Mapping[str, str] = MappingProxyType(
    {
        "store.written_mb": (
            "each event keeps a picture of its own; store.keep_days and store.max_mb say how many events are kept"
        ),
        **{name: remedy for part in PARTS for name, remedy in part.removed.items()},
    }
)
"""`section.key` -> what to do instead, as the end of a sentence."""


def removal_of(name: str) -> str:
    """What is said of such a setting wherever somebody gives it; empty for any other name."""
    return f"{name} is not a setting any more, so it has no effect: {REMOVED[name]}" if name in REMOVED else ""
