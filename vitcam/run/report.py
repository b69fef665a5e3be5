"""A state message for a household's system."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_SHOWN_ELSEWHERE = frozenset(
    ("status", "reason", "problem", "shown", "present", "controls", "presence", "fps")
)  # what households' systems show of it


@dataclass(frozen=True, slots=True)
class Report:
    """One state message."""

    record: Callable[[], Mapping[str, Any]]
    """Makes it, once it is sent: most are not."""
    key: str
    """Another one where something changed that people or rules look at."""
    offered: frozenset[str] = frozenset()
    """What of it entities of parts show."""

    def text_within(self, most_bytes: int) -> str:
        """As JSON. What is too large loses its largest parts, but never what households' systems show."""
        record = dict(self.record())
        while len((text := json.dumps(record, ensure_ascii=False)).encode()) > most_bytes:
            shown = _SHOWN_ELSEWHERE | self.offered
            sizes = {key: len(json.dumps(value)) for key, value in record.items() if key not in shown}
            if not sizes:
                break
            del record[max(sizes, key=lambda key: sizes[key])]
        return text
