"""Frames at their own pace."""

import threading
import time

import pytest

from vitcam.sources.files.pace import Pace

SLACK_S = 0.15  # a loaded machine


def test_frames_come_as_far_apart_as_their_positions_say() -> None:
    pace = Pace()
    pace.wait_for(5.0)
    started = time.monotonic()
    pace.wait_for(5.1)
    pace.wait_for(5.3)

    assert 0.29 < time.monotonic() - started < 0.3 + SLACK_S


def test_a_slow_reader_is_not_made_slower() -> None:
    pace = Pace()
    pace.wait_for(0.0)
    time.sleep(0.2)
    started = time.monotonic()
    pace.wait_for(0.1)

    assert time.monotonic() - started < SLACK_S


def test_after_a_pause_the_film_goes_on_instead_of_rushing() -> None:
    pace = Pace()
    pace.wait_for(0.0)
    time.sleep(0.8)
    pace.wait_for(0.1)
    started = time.monotonic()
    pace.wait_for(0.4)

    assert 0.29 < time.monotonic() - started < 0.3 + SLACK_S


@pytest.mark.fault(
    "the time stamps of a video jump",
    injected="a time stamp that lies 30 years ahead",
    observed="the next frame comes without that wait",
)
def test_a_clock_that_jumps_ahead_stops_nothing() -> None:
    pace = Pace()
    pace.wait_for(0.0)
    started = time.monotonic()
    pace.wait_for(1e9)

    assert time.monotonic() - started < SLACK_S


def test_whoever_waits_is_woken_by_stop() -> None:
    pace = Pace()
    pace.wait_for(0.0)
    threading.Timer(0.1, pace.stop).start()
    started = time.monotonic()
    pace.wait_for(50.0)

    assert pace.stopped
    assert time.monotonic() - started < 0.1 + 4 * SLACK_S
