from dataclasses import replace
from itertools import count

from tests.frames import SECOND, prediction
from vitcam.events import Rules
from vitcam.frames import Event, Group, Place
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.names.active import ActiveNames
from vitcam.names.vocabulary import Vocabulary
from vitcam.names.wanted import WantedNames, own_names
from vitcam.pictures.view import Region
from vitcam.pipeline.place_events import PlaceEvents, zone_rules

LABELS = ("pug", "cup", "plate")
DOOR, ROAD = Zone("door", Region(0, 0, 0.5, 1)), Zone("road", Region(0.5, 0, 0.5, 1))


class Watched:
    """Predictions of zones, five a second, and the events that they made."""

    def __init__(self, *zones: Zone, vocabulary: Vocabulary | None = None) -> None:
        self.active = ActiveAreas(Areas(zones))
        self.events = PlaceEvents(Rules(), self.active, vocabulary)
        self._numbers = count(1)
        self._now_ns = 0

    def see(self, seconds: float, group: str = "", **labels: str) -> list[Event]:
        """What happens while each zone shows its label; `group` holds every label."""
        made: list[Event] = []
        for _ in range(round(seconds * 5)):
            for zone, label in labels.items():
                self._now_ns += SECOND // (5 * len(labels))
                found = replace(prediction(label, 0.95, self._now_ns), zone=zone)
                found = replace(found, groups=(Group(group, 0.97),) if group else ())
                made += self.events.step(found, lambda: str(next(self._numbers)))[0]
        return made


def told(events: list[Event]) -> list[tuple[str, str | None, str]]:
    return [(event.phase, event.zone, event.label) for event in events if event.phase != "update"]


def test_two_zones_have_events_that_last_at_the_same_time() -> None:
    watched = Watched(DOOR, ROAD)

    events = watched.see(3, door="cup", road="dog") + watched.see(3, door="cup", road="cat")

    assert told(events) == [
        ("new", "door", "cup"),
        ("new", "road", "dog"),
        ("end", "road", "dog"),
        ("new", "road", "cat"),
    ]


def test_only_labels_that_a_zone_watches_begin_an_event_there() -> None:
    watched = Watched(replace(DOOR, labels=("dog",)), ROAD)

    events = watched.see(3, door="cup", road="cup") + watched.see(3, door="dog", road="cup")

    assert told(events) == [("new", "road", "cup"), ("new", "door", "dog")]


def test_a_watched_group_begins_an_event_with_any_of_its_labels() -> None:
    watched = Watched(replace(DOOR, labels=("animal",)))

    assert told(watched.see(3, group="animal", door="beagle")) == [("new", "door", "beagle")]


def test_something_that_is_not_watched_ends_the_event_before_it_and_begins_none() -> None:
    watched = Watched(replace(DOOR, labels=("dog",)))

    events = watched.see(3, door="dog") + watched.see(5, door="cup")

    assert told(events) == [("new", "door", "dog"), ("end", "door", "dog")]


def test_what_lasts_ends_at_its_last_sighting_once_nothing_was_looked_at_for_the_gap() -> None:
    watched = Watched(DOOR, ROAD)
    watched.see(3, door="cup", road="dog")
    seen_ns = watched._now_ns
    stood_ns = seen_ns + 5 * SECOND

    early = watched.events.unseen(seen_ns + SECOND // 2, {})
    ended = watched.events.unseen(seen_ns + 6 * SECOND, {Place("road"): stood_ns})
    again = watched.see(3, door="cup", road="dog")

    assert early == ()
    assert told([*ended]) == [("end", "door", "cup"), ("end", "road", "dog")]
    assert [event.end_ns for event in ended] == [seen_ns - SECOND // 10, stood_ns]
    assert told(again) == [("new", "door", "cup"), ("new", "road", "dog")]
    assert all(event.start_ns > seen_ns for event in again)


def test_a_zone_has_its_own_thresholds_and_dwell_time() -> None:
    common = Rules(enter=0.5, leave=0.3, dwell_s=0.5)

    own = zone_rules(common, replace(DOOR, enter=0.8, dwell_s=9.0, labels=("dog",)))
    low = zone_rules(common, replace(DOOR, enter=0.2))

    assert own == replace(common, enter=0.8, dwell_s=9.0, labels=frozenset({"dog"}))
    assert (low.enter, low.leave) == (0.2, 0.2)


def test_a_zone_that_is_deleted_or_moved_ends_its_event_at_once() -> None:
    watched = Watched(DOOR, ROAD)
    watched.see(2, door="cup", road="dog")
    watched.active.replace(Areas((replace(ROAD, region=Region(0.6, 0, 0.4, 1)),)))

    events = watched.see(0.4, road="dog")

    assert told(events) == [("end", "door", "cup"), ("end", "road", "dog")]


def test_a_prediction_of_a_zone_that_was_just_deleted_begins_nothing() -> None:
    watched = Watched(replace(DOOR, dwell_s=0.0))
    watched.active.replace(Areas())

    assert watched.see(1, door="cup") == []
    assert watched.events.finish(0) == ()


def test_an_event_goes_on_when_another_zone_or_a_mask_is_drawn() -> None:
    watched = Watched(DOOR)
    begun = watched.see(2, door="cup")
    watched.active.replace(Areas((DOOR, ROAD), (Region(0, 0, 0.1, 0.1),)))

    events = watched.see(2, door="cup", road="dog")

    assert told(begun) == [("new", "door", "cup")]
    assert told(events) == [("new", "road", "dog")]


def test_an_event_that_may_begin_soon_is_pending_and_a_lasting_one_is_not() -> None:
    watched = Watched(DOOR)
    watched.see(0.4, door="cup")
    before = watched.events.pending
    watched.see(3, door="cup")
    lasting = watched.events.pending
    watched.see(0.6, door="dog")

    assert before == {Place("door")}
    assert lasting == frozenset()
    assert watched.events.pending == {Place("door")}


def test_a_lasting_event_that_is_seen_less_clearly_is_not_pending_for_ever() -> None:
    watched = Watched(DOOR)
    watched.see(3, group="dishes", door="cup")
    unsure = replace(prediction("cup", 0.4), zone="door", groups=(Group("dishes", 0.9),))
    steps = [watched.events.step(replace(unsure, captured_ns=(3 + i) * SECOND), lambda: "new") for i in range(20)]

    assert told([event for events, _ in steps for event in events]) == []  # it lasts
    assert watched.events.pending == frozenset()


def test_other_common_rules_reach_every_zone_with_the_next_prediction() -> None:
    watched = Watched(replace(DOOR, enter=0.6))
    watched.see(0.2, door="cup")
    watched.events.rules = Rules(dwell_s=60.0)

    assert watched.see(5, door="cup") == []


def test_a_zone_may_name_a_label_by_the_models_name_and_goes_with_names_that_change() -> None:
    names = ActiveNames(WantedNames("de", own_names({"pug": "Rex"})))
    vocabulary = Vocabulary(names, lambda: (LABELS, {"dog": (0,)}))
    watched = Watched(replace(DOOR, labels=("PUG", "Tasse")), vocabulary=vocabulary)
    named = told(watched.see(2, door="Rex") + watched.see(2, door="plate") + watched.see(2, door="Tasse"))
    names.fix(WantedNames())
    own = told(watched.see(2, door="pug") + watched.see(2, door="Rex"))

    assert [label for phase, _, label in named if phase == "new"] == ["Rex", "Tasse"]
    assert [label for phase, _, label in own if phase == "new"] == ["pug"]
