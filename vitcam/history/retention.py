"""What is kept for how long: age and room. The oldest go first, favourites stay."""

import sqlite3
from dataclasses import dataclass

from vitcam.history.database.totals import Totals

_DAY_MS = 86_400_000
_AT_ONCE = 200  # events of one transaction: what waits to be written waits some hundredths of a second for it


@dataclass(frozen=True, slots=True)
class RetentionRules:
    """0: no limit."""

    keep_days: float = 0.0
    max_mb: float = 0.0


def overdue(connection: sqlite3.Connection, rules: RetentionRules, kept: Totals, now_ms: int) -> list[int]:
    """The rows of some events that are too old, or for which there is no room; none if all may stay."""
    if rules.keep_days:
        too_old = _oldest(connection, now_ms - int(rules.keep_days * _DAY_MS))
        if too_old:
            return [n for n, _ in too_old]
    excess = kept.bytes - rules.max_mb * 1e6 if rules.max_mb else 0.0
    chosen = []
    for n, size in _oldest(connection, None) if excess > 0 else ():
        if excess <= 0:
            break
        chosen.append(n)
        excess -= size
    return chosen


def _oldest(connection: sqlite3.Connection, before_ms: int | None) -> list[tuple[int, int]]:
    """Number and bytes of the oldest events without the favourites; the database's own part of each is guessed."""
    return connection.execute(
        """SELECT n, frame_bytes + clip_bytes + 1000 FROM events INDEXED BY events_by_time
        WHERE favourite = 0 AND start_ms < ? ORDER BY start_ms, n LIMIT ?""",
        (2**62 if before_ms is None else before_ms, _AT_ONCE),
    ).fetchall()
