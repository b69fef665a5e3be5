import pytest

from vitcam import meters
from vitcam.meters import LatencyMeter, RateMeter


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(meters, "time", clock)
    return clock


def tick_for(clock: Clock, meter: RateMeter, ticks: int, every_s: float) -> None:
    for _ in range(ticks):
        clock.now += every_s
        meter.tick()


def test_a_stall_shows_as_zero_and_not_as_the_last_rate(clock: Clock) -> None:
    meter = RateMeter()
    tick_for(clock, meter, 100, 1 / 30)
    clock.now += 1.1

    assert meter.per_second() == 0


def test_a_rate_slower_than_the_window_is_still_shown(clock: Clock) -> None:
    meter = RateMeter()
    tick_for(clock, meter, 3, 4.0)

    assert meter.per_second() == pytest.approx(0.25)


def test_a_rate_after_a_pause_is_that_of_the_new_ticks(clock: Clock) -> None:
    meter = RateMeter()
    tick_for(clock, meter, 50, 0.1)
    clock.now += 60
    tick_for(clock, meter, 21, 0.05)

    assert meter.per_second() == pytest.approx(20)


def test_percentiles_of_nothing_are_none_and_old_values_are_forgotten() -> None:
    meter = LatencyMeter()
    assert meter.percentiles() is None
    for _ in range(300):
        meter.add(1000.0)
    for _ in range(300):
        meter.add(5.0)
    found = meter.percentiles()

    assert found is not None
    assert (found.p50, found.p99) == (5.0, 5.0)
