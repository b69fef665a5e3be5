"""Times of moments that are known in monotonic time, and what the machine says of its clocks."""

import time

import pytest

from vitcam.history import clock
from vitcam.history.clock import MachineClock, RunTimes

HOUR_NS = 3600 * 1_000_000_000


def test_a_moment_has_the_same_wall_time_whenever_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    times, moment = RunTimes(), time.monotonic_ns()
    first, now = times.ms(moment), time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: now() + HOUR_NS)

    assert times.ms(moment) == first
    assert abs(first - now() / 1e6) < 1000


def test_a_machine_that_slept_dates_what_it_sees_then_by_the_time_after_its_sleep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times, asleep_ns = RunTimes(), clock._asleep_ns
    monkeypatch.setattr(clock, "_asleep_ns", lambda: asleep_ns() + HOUR_NS)

    assert abs(times.ms(time.monotonic_ns()) - time.time() * 1000 - 3_600_000) < 1000


def test_two_runs_between_two_starts_of_the_machine_have_the_same_boot() -> None:
    one, other = MachineClock(), MachineClock()

    assert one.boot == other.boot
    assert abs(one.booted_ms() + one.up_ms() - time.time() * 1000) < 1000


@pytest.mark.parametrize(
    ("error_us", "file", "said"), [(0, False, True), (16_000_000, True, False), (None, True, True)]
)
def test_the_kernel_is_believed_before_the_file_of_systemd(
    error_us: int | None,
    file: bool,
    said: bool,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = tmp_path_factory.mktemp("timesync") / "synchronized"
    if file:
        written.touch()
    monkeypatch.setattr(clock, "_SYNCHRONISED", written)
    monkeypatch.setattr(clock, "_kernels_error_us", lambda: error_us)

    assert MachineClock().is_synchronised() is said


def test_the_kernel_says_how_wrong_the_clock_may_be() -> None:
    error_us = clock._kernels_error_us()

    assert error_us is None or 0 <= error_us <= 16_000_000
