"""The governor of heat against a simulated Raspberry Pi 5, in simulated time."""

from dataclasses import replace

import pytest

from tests.parts.heat.governed import RULES, governed
from tests.thermal import CASE, COOLER, FULL_W, LIMIT, NONE, Cooling, SimulatedPi, best_constant_fps, highest_steady
from vitcam.parts.heat.governor import GovernorState, HeatReading, step

AMBIENTS = (20, 25, 30, 35, 40, 45)
COOLINGS = (NONE, CASE, COOLER)

every_cooling = pytest.mark.parametrize("cooling", COOLINGS, ids=lambda cooling: cooling.name)
every_ambient = pytest.mark.parametrize("ambient", AMBIENTS)


@every_ambient
@every_cooling
def test_the_firmware_never_throttles_and_nine_tenths_of_the_best_constant_rate_are_kept(
    cooling: Cooling, ambient: int
) -> None:
    best = best_constant_fps(cooling, ambient)

    for seed in (1, 2):
        run = governed(SimulatedPi(cooling, ambient, seed), hours=2)

        assert run.slowed_s == []
        assert run.fps >= 0.9 * best
        assert run.most_steps_in_an_hour() <= 40


def test_the_model_gets_as_hot_as_the_raspberry_pi_documentation_says() -> None:
    idle = {cooling.name: SimulatedPi(cooling, 22).die for cooling in COOLINGS}
    loaded = {cooling.name: highest_steady(cooling, 22, FULL_W) for cooling in COOLINGS}

    assert idle["Active Cooler"] == pytest.approx(45, abs=2)
    assert idle["case with fan"] == pytest.approx(48, abs=2)
    assert loaded["Active Cooler"] == pytest.approx(61, abs=2)
    assert loaded["case with fan"] == pytest.approx(74, abs=2)
    assert loaded["no cooler"] > 85


@every_cooling
def test_a_room_that_gets_hotter_and_cooler_by_two_kelvin_a_minute_is_followed(cooling: Cooling) -> None:
    ambients = (20, 30, 40, 30, 20)

    def change(pi: SimulatedPi, second: int) -> None:
        pi.ambient += max(-1 / 30, min(1 / 30, ambients[second // 3600] - pi.ambient))

    run = governed(SimulatedPi(cooling, ambients[0]), hours=5, each_second=change)

    assert len(run.slowed_s) <= 6  # of 18,000 s; the sensor's noise touches the limit while the room gets hotter
    assert run.fps >= 0.9 * sum(best_constant_fps(cooling, ambient) for ambient in ambients) / 5
    assert run.most_steps_in_an_hour() <= 40


def test_a_room_that_is_ten_kelvin_hotter_at_once_makes_the_firmware_throttle_for_seconds_only() -> None:
    def change(pi: SimulatedPi, second: int) -> None:
        pi.ambient = 25 if second < 3600 else 35

    run = governed(SimulatedPi(NONE, 25), hours=2, each_second=change)

    assert len(run.slowed_s) <= 15
    assert max(run.slowed_s, default=0) < 3600 + 120


def test_a_processor_that_is_throttled_at_the_start_is_cooled_down_and_then_used_again() -> None:
    pi = SimulatedPi(NONE, 35)
    for _ in range(1800):
        pi.run(FULL_W)
    pi.slowed = True
    hot = pi.die

    run = governed(pi, hours=2)

    assert hot > 85
    assert max(run.slowed_s) < 600
    assert run.fps >= 0.8 * best_constant_fps(NONE, 35)


@pytest.mark.parametrize("nonsense", [None, -274.0, 0.0, 300.0, float("nan")])
def test_a_sensor_that_disappears_or_says_nonsense_leaves_the_limits_as_they_are(nonsense: float | None) -> None:
    state = governed(SimulatedPi(NONE, 40), hours=0.5).state
    before = (state.max_fps, state.threads)

    for second in range(2000, 5600, 2):
        state = step(RULES, state, HeatReading(float(second), nonsense, False, 10.0, 60.0))
        state = replace(state, doubted=None) if second % 4 else state  # nor does a mix of both

    assert before[0] > 0
    assert (state.max_fps, state.threads) == before


def test_single_wild_readings_change_nothing_and_a_sensor_that_returns_is_believed() -> None:
    def broken(second: int, celsius: float) -> float | None:
        if second % 60 == 0:
            return 25.0 if second % 120 else 110.0
        return None if 3000 <= second < 4000 else celsius

    run = governed(SimulatedPi(NONE, 40), hours=2, sensor=broken)

    assert run.slowed_s == []
    assert run.fps >= 0.9 * best_constant_fps(NONE, 40)


def test_a_firmware_that_throttles_earlier_teaches_the_governor_where() -> None:
    class EarlyPi(SimulatedPi):
        """A Raspberry Pi 3B+ has a soft limit of 60 °C."""

        limit = 60.0

    run = governed(EarlyPi(NONE, 25), hours=2)

    late = [at for at in run.slowed_s if at > 1200]
    assert run.slowed_s
    assert len(late) < 60
    assert run.state.limit_celsius == pytest.approx(60, abs=1.5)


def test_fewer_threads_are_used_only_while_they_reach_the_limited_rate() -> None:
    hot = governed(SimulatedPi(NONE, 45), hours=1).state
    warm = governed(SimulatedPi(NONE, 20), hours=1).state

    assert hot.threads == 1
    assert warm.threads in (0, 2)


def test_a_peak_of_the_rate_is_forgotten_so_that_a_limit_means_something() -> None:
    state = step(RULES, GovernorState(), HeatReading(2.0, 50.0, False, 400.0, 20.0))
    for second in range(4, 1800, 2):
        state = step(RULES, state, HeatReading(float(second), 50.0, False, 30.0, 20.0))

    assert state.full_fps == pytest.approx(30, abs=2)


def test_the_rate_never_falls_below_one_frame_a_second() -> None:
    state = GovernorState()
    for second in range(0, 600, 2):
        state = step(RULES, state, HeatReading(float(second), LIMIT + 20, True, state.max_fps or 30.0, 24.0))

    assert state.max_fps == 1.0
