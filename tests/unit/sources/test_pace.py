"""Frames at their own pace."""

import threading
import time
from types import SimpleNamespace

import pytest

from vitcam.sources import playback as module
from vitcam.sources.playback import Pace


class Clock(threading.Event):
    """In place of the clock and of the wait for it: a wait takes as long as was asked, and no time of the test."""

    now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s

    def wait(self, timeout: float | None = None) -> bool:
        self.now_s += timeout or 0.0
        return False


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "threading", SimpleNamespace(Event=lambda: clock))
    return clock


def test_frames_come_as_far_apart_as_their_positions_say(clock: Clock) -> None:
    pace = Pace()
    pace.wait_for(5.0)
    started = clock.now_s
    pace.wait_for(5.1)
    pace.wait_for(5.3)

    assert clock.now_s - started == pytest.approx(0.3)


def test_a_slow_reader_is_not_made_slower(clock: Clock) -> None:
    pace = Pace()
    pace.wait_for(0.0)
    clock.now_s += 0.2
    started = clock.now_s
    pace.wait_for(0.1)
    at_once = clock.now_s - started
    pace.wait_for(0.3)

    assert at_once == 0
    assert clock.now_s - started == pytest.approx(0.1)  # it catches up


def test_after_a_pause_the_film_goes_on_instead_of_rushing(clock: Clock) -> None:
    pace = Pace()
    pace.wait_for(0.0)
    clock.now_s += 0.8
    pace.wait_for(0.1)
    started = clock.now_s
    pace.wait_for(0.4)

    assert clock.now_s - started == pytest.approx(0.3)


@pytest.mark.fault(
    "the time stamps of a video jump",
    injected="a time stamp that lies 30 years ahead",
    observed="the next frame comes without that wait",
)
def test_a_clock_that_jumps_ahead_stops_nothing(clock: Clock) -> None:
    pace = Pace()
    pace.wait_for(0.0)
    started = clock.now_s
    pace.wait_for(1e9)

    assert clock.now_s == started


def test_whoever_waits_is_woken_by_stop() -> None:
    pace = Pace()
    pace.wait_for(0.0)
    threading.Timer(0.1, pace.stop).start()
    started = time.monotonic()
    pace.wait_for(50.0)

    assert pace.stopped
    assert time.monotonic() - started < 10
