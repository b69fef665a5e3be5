"""What is kept for how long: age and room. The oldest go first, favourites stay."""

import math
import sqlite3
from dataclasses import dataclass

from vitcam.history.database.totals import Totals

_DAY_MS = 86_400_000
_AT_ONCE = 200  # events of one transaction: what waits to be written waits some hundredths of a second for it
_ROW_BYTES = 1000  # the database's own part of an event, guessed
_FEW = 10


@dataclass(frozen=True, slots=True)
class RetentionRules:
    """0: no limit."""

    keep_days: float = 0.0
    max_mb: float = 0.0


def most_in_an_hour(rules: RetentionRules, events: int) -> int:
    """How many events may be deleted within an hour because of their age, of so many that there are.

    A clock that is wrong although it is believed can then do no more until somebody sees it. What really is too old has
    gone after a day at most.
    """
    share = max(1 / 24, min(1.0, 2 / (24 * rules.keep_days))) if rules.keep_days else 0.0
    return max(_FEW, math.ceil(events * share))


def too_old(connection: sqlite3.Connection, rules: RetentionRules, now_ms: int, most: int) -> list[int]:
    """The rows of some events that are too old, `most` of them at most."""
    if not rules.keep_days:
        return []
    found = connection.execute(
        """SELECT n FROM events INDEXED BY events_by_time WHERE favourite = 0 AND start_ms < ?
        ORDER BY start_ms, n LIMIT ?""",
        (now_ms - int(rules.keep_days * _DAY_MS), min(most, _AT_ONCE)),
    )
    return [n for (n,) in found]


def without_room(connection: sqlite3.Connection, rules: RetentionRules, kept: Totals) -> list[int]:
    """The rows of some events for which there is no room: those that were recorded first, whatever time they have."""
    excess = kept.bytes - rules.max_mb * 1e6 if rules.max_mb else 0.0
    if excess <= 0:
        return []
    oldest = connection.execute(
        "SELECT n, frame_bytes + clip_bytes + ? FROM events WHERE favourite = 0 ORDER BY n LIMIT ?",
        (_ROW_BYTES, _AT_ONCE),
    )
    chosen = []
    for n, size in oldest:
        if excess <= 0:
            break
        chosen.append(n)
        excess -= size
    return chosen
