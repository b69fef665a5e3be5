from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.events import at, edges, replay, seen
from tests.frames import SECOND, prediction
from vitcam.events import EventState, Rules, step
from vitcam.frames import Event, Group, Prediction, Shown


def test_a_label_that_stays_begins_once_and_ends_once() -> None:
    events = replay(at(i / 10, "cup") for i in range(30))

    assert seen(events) == [("new", "cup"), ("end", "cup")]
    assert events[0].start_ns == 0
    assert events[-1].end_ns == round(2.9 * SECOND)


def test_a_wavering_probability_between_the_thresholds_keeps_the_event() -> None:
    frames = [at(i / 10, "cup") for i in range(20)] + [at(2 + i / 10, "cup", 0.35 + 0.1 * (i % 2)) for i in range(50)]

    assert seen(replay(frames)) == [("new", "cup"), ("end", "cup")]


def test_another_label_ends_the_first_and_begins_its_own() -> None:
    frames = [at(i / 10, "cup") for i in range(20)] + [at(2 + i / 10, "pagoda") for i in range(20)]

    assert seen(replay(frames)) == [("new", "cup"), ("end", "cup"), ("new", "pagoda"), ("end", "pagoda")]


def test_a_lasting_event_is_reported_again_with_its_best_probability() -> None:
    events = replay((at(i / 10, "cup", 0.8) for i in range(120)), Rules(update_s=5))
    updates = [event for event in events if event.phase == "update"]

    assert len(updates) == 2
    assert {event.id for event in events} == {"id1"}
    assert updates[-1].p >= updates[0].p


def test_what_the_model_does_not_know_never_begins() -> None:
    frames = [replace(at(i / 10, "cup"), known=False, unfamiliar=True) for i in range(30)]

    assert replay(frames) == []


def test_what_was_there_ends_when_there_is_nothing_to_see_though_the_model_still_names_it() -> None:
    lit = [at(i / 10, "cup") for i in range(20)]
    dark = [replace(at(i / 10, "cup"), known=False, blank=True) for i in range(20, 40)]
    events = replay([*lit, *dark])

    assert seen(events) == [("new", "cup"), ("end", "cup")]
    assert events[-1].end_ns == round(1.9 * SECOND)


def test_the_frame_rate_does_not_change_when_an_event_begins() -> None:
    slow = replay(at(i / 5, "cup") for i in range(20))[0]
    fast = replay(at(i / 100, "cup") for i in range(400))[0]

    assert slow.start_ns == fast.start_ns == 0


UNSMOOTHED = Rules(half_life_s=0, enter=0.5, leave=0.25, dwell_s=0.5, update_s=5, gap_s=0)


def test_a_label_begins_at_the_very_threshold_and_time_that_are_set() -> None:
    early = [at(0, "cup", 0.5), at(0.499, "cup", 0.5)]

    assert replay(early, UNSMOOTHED) == []
    assert replay([*early, at(0.5, "cup", 0.5)], UNSMOOTHED)[0].phase == "new"
    assert replay([at(0, "cup", 0.499), at(9, "cup", 0.499)], UNSMOOTHED) == []


def test_a_label_ends_below_the_lower_threshold_and_not_at_it() -> None:
    begun = [at(0, "cup"), at(0.5, "cup")]
    at_it, below_it = (
        replay([*begun, at(1, "cup", 0.25), at(2, "cup", 0.25)], UNSMOOTHED),
        replay([*begun, at(1, "cup", 0.249), at(2, "cup", 0.249)], UNSMOOTHED),
    )

    assert at_it[-1].end_ns == 2 * SECOND
    assert below_it[-1].end_ns == 0.5 * SECOND, "it was seen there last"


def test_an_event_starts_when_its_label_was_first_above_the_threshold() -> None:
    events = replay([at(0, "cup", 0.1), at(2, "cup"), at(2.5, "cup")], UNSMOOTHED)

    assert (events[0].start_ns, events[0].camera) == (2 * SECOND, "test")


def test_a_label_that_is_overtaken_ends_at_that_moment_though_it_is_still_probable() -> None:
    cup = [prediction("cup", 0.6, round(i / 10 * SECOND), pagoda=0.3) for i in range(10)]
    pagoda = [prediction("pagoda", 0.55, round((1 + i / 10) * SECOND), cup=0.4) for i in range(10)]
    events = replay([*cup, *pagoda], UNSMOOTHED)

    assert seen(events) == [("new", "cup"), ("end", "cup"), ("new", "pagoda"), ("end", "pagoda")]
    assert events[1].end_ns == events[2].start_ns == round(1.5 * SECOND)  # pagoda has stayed for the dwell time


def test_updates_come_at_the_set_interval_after_the_beginning_with_the_best_probability_so_far() -> None:
    run = [at(20 + i / 2, "cup", p) for i, p in enumerate([0.7] * 11 + [0.9] + [0.8] * 19)]
    events = [event for event in replay(run, UNSMOOTHED) if event.phase != "end"]

    assert [(event.phase, event.p) for event in events] == [("new", 0.7), ("update", 0.9), ("update", 0.9)]


def test_after_a_half_life_an_old_prediction_weighs_half() -> None:
    rules = replace(UNSMOOTHED, half_life_s=1)
    state, _ = step(rules, EventState(), at(0, "cup", 1.0), str)
    state, _ = step(rules, state, at(1, "pagoda", 0.8), str)

    assert state.scores == {("cup", False): 0.5, ("pagoda", False): 0.4}


def shown(first: float, last: float, p: float = 0.9) -> list[Prediction]:
    """A cup from `first` to `last`, in s, and nothing for 3 s around it."""
    times = [round(i / 10, 1) for i in range(round(10 * first) - 30, round(10 * last) + 31)]
    return [at(each, "cup", p if first <= each <= last else 0.05) for each in times]


def test_start_and_end_are_those_of_the_first_and_last_frame_that_showed_it_in_spite_of_smoothing() -> None:
    events = replay(shown(5, 8))

    assert seen(events) == [("new", "cup"), ("end", "cup")]
    assert (events[0].start_ns, events[-1].end_ns) == (5 * SECOND, 8 * SECOND)


def test_a_thing_that_is_hidden_for_a_moment_again_and_again_is_one_event() -> None:
    flickering = [replace(each, blank=4 <= i % 20 < 12) for i, each in enumerate(shown(3, 23))]
    events = replay(flickering)

    assert seen(events) == [("new", "cup"), ("end", "cup")]
    assert replay(flickering, Rules(gap_s=0))[-1].id != "id1"


def test_a_thing_that_comes_again_after_longer_than_the_gap_is_another_event() -> None:
    events = replay([*shown(3, 6), *shown(12, 15)[20:]])

    assert seen(events) == [("new", "cup"), ("end", "cup")] * 2
    assert edges(events)[2].start_ns == 12 * SECOND


def test_two_things_that_follow_each_other_share_no_time() -> None:
    events = edges(replay([*shown(3, 6)[:60], *(at(6 + i / 10, "pagoda") for i in range(20))]))

    assert seen(events) == [("new", "cup"), ("end", "cup"), ("new", "pagoda"), ("end", "pagoda")]
    assert (events[1].end_ns, events[2].start_ns) == (round(5.9 * SECOND), 6 * SECOND)


def test_a_look_that_faded_does_not_move_a_later_start() -> None:
    events = replay([at(0, "cup", 0.6), *shown(5, 8)[20:]])

    assert events[0].start_ns == 5 * SECOND


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 1)), max_size=60))
def test_events_always_come_as_new_updates_end_and_never_overlap(run: list[tuple[str, float]]) -> None:
    events = replay([at(i / 4, label, p) for i, (label, p) in enumerate(run)])
    open_id: str | None = None
    for event in events:
        if event.phase == "new":
            assert open_id is None
            open_id = event.id
        assert event.id == open_id
        if event.phase == "end":
            open_id = None

    assert open_id is None


def test_a_moment_in_which_the_model_is_not_sure_does_not_hold_an_event_back() -> None:
    run = [replace(at(i / 10, "cup", 0.9 if i % 3 else 0.4), known=bool(i % 3)) for i in range(20)]

    assert seen(replay(run)) == [("new", "cup"), ("end", "cup")]


def test_an_event_is_displayed_by_its_group_or_its_likely_label_or_not_at_all() -> None:
    event = Event("1", "new", "tabby", 0.45, 0, None, "demo")

    assert replace(event, group=Group("cat", 0.9)).shown == Shown("cat", 0.9, "group")
    assert replace(event, p=0.5).shown == Shown("tabby", 0.5, "label")
    assert event.shown == Shown(None, 0.45, "none")
    assert replace(event, label="covered", p=1.0, kind="problem").shown == Shown(None, 1.0, "none")


def test_an_event_that_becomes_surer_says_so_within_a_second_and_its_end_has_the_best_probability() -> None:
    frames = [at(i / 10, "cup", 0.6) for i in range(20)] + [at(2 + i / 10, "cup", 0.99) for i in range(8)]
    frames += [at(2.8 + i / 10, "cup", 0.7) for i in range(3)]

    events = replay(frames)

    phases = [event.phase for event in events]
    assert phases == ["new", *["update"] * (len(phases) - 2), "end"]
    assert 3 <= len(phases) <= 4
    assert events[0].p < 0.62
    assert 0.64 < events[1].p < events[-1].p
    assert events[-1].p > 0.8


def test_an_answer_that_stood_while_nothing_moved_is_not_undone_by_one_odd_look() -> None:
    before = [at(i / 10, "cup") for i in range(20)]

    def rests(*looks: Prediction, stood: bool = True) -> list[Event]:
        """Looks that come seldom, since nothing moves."""
        return replay(
            [*before, *(replace(each, stood_ns=each.captured_ns - SECOND // 2 if stood else 0) for each in looks)]
        )

    odd = (at(4, "cup"), at(6, "pagoda"), at(6.1, "cup"), at(8, "cup"))
    assert seen(rests(*odd)) == [("new", "cup"), ("end", "cup")]
    assert rests(*odd)[-1].end_ns == 8 * SECOND
    assert rests(*odd, stood=False)[-1].end_ns == 4 * SECOND

    gone = [at(6 + i / 10, "pagoda") for i in range(20)]  # it is looked at in every frame then
    assert seen(rests(at(4, "cup"), *gone)) == [("new", "cup"), ("end", "cup"), ("new", "pagoda"), ("end", "pagoda")]


def test_a_place_that_does_not_show_its_event_any_more_is_looked_at_until_that_is_sure() -> None:
    rules, state, number = Rules(), EventState(), iter(map(str, range(9)))
    for look in [at(i / 10, "cup") for i in range(20)]:
        state, _ = step(rules, state, look, lambda: next(number))
    settled = state.pending
    state, _ = step(rules, state, replace(at(4, "pagoda", 0.3), stood_ns=18 * SECOND // 5), lambda: next(number))

    assert not settled
    assert state.label == "cup"
    assert state.pending
