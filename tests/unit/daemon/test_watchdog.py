"""The watchdog is fed while something moves everywhere, and starved by exactly what a restart can mend."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vitcam.daemon.watchdog import CAPTURE_BOUND_NS, HUNG_AFTER_NS, may_feed
from vitcam.state import Heartbeats

NOW = 1_000_000_000_000
FRESH = Heartbeats(capture_ns=NOW, classifying_since_ns=NOW, publishing_since_ns=NOW, web_ns=NOW)
IDLE = Heartbeats(capture_ns=NOW, classifying_since_ns=None, publishing_since_ns=None, web_ns=None)
BOUNDS = {
    "capture_ns": CAPTURE_BOUND_NS,
    "classifying_since_ns": HUNG_AFTER_NS,
    "publishing_since_ns": HUNG_AFTER_NS,
    "web_ns": HUNG_AFTER_NS,
}
WORDS = {
    "capture_ns": "the source has neither given a frame nor been tried again for 60 s; 60 s are allowed",
    "classifying_since_ns": "the model has not answered for 10 s; 10 s are allowed",
    "publishing_since_ns": "the sinks have not taken a prediction for 10 s; 10 s are allowed",
    "web_ns": "the web server has not moved for 10 s; 10 s are allowed",
}


def with_times(times: Mapping[str, int | None]) -> Heartbeats:
    values: dict[str, Any] = dict(times)
    return replace(FRESH, **values)


def test_every_heart_that_is_a_time_has_a_bound_tested_here() -> None:
    assert {field.name for field in fields(Heartbeats)} == {*BOUNDS, "ended"}


@pytest.mark.parametrize("heartbeats", [FRESH, IDLE], ids=["busy", "idle"])
def test_the_watchdog_is_fed_while_everything_moves(heartbeats: Heartbeats) -> None:
    verdict = may_feed(NOW, heartbeats)

    assert verdict.feed
    assert verdict.reason == ""


@pytest.mark.parametrize("heart", BOUNDS)
def test_a_heart_exactly_at_its_bound_still_counts_as_alive(heart: str) -> None:
    heartbeats = with_times({heart: NOW - BOUNDS[heart]})

    assert may_feed(NOW, heartbeats).feed


@pytest.mark.parametrize("heart", BOUNDS)
def test_a_heart_beyond_its_bound_starves_the_watchdog_with_its_reason(heart: str) -> None:
    heartbeats = with_times({heart: NOW - BOUNDS[heart] - 1})

    verdict = may_feed(NOW, heartbeats)

    assert not verdict.feed
    assert verdict.reason == WORDS[heart]


@pytest.mark.parametrize("heart", BOUNDS)
def test_a_stage_that_has_nothing_to_do_can_never_be_late(heart: str) -> None:
    heartbeats = with_times({heart: None})

    assert may_feed(NOW, heartbeats).feed


def test_a_missing_camera_is_fed_for_as_long_as_it_is_tried_again() -> None:
    hour = 3_600_000_000_000
    attempts = range(NOW, NOW + hour, CAPTURE_BOUND_NS // 2)

    assert all(may_feed(now, replace(IDLE, capture_ns=now, web_ns=now)).feed for now in attempts)
    assert not may_feed(NOW + hour, replace(IDLE, capture_ns=NOW)).feed


@given(st.dictionaries(st.sampled_from(sorted(BOUNDS)), st.none() | st.integers(0, 2 * CAPTURE_BOUND_NS)))
def test_it_is_fed_exactly_when_no_heart_is_beyond_its_bound(ages: dict[str, int | None]) -> None:
    heartbeats = with_times({heart: None if age is None else NOW - age for heart, age in ages.items()})

    late = [heart for heart, age in ages.items() if age is not None and age > BOUNDS[heart]]
    verdict = may_feed(NOW, heartbeats)

    assert verdict.feed == (not late)
    assert bool(verdict.reason) == bool(late)


def test_a_stage_that_ended_before_the_run_is_named() -> None:
    verdict = may_feed(NOW, replace(FRESH, ended=("classify", "publish")))

    assert not verdict.feed
    assert verdict.reason == "ended before the run did: classify, publish"
