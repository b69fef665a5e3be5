"""An hour of weather and nothing else: following makes next to no event of it."""

import pytest

from tests.bench.wide_views.empty import Hour, watched
from tests.bench.wide_views.weather import WEATHERS

MOST_MORE = 1


@pytest.mark.slow(
    "vitcam/look", "vitcam/pipeline", "vitcam/events.py", "tests/bench/wide_views", "models/everyday.tflite"
)
@pytest.mark.parametrize("weather", WEATHERS)
def test_following_makes_at_most_one_event_an_hour_more_of_a_scene_in_which_nothing_happens(weather: str) -> None:
    hour = Hour("final", 900 + WEATHERS.index(weather), weather, minutes=60, fps=2)

    off, on = watched([hour], ("off", "on"), "everyday", workers=2)

    assert off.looks == on.looks
    assert len(on.events) - len(off.events) <= MOST_MORE, on.events
