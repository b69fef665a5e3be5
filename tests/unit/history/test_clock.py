"""Times of events on a machine whose clock is set right later."""

import time

import pytest

from vitcam.history.witness import clock
from vitcam.history.witness.clock import WallClock

SECOND = 1_000_000_000


def test_a_moment_has_the_same_wall_time_whenever_it_is_asked_for() -> None:
    wall, moment = WallClock(), time.monotonic_ns()
    first = wall.ms(moment)

    assert wall.was_set_by() == 0
    assert wall.ms(moment) == first
    assert abs(first - time.time() * 1000) < 1000


def test_a_clock_that_was_set_says_by_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    wall, moment = WallClock(), time.monotonic_ns()
    before, since_epoch, booted = wall.ms(moment), clock._since_epoch, clock._booted
    monkeypatch.setattr(clock, "_since_epoch", lambda: since_epoch() + 3600 * SECOND)
    monkeypatch.setattr(clock, "_booted", lambda: booted() + 3600 * SECOND)

    assert abs(wall.was_set_by() - 3_600_000) < 100
    assert wall.was_set_by() == 0
    assert abs(wall.ms(moment) - before - 3_600_000) < 100


def test_a_machine_that_slept_does_not_move_what_it_saw_before(monkeypatch: pytest.MonkeyPatch) -> None:
    wall, since_epoch = WallClock(), clock._since_epoch
    monkeypatch.setattr(clock, "_since_epoch", lambda: since_epoch() + 3600 * SECOND)

    assert wall.was_set_by() == 0
    assert abs(wall.ms(time.monotonic_ns()) - time.time() * 1000 - 3_600_000) < 1000
