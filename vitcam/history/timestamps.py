"""Dates events by the best clock of this boot, and corrects what a worse one has dated."""

import logging
import sqlite3
from dataclasses import replace

from vitcam.history.clock import MachineClock
from vitcam.history.database.clocks import add_clock, clocks_of, fit_in, newest_trusted_ms, set_right
from vitcam.history.database.connections import transaction
from vitcam.history.record import time_text
from vitcam.history.stored import EventChange
from vitcam.history.trust import SAME_MS, KnownClock, Reading, Trust, judge

log = logging.getLogger(__name__)


class EventTimestamps:
    """Of one connection and one run; used by the thread that writes. `check_clock` comes first.

    Events get the time of the wall clock while it is trusted, and if no clock of this boot was ever trusted. Otherwise
    they get the time of the best earlier clock of this boot, whatever the wall clock says. Raises sqlite3.Error.
    """

    def __init__(self, connection: sqlite3.Connection, clock: MachineClock) -> None:
        self._connection = connection
        self._clock = clock
        self._newest_ms = self._trusted_ms = newest_trusted_ms(connection)
        self._known = clocks_of(connection, clock.boot)
        self._current: KnownClock | None = None
        self._wall = (clock.booted_ms(), clock.is_synchronised())
        self._since_ms = clock.up_ms()
        self._least_booted_ms = self._newest_ms - clock.up_ms() if self._newest_ms else clock.booted_ms()
        """The machine was surely not started earlier: the newest event came before this run."""
        self.doubt = ""
        """Why the wall clock is not believed, as a sentence; empty while it is."""

    @property
    def number(self) -> int | None:
        """Of the clock that dates events now."""
        return self._current and self._current.n

    @property
    def now_ms(self) -> int:
        """ms since the epoch, by the clock that dates events."""
        return (self._current.booted_ms if self._current else self._clock.booted_ms()) + self._clock.up_ms()

    @property
    def least_ms(self) -> int | None:
        """ms since the epoch: it is surely not earlier now. None: the clock is not believed."""
        return None if self.doubt else min(self.now_ms, self._least_booted_ms + self._clock.up_ms())

    def dated(self, change: EventChange) -> EventChange:
        """The change with times of the clock that dates events now."""
        if change.booted_ms is None or self._current is None:
            return change
        step_ms, event = self._current.booted_ms - change.booted_ms, change.event
        end_ms = None if event.end_ms is None else event.end_ms + step_ms
        return replace(change, event=replace(event, start_ms=event.start_ms + step_ms, end_ms=end_ms))

    def check_clock(self) -> None:
        """Compare the wall clock with the known clocks. Times of stored events may change."""
        reading = self._read()
        trust, why = judge(reading, self._known, self._newest_ms, self._trusted_ms)
        self._adopt(reading, trust)
        if trust:
            self._trusted_ms = reading.now_ms
        if trust is Trust.SYNCHRONISED or (trust and reading.is_steady):
            self._least_booted_ms = reading.booted_ms
        self._set_doubt(_doubt(reading, why) if why else "")

    def _read(self) -> Reading:
        booted_ms, up_ms, synchronised = self._clock.booted_ms(), self._clock.up_ms(), self._clock.is_synchronised()
        if abs(booted_ms - self._wall[0]) > SAME_MS or synchronised != self._wall[1]:
            self._wall, self._since_ms = (booted_ms, synchronised), up_ms
        return Reading(booted_ms, up_ms, synchronised, up_ms - self._since_ms)

    def _adopt(self, reading: Reading, trust: Trust) -> None:
        """Let the wall clock date events if it may, and correct the times that worse clocks gave."""
        current = self._current
        wrong = [each for each in self._known if self._is_worse(each, trust)]
        if current and current.says(reading.booted_ms) and current.trust >= trust and not wrong:
            return
        best = max(self._known, key=lambda each: (each.trust, each.n), default=None)
        if trust is Trust.NONE and best is not None and best.trust:
            self._current = best
            return
        with transaction(self._connection) as connection:
            events = sum(set_right(connection, each, _right(each, reading.booted_ms), trust) for each in wrong)
            known = clocks_of(connection, self._clock.boot)
            same = [each for each in known if each.says(reading.booted_ms)]
            number = same[-1].n if same else add_clock(connection, self._clock.boot, reading.booted_ms, trust)
            if trust:
                fit_in(connection, self._clock.boot, trust, reading.now_ms)
            known = clocks_of(connection, self._clock.boot)
        self._known = known
        self._current = next(each for each in known if each.n == number)
        if events:
            log.info("the clock was set: the times of %d events were corrected", events)

    def _is_worse(self, other: KnownClock, trust: Trust) -> bool:
        """Whether a clock of this boot is set right by a wall clock of this trust.

        A clock with equal trust is kept, because nobody can know which one was right. There are two exceptions: both
        come from a time server, or this run saw the clock being changed.
        """
        if other.trust is not trust:
            return other.trust < trust
        seen = self._current is not None and other.n == self._current.n
        return not other.says(self._wall[0]) and (seen or trust is not Trust.PLAUSIBLE)

    def _set_doubt(self, doubt: str) -> None:
        """Log a doubt once, and once that it is over."""
        if doubt and not self.doubt:
            log.warning("%s", doubt)
        elif self.doubt and not doubt:
            log.info("the clock of this machine is believed again")
        self.doubt = doubt


def _right(clock: KnownClock, booted_ms: int) -> int:
    """What it should have said. One that differs by a trifle stays, so that its events are not written again."""
    return clock.booted_ms if clock.says(booted_ms) else booted_ms


def _doubt(reading: Reading, why: str) -> str:
    ends = "the time server has said so for an hour" if reading.synchronised else "a time server confirms it"
    day = time_text(reading.now_ms)[:10]
    return (
        f"The clock of this machine says {day}, {why}. No event is deleted because of its age until {ends}, or "
        "somebody sets the clock right."
    )
