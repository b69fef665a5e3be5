from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.events import at, edges, replay
from tests.frames import SECOND, prediction
from vitcam.events import EventState, Rules, step
from vitcam.frames import Event, Group, Guess, ModelIdentity, Prediction, Shown


def test_a_change_of_the_group_alone_is_no_event() -> None:
    rules = Rules(enter=0.25, leave=0.1, update_s=60)
    groups = [(Group("dog", 0.6),), (Group("mammal", 0.7),), ()]
    events = replay((replace(at(i / 10, "collie", 0.3), groups=groups[i // 10 % 3]) for i in range(60)), rules)

    assert [(event.phase, event.label, event.group) for event in events] == [
        ("new", "collie", Group("dog", 0.6)),
        ("end", "collie", Group("dog", 0.6)),
    ]


def test_an_update_carries_the_newest_group_of_an_unsure_label() -> None:
    rules = Rules(enter=0.25, leave=0.1, update_s=2)
    dog, mammal = Group("dog", 0.6), Group("mammal", 0.7)
    events = replay((replace(at(i / 10, "collie", 0.3), groups=(dog if i < 20 else mammal,)) for i in range(30)), rules)

    assert [(event.phase, event.group) for event in events] == [("new", dog), ("update", mammal), ("end", mammal)]


def test_the_group_of_another_label_is_not_the_events() -> None:
    rules = Rules(half_life_s=10, enter=0.25, leave=0.1, update_s=1)
    other = replace(at(2.0, "tabby", 0.4), groups=(Group("cat", 0.6),))
    events = replay([*(at(i / 10, "collie", 0.3) for i in range(15)), other], rules)

    assert [(event.phase, event.label, event.group) for event in events] == [
        ("new", "collie", None),
        ("update", "collie", None),
        ("end", "collie", None),
    ]


DOG, MAMMAL, CAT = Group("dog", 0.8), Group("mammal", 0.9), Group("cat", 0.8)


def dog(seconds: float, breed: str = "collie", p: float = 0.3, *groups: Group) -> Prediction:
    return replace(at(seconds, breed, p), groups=groups or (DOG, MAMMAL))


def told(events: list[Event]) -> list[tuple[str, str]]:
    """Phases, and what each event is called."""
    return [(event.phase, event.group.name if event.group else event.label) for event in events]


def test_a_dog_of_an_unsure_breed_is_an_event_of_its_group() -> None:
    breeds = ("collie", "pug", "beagle")
    events = replay(dog(i / 10, breeds[i % 3]) for i in range(30))

    assert told(events) == [("new", "dog"), ("end", "dog")]
    assert events[0].group == DOG
    assert events[0].label in breeds
    assert events[0].p < 0.5


def test_a_breed_that_becomes_clear_changes_the_event_and_does_not_end_it() -> None:
    run = [dog(i / 10) for i in range(15)] + [dog(1.5 + i / 10, "collie", 0.9) for i in range(15)]
    events = replay(run)

    assert told(events) == [("new", "dog"), ("update", "collie"), ("end", "collie")]
    assert len({event.id for event in events}) == 1
    assert events[1].p > 0.5


def test_a_breed_that_becomes_unclear_leaves_the_group_and_does_not_end_the_event() -> None:
    run = [dog(i / 10, "collie", 0.9) for i in range(15)] + [dog(1.5 + i / 10, "pug", 0.2) for i in range(20)]
    events = replay(run)

    assert told(events) == [("new", "collie"), ("update", "dog"), ("end", "dog")]
    assert len({event.id for event in events}) == 1


def test_another_group_ends_the_event_of_the_first() -> None:
    run = [dog(i / 10) for i in range(15)] + [dog(1.5 + i / 10, "tabby", 0.3, CAT, MAMMAL) for i in range(20)]
    events = replay(run)

    assert told(events) == [("new", "dog"), ("end", "dog"), ("new", "cat"), ("end", "cat")]
    assert events[0].id != events[2].id


def test_a_smaller_group_that_becomes_clear_takes_the_place_of_the_larger() -> None:
    run = [dog(i / 10, "collie", 0.2, MAMMAL) for i in range(15)] + [dog(1.5 + i / 10) for i in range(15)]
    events = replay(run)

    assert told(events) == [("new", "mammal"), ("update", "dog"), ("end", "dog")]
    assert events[1].group is not None
    assert events[1].group.p < DOG.p, "it is smoothed"


def test_an_unknown_picture_begins_no_event_of_a_group() -> None:
    assert replay(replace(dog(i / 10), known=False, unfamiliar=True) for i in range(30)) == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["collie", "pug", "tabby"]),
            st.floats(0, 1),
            st.floats(0, 0.4),
            st.sampled_from([(), (DOG,), (DOG, MAMMAL), (MAMMAL,), (CAT, MAMMAL), (Group("dog", 0.7, "pug"), MAMMAL)]),
            st.booleans(),
        ),
        max_size=60,
    ),
    st.sampled_from([Rules(), Rules(leave=0), Rules(enter=0.2, leave=0.2), Rules(labels=frozenset({"collie", "pug"}))]),
)
def test_events_of_groups_never_overlap_and_each_step_reports_little(
    run: list[tuple[str, float, float, tuple[Group, ...], bool]], rules: Rules
) -> None:
    state, open_id = EventState(), None
    for i, (label, p, other, groups, known) in enumerate(run):
        seen = prediction(label, p, i * SECOND // 4, husky=other)
        one = replace(seen, groups=groups, known=known, unfamiliar=not known)
        state, events = step(rules, state, one, partial(str, i))
        phases = [event.phase for event in events]
        assert phases in ([], ["new"], ["end"], ["update"], ["end", "new"])
        for event in events:
            assert event.phase == "new" or event.id == open_id
            open_id = None if event.phase == "end" else event.id
    assert (state.label is None) == (open_id is None)


def breeds(seconds: float, tabby: float, persian: float) -> Prediction:
    """A cat of one of two breeds, with their probabilities."""
    ranked = sorted((Guess("tabby", tabby), Guess("Persian", persian)), key=lambda guess: -guess.p)
    return replace(at(seconds, "cat"), top=tuple(ranked), groups=(Group("cat", 0.97), Group("animal", 0.99)))


def test_a_cat_whose_breeds_take_turns_is_one_event_and_in_the_end_a_cat() -> None:
    run = [breeds(i / 10, *((0.75, 0.2) if i // 15 % 2 == 0 else (0.1, 0.85))) for i in range(90)]
    events = replay(run)

    assert told(edges(events)) == [("new", "tabby"), ("end", "cat")]
    assert [event.shown.label for event in events if event.phase == "update"][-1] == "cat"
    assert events[-1].shown.p == pytest.approx(0.97, abs=0.01)


def test_breeds_that_take_turns_faster_than_one_can_begin_delay_the_event_of_their_group_no_longer() -> None:
    turns = [breeds(i / 10, *((0.75, 0.22) if i // 3 % 2 == 0 else (0.22, 0.75))) for i in range(1, 60)]
    events = replay([breeds(0, 0.485, 0.485), *turns])

    assert told(edges(events)) == [("new", "cat"), ("end", "cat")]
    assert events[0].start_ns == 0


def test_labels_that_take_turns_are_one_event_also_where_their_group_is_not_watched() -> None:
    run = [breeds(i / 10, *((0.75, 0.2) if i // 15 % 2 == 0 else (0.1, 0.85))) for i in range(90)]
    events = replay(run, Rules(labels=frozenset({"tabby", "Persian"})))

    assert {event.id for event in events} == {"id1"}
    assert {event.shown.label for event in events} <= {"tabby", "Persian"}


def test_a_thing_that_follows_another_of_its_group_at_once_is_an_event_of_its_own() -> None:
    fruit = (Group("fruit", 0.95), Group("food", 0.96))
    run = [replace(at(i / 10, "banana" if i < 20 else "strawberry"), groups=fruit) for i in range(40)]

    assert told(replay(run)) == [("new", "banana"), ("end", "banana"), ("new", "strawberry"), ("end", "strawberry")]


def test_a_likely_group_without_the_most_probable_label_is_what_is_seen() -> None:
    dog = Group("dog", 0.6, "pug")
    events = replay(replace(at(i / 10, "laptop", 0.3), groups=(dog,)) for i in range(20))

    assert told(events) == [("new", "dog"), ("end", "dog")]
    assert (events[0].label, events[0].shown) == ("pug", Shown("dog", 0.6, "group"))


def test_a_group_inside_a_watched_one_begins_by_its_own_name_and_a_larger_one_does_not() -> None:
    run = [dog(i / 10) for i in range(20)]
    large = [dog(i / 10, "collie", 0.3, MAMMAL) for i in range(20)]

    assert told(replay(run, Rules(labels=frozenset({"mammal"})))) == [("new", "dog"), ("end", "dog")]
    assert replay(large, Rules(labels=frozenset({"dog"}))) == []


def test_a_thing_is_not_seen_any_more_because_another_thing_shares_a_large_group_with_it() -> None:
    animal = Group("animal", 0.95)
    cat = [dog(i / 10, "tabby", 0.9, CAT, animal) for i in range(20)]
    bee = [dog(2 + i / 10, "bee", 0.9, Group("insect", 0.9), animal) for i in range(20)]
    events = replay([*cat, *bee])

    assert told(events) == [("new", "tabby"), ("end", "tabby"), ("new", "bee"), ("end", "bee")]
    assert (events[1].end_ns, events[2].start_ns) == (round(1.9 * SECOND), 2 * SECOND)


def test_no_event_begins_with_a_name_that_the_model_does_not_find_likely_enough() -> None:
    model = ModelIdentity("m", "", 0.7)
    unsure = [replace(dog(i / 10, "collie", 0.55, Group("dog", 0.65)), model=model) for i in range(30)]

    assert replay(unsure) == []
    assert replay(replace(each, groups=(DOG,)) for each in unsure)[0].shown.label == "dog"
    assert replay(unsure, Rules(enter=0.4))[0].label == "collie", "less is asked for on purpose"
