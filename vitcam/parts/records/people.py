"""When people were there, so that no picture or film of that time is said to be for everybody."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from vitcam.history.export import pages
from vitcam.history.store import EventStore
from vitcam.history.stored import Query
from vitcam.parts.records.events import RecordedEvent
from vitcam.parts.records.taxa import Taxa

_AROUND_MS = 60_000
"""Before and after an event: a film shows more than its event, and somebody who leaves is there a moment longer."""


@dataclass(frozen=True, slots=True)
class PeopleTimes:
    """Of each camera the times at which its model may have seen a person, anywhere in the picture."""

    spans_ms: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """Begin and end in ms since 1970, in order; none touches another."""

    @classmethod
    def of(cls, store: EventStore, taxa: Taxa) -> Self:
        """Of the whole history. Raises VitcamError if it cannot be read."""
        found: dict[str, list[tuple[int, int]]] = {}
        for events in pages(store, Query()):
            for one in map(RecordedEvent, events):
                if one.event.kind != "problem" and taxa.may_show_person(one.event):
                    span = one.event.start_ms - _AROUND_MS, one.end_ms + _AROUND_MS
                    found.setdefault(one.event.camera, []).append(span)
        return cls({camera: _merged(spans) for camera, spans in found.items()})

    def overlap(self, one: RecordedEvent) -> bool:
        """Whether somebody may have been there during an event."""
        spans = self.spans_ms.get(one.event.camera, ())
        place = bisect_right(spans, one.end_ms, key=lambda span: span[0]) - 1
        return place >= 0 and spans[place][1] >= one.event.start_ms


def _merged(spans: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return tuple(merged)
