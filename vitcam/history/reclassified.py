"""What the picture of an event shows as it is kept: a JPEG is not the frame that it was made of."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from vitcam.history.stored import EventChange, FrameSummary, StoredEvent

Reclassify: TypeAlias = Callable[[bytes, StoredEvent], FrameSummary]
"""What an encoded picture shows, given what its frame showed, which is the summary of the event."""


def keep_summary(_: bytes, event: StoredEvent) -> FrameSummary:
    """A `Reclassify` that takes the picture for its frame."""
    return event.summary


def reclassified(change: EventChange, reclassify: Reclassify) -> EventChange:
    """A change with what its picture shows; of a box, what the picture of the box shows."""
    event, summary = change.event, change.event.summary
    if change.jpeg is None:
        return change
    if change.detail is None or summary.detail is None:
        return replace(change, event=replace(event, summary=reclassify(change.jpeg, event)))
    found = reclassify(change.detail, replace(event, summary=summary.of_detail))
    found = replace(found, size=summary.size, crop=summary.crop, detail=summary.detail)
    return replace(change, event=replace(event, summary=found))
