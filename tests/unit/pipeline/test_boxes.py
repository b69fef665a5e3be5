"""What becomes of predictions of boxes: which of them are one event, what it says, and when it ends."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import count, groupby

from hypothesis import given
from hypothesis import strategies as st

from tests.frames import SECOND, prediction
from vitcam.events import Rules
from vitcam.frames import Event, Group, Place, Prediction
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.pictures.view import Region
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.rects import Box, Rect

SIZE = (1280, 720)
FEEDER, BESIDE, LAWN = Rect(100, 100, 224, 224), Rect(250, 150, 224, 224), Rect(900, 450, 224, 224)
WHOLE = Rect(280, 0, 720, 720)


class View:
    """Looks that take turns, five a second altogether, and the reports that come of them."""

    def __init__(self, *zones: Zone) -> None:
        self.tracks: set[int] = set()
        self.active = ActiveAreas(Areas(zones))
        self.events = PlaceEvents(Rules(), self.active, followed=lambda: self.tracks)
        self.now_ns = 0
        self._ids = (f"event {number}" for number in count(1))

    def see(self, seconds: float, *looks: Prediction, rarely: Collection[int] = ()) -> list[Event]:
        """For a while the places show what the looks say; what is not among them is not followed any more.

        rarely  tracks that are followed and not looked at now
        """
        self.tracks = {look.track for look in looks if look.track is not None} | {*rarely}
        made: list[Event] = []
        for turn in range(round(seconds * 5)):
            self.now_ns += SECOND // 5
            made += self.look(looks[turn % len(looks)])
        return made

    def look(self, one: Prediction) -> tuple[Event, ...]:
        return self.events.step(replace(one, captured_ns=self.now_ns), lambda: next(self._ids))[0]


def whole(label: str, p: float = 0.9, *groups: str, zone: str | None = None) -> Prediction:
    found = replace(prediction(label, p), size=SIZE, crop=WHOLE, zone=zone)
    return replace(found, groups=tuple(Group(group, max(p, 0.9)) for group in groups))


def box(
    label: str, track: int, crop: Rect = FEEDER, *groups: str, p: float = 0.9, zone: str | None = None
) -> Prediction:
    return replace(whole(label, p, *groups, zone=zone), track=track, crop=crop)


def told(events: Iterable[Event]) -> list[tuple[str, str, str | None, int | None]]:
    """Without the reports that an event still lasts."""
    lines = [(each.phase if each.end_ns is None or each.phase == "end" else "hidden", each) for each in events]
    found = [(each.id, phase, each.shown.label, each.track) for phase, each in lines]
    return [line for before, line in zip([None, *found], found, strict=False) if line[1] != "update" or line != before]


def test_what_a_box_shows_is_an_event_with_its_box_and_the_fence_one_of_its_own() -> None:
    view = View()

    events = view.see(4, whole("fence"), box("robin", 7))

    assert [(each.label, each.track, each.box) for each in events if each.phase == "new"] == [
        ("fence", None, None),
        ("robin", 7, Box.around(FEEDER, SIZE)),
    ]
    assert {place: event.label for place, event in view.events.lasting.items()} == {
        Place(): "fence",
        Place(None, 7): "robin",
    }


def test_a_thing_that_is_seen_in_the_view_and_then_named_in_a_box_is_one_event() -> None:
    view = View()
    view.see(2, whole("hen", 0.55, "bird"))

    events = view.see(6, whole("hen", 0.7, "bird"), box("robin", 7, FEEDER, "bird", p=0.6))

    assert [line for line in told(events) if line[2] != "hen"] == [("event 1", "update", "robin", 7)]
    assert events[-1].shown.label == "robin", "however probable the other name is"
    assert {each.id for each in events} == {"event 1"}
    assert {event.shown.label for event in view.events.lasting.values()} == {"robin"}
    assert len(view.events.lasting) == 2


def test_the_view_keeps_the_name_that_a_box_gave_it_until_nothing_is_seen() -> None:
    view = View()
    view.see(4, whole("bird thing", 0.4, "bird"), box("robin", 7, FEEDER, "bird"))

    events = view.see(9, whole("bird thing", 0.4, "bird"))
    end = view.see(15, whole("fence"))

    assert {each.shown.label for each in events} == {"robin"}
    assert told(each for each in end if each.label == "robin") == [
        ("event 1", "hidden", "robin", 7),
        ("event 1", "end", "robin", 7),
    ]


def test_a_box_that_begins_where_another_ended_with_the_same_name_goes_on_with_its_event() -> None:
    view = View()
    begun = view.see(4, whole("fence"), box("robin", 7))
    gap = view.see(6, whole("fence"))

    events = view.see(4, whole("fence"), box("robin", 8, BESIDE)) + view.see(13, whole("fence"))

    robin = next(each.id for each in begun if each.label == "robin")
    assert told(each for each in gap if each.id == robin) == [(robin, "hidden", "robin", 7)]
    assert told(each for each in events if each.id == robin) == [
        (robin, "update", "robin", 8),
        (robin, "hidden", "robin", 8),
        (robin, "end", "robin", 8),
    ]
    assert [each for each in events if each.phase == "new"] == []


def test_an_event_keeps_its_best_probability_when_another_box_goes_on_with_it() -> None:
    view = View()
    surest = view.see(6, box("robin", 7, p=0.95))[-1].p

    events = view.see(12, box("robin", 8, BESIDE, p=0.6))

    assert surest > 0.9
    assert {each.id for each in events} == {"event 1"}
    assert {each.p >= surest for each in events} == {True}
    assert events[-1].box == Box.around(BESIDE, SIZE), "its box is that of the one that is followed now"


def test_after_ten_seconds_the_same_name_at_the_same_place_is_another_event() -> None:
    view = View()
    view.see(4, whole("fence"), box("robin", 7))
    gone = view.see(12, whole("fence"))

    again = view.see(4, whole("fence"), box("robin", 8))

    (end,) = [each for each in gone if each.phase == "end"]
    assert end.end_ns is not None
    assert end.end_ns <= 4 * SECOND, "it ended when it was seen last, though that is known only later"
    assert [each.label for each in again if each.phase == "new"] == ["robin"]


def test_two_birds_at_places_far_from_each_other_are_two_events() -> None:
    view = View()

    events = view.see(4, box("robin", 7), box("robin", 8, LAWN))

    assert [(each.id, each.track) for each in events if each.phase == "new"] == [("event 1", 7), ("event 2", 8)]


def test_another_thing_at_the_same_place_is_another_event_and_takes_the_vague_view_with_it() -> None:
    view = View()
    view.see(4, whole("?", 0.2, "animal"), box("robin", 7, FEEDER, "bird", "animal"))

    events = view.see(16, whole("?", 0.2, "animal"), box("squirrel", 7, FEEDER, "rodent", "animal"))

    assert told(events) == [
        ("event 1", "hidden", "robin", 7),
        ("event 2", "new", "squirrel", 7),
        ("event 2", "update", "squirrel", 7),
        ("event 1", "end", "robin", 7),
        ("event 2", "update", "squirrel", 7),
    ]


def test_what_a_place_shows_at_rest_begins_no_event_and_ends_the_one_that_lasts() -> None:
    view = View()
    at_rest = replace(box("feeder", 7), at_rest=True)
    nothing = view.see(5, whole("fence"), at_rest)
    view.see(5, whole("fence"), box("robin", 7))

    events = view.see(15, whole("fence"), at_rest)

    assert {each.label for each in nothing} == {"fence"}
    assert [each.label for each in events if each.phase == "end"] == ["robin"]
    assert {each.label for each in events if each.phase == "new"} == set()
    assert Place(None, 7) not in view.events.pending


def test_the_event_of_a_box_that_vanished_ends_though_its_place_is_not_looked_at_again() -> None:
    view = View()
    view.see(4, whole("fence"), box("robin", 7))
    view.tracks = set()

    hidden = view.events.pass_time(view.now_ns + 2 * SECOND)
    early = view.events.pass_time(view.now_ns + 5 * SECOND)
    end = view.events.pass_time(view.now_ns + 11 * SECOND)

    assert [(each.phase, each.label, each.end_ns is not None) for each in hidden] == [("update", "robin", True)]
    assert early == ()
    assert [(each.phase, each.label) for each in end] == [("end", "robin")]


def test_a_bird_that_rests_is_one_event_however_rarely_its_box_is_looked_at() -> None:
    view = View()
    view.see(4, whole("fence"), box("robin", 7))

    events = view.see(60, whole("fence"), rarely={7}) + view.see(0.2, box("robin", 7))
    events += view.see(60, whole("fence"), rarely={7})

    assert {each.phase for each in events} == {"update"}
    assert view.events.lasting[Place(None, 7)].label == "robin"


def test_boxes_of_different_zones_are_different_things() -> None:
    left, right = Zone("left", Region(0, 0, 0.5, 1)), Zone("right", Region(0.1, 0, 0.9, 1))
    view = View(left, right)

    events = view.see(4, box("robin", 7, zone="left"), box("robin", 8, BESIDE, zone="right"))

    assert [each.zone for each in events if each.phase == "new"] == ["left", "right"]


def test_a_zone_that_is_deleted_ends_the_events_of_its_boxes_at_once() -> None:
    view = View(Zone("left", Region(0, 0, 0.5, 1)), Zone("right", Region(0.5, 0, 0.5, 1)))
    view.see(3, whole("fence", zone="left"), box("robin", 7, zone="left"))
    view.active.replace(Areas((Zone("right", Region(0.5, 0, 0.5, 1)),)))

    events = view.see(0.2, whole("fence", zone="right"))

    assert sorted((each.phase, each.label) for each in events) == [("end", "fence"), ("end", "robin")]


def test_something_unknown_in_a_box_and_in_the_view_is_one_event() -> None:
    view = View()
    strange = {"known": False, "unfamiliar": True}

    events = view.see(20, replace(whole("cup", 0.1), **strange), replace(box("cup", 7, p=0.1), **strange))  # type: ignore[arg-type]

    assert [(each.kind, each.phase) for each in events if each.phase == "new"] == [("unknown", "new")]


def test_a_view_without_a_word_for_what_a_box_names_begins_no_event_of_something_unknown() -> None:
    view = View()
    strange = replace(whole("cup", 0.1), known=False, unfamiliar=True)

    named = view.see(12, strange, box("robin", 7))
    alone = view.see(12, strange)

    assert [each.label for each in named if each.phase == "new"] == ["robin"]
    assert [each.label for each in alone if each.phase == "new"] == ["unknown"]


def test_what_still_lasts_or_was_out_of_sight_ends_with_the_run() -> None:
    view = View()
    view.see(4, whole("fence"), box("robin", 7))
    view.see(4, whole("fence"), box("cat", 8, LAWN))

    ends = view.events.finish(view.now_ns)

    assert sorted((each.phase, each.label) for each in ends) == [("end", "cat"), ("end", "fence"), ("end", "robin")]
    assert view.events.lasting == {}


LOOK = st.tuples(
    st.sampled_from([None, 1, 2, 3]),
    st.sampled_from(["robin", "hen", "cat", "fence"]),
    st.floats(0, 1),
    st.sampled_from([FEEDER, BESIDE, LAWN]),
    st.sampled_from(["", "", "", "at rest", "unfamiliar", "blank"]),
    st.floats(0.05, 6),
)


@given(st.lists(LOOK, max_size=60), st.booleans())
def test_every_event_comes_as_new_updates_and_one_end_whatever_boxes_show(
    run: list[tuple[int | None, str, float, Rect, str, float]], is_told: bool
) -> None:
    followed: set[int] = set()
    events = PlaceEvents(Rules(), followed=(lambda: followed) if is_told else None)
    ids, now_ns, reports = count(), 0, list[Event]()
    for track, label, p, crop, how, wait_s in run:
        now_ns += round(wait_s * SECOND)
        groups = ("bird", "animal") if label in ("robin", "hen") else ("animal",) if label == "cat" else ()
        one = whole(label, p, *groups) if track is None else box(label, track, crop, *groups, p=p)
        followed = {track} if track is not None else followed
        one = replace(one, captured_ns=now_ns, at_rest=how == "at rest", blank=how == "blank")
        made, _ = events.step(replace(one, unfamiliar=how == "unfamiliar"), lambda: str(next(ids)))
        reports += made
        assert {each.id for each in events.lasting.values()} <= {each.id for each in reports}
    reports += events.finish(now_ns)

    for of_one in (list(each) for _, each in groupby(sorted(reports, key=lambda e: int(e.id)), key=lambda e: e.id)):
        assert [each.phase for each in of_one] == ["new", *["update"] * (len(of_one) - 2), "end"]
        assert all((each.box is None) == (each.track is None) for each in of_one)
        assert all(each.end_ns is None or each.start_ns <= each.end_ns <= now_ns for each in of_one)
        assert len({(each.start_ns, each.zone, each.kind) for each in of_one}) == 1
    assert (events.lasting, events.pending) == ({}, frozenset())
