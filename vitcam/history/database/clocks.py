"""The clocks that dated events. Each function works within the caller's transaction.

An event has the number of the clock that dated it: that clock's `boot` and `booted_ms`, and the event's own time, say
when it was in ms since that boot. So all events of a clock get right times at once when that clock is set right.
"""

import sqlite3

from vitcam.history.trust import KnownClock, Trust

_NO_END = 2**62


def clocks_of(connection: sqlite3.Connection, boot: str) -> tuple[KnownClock, ...]:
    """Those of one boot, the newest last."""
    found = connection.execute("SELECT n, booted_ms, trust, first FROM clocks WHERE boot = ? ORDER BY n", (boot,))
    return tuple(KnownClock(n, booted_ms, Trust(trust), first) for n, booted_ms, trust, first in found)


def add_clock(connection: sqlite3.Connection, boot: str, booted_ms: int, trust: Trust) -> int:
    """Its number."""
    cursor = connection.execute(
        """INSERT INTO clocks (boot, booted_ms, trust, first)
        VALUES (?, ?, ?, (SELECT coalesce(max(n), 0) + 1 FROM events))""",
        (boot, booted_ms, trust),
    )
    return int(cursor.lastrowid or 0)


def set_right(connection: sqlite3.Connection, clock: KnownClock, booted_ms: int, trust: Trust) -> int:
    """Correct a clock, and the times of its events. Returns how many events it has."""
    step = {"step": booted_ms - clock.booted_ms, "n": clock.n, "first": clock.first}
    moved = ", ".join(f"{column} = {column} + :step" for column in ("start_ms", "end_ms", "seen_ms"))
    events = 0
    if step["step"]:
        events = connection.execute(f"UPDATE events SET {moved} WHERE clock = :n AND n >= :first", step).rowcount  # noqa: S608
    connection.execute("UPDATE clocks SET booted_ms = ?, trust = ? WHERE n = ?", (booted_ms, trust, clock.n))
    return events


def newest_trusted_ms(connection: sqlite3.Connection) -> int | None:
    """When the newest event was seen that a believed clock has dated; None: there is none. Before clocks were kept,
    every one was believed."""
    found = connection.execute(
        """SELECT max(events.start_ms, events.seen_ms) FROM events LEFT JOIN clocks ON clocks.n = events.clock
        WHERE coalesce(clocks.trust, ?) > ? ORDER BY events.n DESC LIMIT 1""",
        (Trust.PLAUSIBLE, Trust.NONE),
    ).fetchone()
    return None if found is None else int(found[0])


def fit_in(connection: sqlite3.Connection, boot: str, trust: Trust, now_ms: int) -> None:
    """Settle the times of events of earlier boots whose clock was believed less: they came after what was recorded
    before them, and before what was recorded after them.

    Where their times say something else, such a boot ended before anybody set its clock. Its events become as new as
    they can be, so that none is deleted early: the last one ended when the next boot began.
    """
    boots = connection.execute(
        "SELECT boot FROM clocks WHERE trust < ? AND boot != ? GROUP BY boot ORDER BY max(n) DESC", (trust, boot)
    ).fetchall()
    for (each,) in boots:
        _fit(connection, clocks_of(connection, each), each, trust, now_ms)


def _fit(connection: sqlite3.Connection, clocks: tuple[KnownClock, ...], boot: str, trust: Trust, now_ms: int) -> None:
    best = max(clocks, key=lambda clock: (clock.trust, clock.n))
    for clock in clocks:
        set_right(connection, clock, best.booted_ms, max(trust, best.trust))
    if best.trust >= trust:
        return
    after_ms, end = connection.execute(
        "SELECT min(booted_ms), min(first) FROM clocks WHERE n > ? AND trust >= ? AND boot != ?",
        (clocks[-1].n, trust, boot),
    ).fetchone()
    first, end = min(clock.first for clock in clocks), _NO_END if end is None else end
    first_ms, last_ms = connection.execute(
        "SELECT min(start_ms), max(max(start_ms, coalesce(end_ms, 0))) FROM events WHERE n >= ? AND n < ?", (first, end)
    ).fetchone()
    (before_ms,) = connection.execute(
        "SELECT coalesce((SELECT start_ms FROM events WHERE n < ? ORDER BY n DESC LIMIT 1), 0)", (first,)
    ).fetchone()
    after_ms = now_ms if after_ms is None else after_ms
    if first_ms is not None and not before_ms <= first_ms <= last_ms < after_ms:
        for clock in clocks_of(connection, boot):
            set_right(connection, clock, clock.booted_ms + after_ms - 1 - last_ms, clock.trust)
