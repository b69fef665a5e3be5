"""Rules fire at the right events, at the right time, once."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.frames import SECOND
from vitcam.config.rules import EventRule
from vitcam.frames import Event, Group
from vitcam.names.vocabulary import Meaning
from vitcam.rules import Instant, RuleState, fits, step

MEANINGS = {
    "tabby": Meaning(frozenset({"tabby", "tabby cat"}), frozenset({"cat", "animal"})),
    "cat": Meaning(frozenset({"cat"}), frozenset({"animal"})),
    "beagle": Meaning(groups=frozenset({"dog", "animal"})),
}
NOON = datetime(2026, 6, 1, 12, 0)
BERLIN = ZoneInfo("Europe/Berlin")


def cat(phase: str = "new", p: float = 0.9, id_: str = "1", start_s: float = 0.0, end_s: float | None = None) -> Event:
    end_ns = None if end_s is None else round(end_s * SECOND)
    return Event(id_, phase, "tabby", p, round(start_s * SECOND), end_ns, "test")  # type: ignore[arg-type]


def fired(
    *rules: EventRule, reports: Iterable[tuple[float, Event | None]], wall: datetime = NOON
) -> list[tuple[float, str, str]]:
    """Time in s, rule and event of every firing. reports: time in s and event, or None for a tick."""
    state = RuleState()
    found = []
    for at_s, event in reports:
        moment = Instant.at(round(at_s * SECOND), wall + timedelta(seconds=at_s))
        state, firings = step(rules, MEANINGS, state, moment, event)
        found += [(at_s, firing.rule.name, firing.event.id) for firing in firings]
    return found


@pytest.mark.parametrize(
    ("label", "zone", "expected"),
    [
        ("", "", True),
        ("tabby", "", True),
        ("cat", "", True),
        ("animal", "door", True),
        ("Tabby", "", True),
        ("TABBY  Cat", "", True),
        ("Animal", "", True),
        ("dog", "", False),
        ("", "feeder", False),
    ],
)
def test_a_rule_fits_label_group_and_zone_of_an_event(label: str, zone: str, expected: bool) -> None:
    assert fits(EventRule(label=label, zone=zone), MEANINGS, replace(cat(), zone="door")) is expected


@pytest.mark.parametrize(
    ("not_labels", "expected"), [(("Tabby Cat",), False), (("dog", "cat"), False), (("dog",), True)]
)
def test_a_rule_leaves_out_what_the_best_guess_is(not_labels: tuple[str, ...], expected: bool) -> None:
    rule = EventRule(label="animal", not_labels=not_labels)

    assert fits(rule, MEANINGS, cat()) is expected
    assert fits(rule, MEANINGS, replace(cat(p=0.4), group=Group("animal", 0.9))) is expected


def test_a_rule_for_problems_of_the_camera_fires_at_those_only() -> None:
    covered = replace(cat(id_="2"), label="covered", kind="problem")
    rules = EventRule("seen"), EventRule("any", kind="problem"), EventRule("moved", kind="problem", label="moved")

    assert fired(*rules, reports=[(1, cat()), (2, covered), (3, None)]) == [(1, "seen", "1"), (2, "any", "2")]


def test_a_rule_for_what_the_model_does_not_know_fires_at_that_only() -> None:
    strange = replace(cat(id_="2"), label="unknown", kind="unknown")
    rules = EventRule("any"), EventRule("label", label="unknown"), EventRule("kind", kind="unknown")

    assert fired(*rules, reports=[(1, cat())]) == [(1, "any", "1")]
    assert fired(*rules, reports=[(1, strange)]) == [(1, "label", "2"), (1, "kind", "2")]


def test_a_rule_fires_once_at_an_event_however_often_that_is_reported() -> None:
    rule = EventRule("a", label="cat")
    reports = [(1, cat()), (2, None), (6, cat("update")), (9, cat("end", end_s=9)), (12, cat(id_="2", start_s=12))]

    assert fired(rule, reports=reports) == [(1, "a", "1"), (12, "a", "2")]


def test_a_probability_counts_from_the_report_in_which_it_is_reached() -> None:
    rule = EventRule("a", label="tabby", above=0.8)
    low, high = cat(p=0.6), cat("update", p=0.85)

    assert fired(rule, reports=[(1, low), (2, None), (6, high)]) == [(6, "a", "1")]
    assert fired(rule, reports=[(1, low), (3, cat("end", p=0.85, end_s=3))]) == [(3, "a", "1")]


def test_a_rule_means_what_is_displayed_and_not_a_guess_within_it() -> None:
    unsure = replace(cat(p=0.4), group=Group("cat", 0.9))
    vague = replace(unsure, group=Group("animal", 0.9))
    rules = [EventRule(name, label=name) for name in ("tabby", "cat", "animal")]
    above = [replace(rule, above=0.8) for rule in rules]

    for asked in (rules, above):
        assert [name for _, name, _ in fired(*asked, reports=[(1, unsure)])] == ["cat", "animal"]
        assert [name for _, name, _ in fired(*asked, reports=[(1, vague)])] == ["animal"]


def test_a_rule_for_a_label_fires_once_the_event_is_refined_to_it() -> None:
    unsure = replace(cat(p=0.4), group=Group("cat", 0.9))
    rule = EventRule("a", label="tabby")

    assert fired(rule, reports=[(1, unsure), (3, replace(cat("update", p=0.7)))]) == [(3, "a", "1")]


def test_for_s_fires_at_the_tick_at_which_the_event_has_lasted_so_long() -> None:
    rule = EventRule("a", for_s=5)
    ticks = [(float(at), None) for at in range(2, 9)]

    assert fired(rule, reports=[(1, cat(start_s=0.5)), *ticks]) == [(6.0, "a", "1")]
    assert fired(rule, reports=[(1, cat(start_s=0.5)), (4, cat("end", start_s=0.5, end_s=4))]) == []


def test_a_rule_of_the_end_fires_then_if_the_whole_event_was_long_enough() -> None:
    rule = EventRule("a", phase="end", for_s=5)
    short, long = cat("end", end_s=4), cat("end", end_s=6)

    assert fired(rule, reports=[(1, cat()), (4, short)]) == []
    assert fired(rule, reports=[(1, cat()), *[(float(at), None) for at in range(2, 6)], (6, long)]) == [(6, "a", "1")]


def test_a_cooldown_holds_back_its_own_rule_and_an_event_that_outlasts_it_fires_then() -> None:
    rules = EventRule("a", cooldown_s=10), EventRule("b")
    reports = [(1, cat()), (2, cat("end", end_s=2)), (5, cat(id_="2", start_s=5)), (10, None), (11, None)]

    assert fired(*rules, reports=reports) == [(1, "a", "1"), (1, "b", "1"), (5, "b", "2"), (11, "a", "2")]


@pytest.mark.parametrize(
    ("between", "hour", "minute", "expected"),
    [
        ("22:00-06:00", 21, 59, False),
        ("22:00-06:00", 22, 0, True),
        ("22:00-06:00", 0, 0, True),
        ("22:00-06:00", 5, 59, True),
        ("22:00-06:00", 6, 0, False),
        ("09:00-17:00", 9, 0, True),
        ("09:00-17:00", 17, 0, False),
        ("23:00-0:00", 23, 59, True),
        ("23:00-0:00", 0, 0, False),
    ],
)
def test_a_span_of_the_day_may_go_over_midnight(between: str, hour: int, minute: int, expected: bool) -> None:
    wall = datetime(2026, 6, 1, hour, minute)

    assert bool(fired(EventRule("a", between=between), reports=[(0, cat())], wall=wall)) is expected


def test_an_event_that_lasts_into_the_span_of_the_day_fires_when_the_span_begins() -> None:
    rule = EventRule("a", between="22:00-06:00")
    wall = datetime(2026, 6, 1, 21, 59, 58)

    assert fired(rule, reports=[(0, cat()), (1, None), (2, None), (3, None)], wall=wall) == [(2, "a", "1")]


@pytest.mark.parametrize(
    ("day", "minutes"),
    [((2026, 3, 29), 0), ((2026, 10, 25), 120), ((2026, 6, 1), 60)],
    ids=["clock set on", "clock set back", "another day"],
)
def test_an_hour_that_the_clock_skips_or_repeats_holds_never_or_twice(day: tuple[int, int, int], minutes: int) -> None:
    rule = EventRule("a", between="02:00-03:00")
    begin = datetime(*day, tzinfo=BERLIN).timestamp()

    held = [
        minute
        for minute in range(6 * 60)
        if fired(
            rule, reports=[(0, cat())], wall=datetime.fromtimestamp(begin + 60 * minute, BERLIN).replace(tzinfo=None)
        )
    ]

    assert len(held) == minutes


def test_nothing_is_remembered_of_events_that_are_over_nor_of_rules_that_are_gone() -> None:
    gone, stays = EventRule("gone", cooldown_s=5), EventRule("stays", cooldown_s=5)
    state, _ = step([gone, stays], MEANINGS, RuleState(), Instant(0, 0), cat())

    state, _ = step([stays], MEANINGS, state, Instant(SECOND, 0), cat("end", end_s=1))

    assert state.lasting == {}
    assert state.fired == frozenset()
    assert list(state.last_ns) == [stays]


def test_rules_that_change_while_an_event_lasts_do_not_fire_again_if_they_stay_the_same() -> None:
    stays, new = EventRule("stays"), EventRule("new")
    state, _ = step([stays], MEANINGS, RuleState(), Instant(0, 0), cat())

    _, firings = step([new, stays], MEANINGS, state, Instant(SECOND, 0))

    assert [firing.rule.name for firing in firings] == ["new"]


def test_what_is_out_of_sight_does_not_last_longer_and_fires_no_rule_again_when_it_comes_back() -> None:
    bird = replace(cat(), track=7)
    hidden, other = replace(cat("update", end_s=3), track=7), replace(cat(id_="2", start_s=5), track=7)
    rules = EventRule("soon"), EventRule("long", for_s=4)
    waits = [(float(at), None) for at in range(4, 9)]

    assert fired(*rules, reports=[(1, bird), (3, hidden), *waits]) == [(1, "soon", "1")]
    assert fired(*rules, reports=[(1, bird), (3, hidden), (5, other), (6, replace(cat("update"), track=8))]) == [
        (1, "soon", "1"),
        (5, "soon", "2"),
        (6, "long", "1"),
    ]


def test_boxes_of_one_zone_have_events_that_last_at_the_same_time_for_rules() -> None:
    one, other = replace(cat(), track=7), replace(cat(id_="2"), track=8)

    assert fired(EventRule("a", for_s=3), reports=[(1, one), (2, other), (4, None)]) == [(4, "a", "1"), (4, "a", "2")]


def test_events_whose_end_was_lost_are_forgotten_in_the_end() -> None:
    reports = [(float(number), replace(cat(id_=str(number)), track=number)) for number in range(200)]

    assert len(fired(EventRule("a", for_s=500), reports=[*reports, (600, None)])) == 65
