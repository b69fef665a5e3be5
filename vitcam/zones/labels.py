"""Whether the labels that zones watch are known to the model: one with a typing error would never begin an event."""

import difflib
from collections.abc import Collection

from vitcam.frames import UNKNOWN
from vitcam.zones.areas import Areas

_LONGEST_QUOTE = 40


def unknown_labels(areas: Areas, known: Collection[str]) -> list[str]:
    """A sentence for each label that a zone watches and that is not known.

    known  the labels of the model and the names of its groups
    """
    return [
        f"the model knows no label or group {_quoted(label)}, which the zone {zone.name} watches; {_hint(label, known)}"
        for zone in areas.zones
        for label in zone.labels
        if label not in known and label != UNKNOWN
    ]


def _hint(label: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(label, known, n=1)
    return f"did you mean {near[0]!r}?" if near else "`vitcam models show` lists what it knows"


def _quoted(label: str) -> str:
    return repr(label if len(label) <= _LONGEST_QUOTE else f"{label[:_LONGEST_QUOTE]}…")
