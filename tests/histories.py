"""Stored events for tests."""

from contextlib import closing
from pathlib import Path
from typing import Any, Literal

from vitcam.frames import Guess
from vitcam.history.database.connections import open_to_read
from vitcam.history.stored import EventChange, FrameSummary, StoredEvent
from vitcam.rects import Rect

START_MS = 1_767_225_600_000  # 2026-01-01, 00:00 UTC
SUMMARY = FrameSummary((Guess("cup", 0.9), Guess("bowl", 0.05)), (128, 72), Rect(28, 0, 72, 72))


def stored(event_id: str, label: str = "cup", **fields: Any) -> StoredEvent:
    """An event of one second that began with the year 2026."""
    usual: dict[str, Any] = {
        "kind": "seen",
        "zone": None,
        "camera": "test",
        "start_ms": START_MS,
        "end_ms": None,
        "p": 0.9,
        "peak": 0.95,
        "model": "toy",
        "fingerprint": "abc",
        "summary": SUMMARY,
    }
    return StoredEvent(id=event_id, label=label, **usual | fields)


def change(
    event_id: str,
    phase: Literal["new", "update", "end"],
    label: str = "cup",
    jpeg: bytes | None = None,
    booted_ms: int | None = None,
    **fields: Any,
) -> EventChange:
    """A change of such an event."""
    ends = {"end_ms": START_MS + 1000} if phase == "end" else {}
    return EventChange(stored(event_id, label, **ends | fields), phase, jpeg, booted_ms)


def is_sound(folder: Path) -> bool:
    """Whether the whole file passes SQLite's own check."""
    with closing(open_to_read(folder)) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",))
