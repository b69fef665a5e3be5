"""Whether labels that are asked for are known to the model: one with a typing error would never begin an event."""

import difflib
from collections.abc import Collection, Iterable

from vitcam.frames import UNKNOWN
from vitcam.zones.areas import Areas

_LONGEST_QUOTE = 40


def watched_by_zones(areas: Areas) -> list[tuple[str, str]]:
    """Each label that a zone watches, and who asks for it."""
    return [(label, f"the zone {zone.name} watches") for zone in areas.zones for label in zone.labels]


def unknown_labels(asked_for: Iterable[tuple[str, str]], known: Collection[str]) -> list[str]:
    """A sentence for each label that somebody asks for and that is not known.

    asked_for  labels, and who asks for each: `("cat", "the zone door watches")`
    known      the labels of the model and the names of its groups
    """
    return [
        f"the model knows no label or group {_quoted(label)}, which {who}; {_hint(label, known)}"
        for label, who in asked_for
        if label not in known and label != UNKNOWN
    ]


def _hint(label: str, known: Collection[str]) -> str:
    """What may be meant: the same word in other case, before any other that looks like it."""
    by_case = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(label.casefold(), by_case, n=1)
    return f"did you mean {by_case[near[0]]!r}?" if near else "`vitcam models show NAME` lists what it knows"


def _quoted(label: str) -> str:
    return repr(label if len(label) <= _LONGEST_QUOTE else f"{label[:_LONGEST_QUOTE]}…")
