"""Which presences there are, how they are called, and when each holds."""

from dataclasses import replace

import pytest

from vitcam.frames import Event, Group
from vitcam.look.areas import NO_AREAS, Areas, Zone
from vitcam.look.watched import MOST_WATCHED, Presence, presence_record, watched_of
from vitcam.names.active import ActiveNames
from vitcam.names.naming import Naming, naming_of
from vitcam.names.vocabulary import Vocabulary
from vitcam.names.wanted import NOTHING_WANTED, WantedNames, own_names
from vitcam.pictures.view import Region
from vitcam.text import slug_of

LABELS = ("tabby", "tiger cat", "beagle", "espresso")
MEMBERS = {"cat": (0, 1), "dog": (2,)}
HALF = Region(0, 0, 0.5, 1)


def naming(wanted: WantedNames = NOTHING_WANTED) -> Naming:
    return naming_of(wanted, LABELS, MEMBERS)


def zones(*each: tuple[str, tuple[str, ...]]) -> Areas:
    return Areas(tuple(Zone(name, HALF, labels) for name, labels in each))


def names(areas: Areas = NO_AREAS, asked: tuple[tuple[str, str], ...] = (), by: Naming | None = None) -> list[str]:
    return [each.name for each in watched_of(areas, asked, by or naming())]


def event(label: str = "tabby", zone: str | None = None, **others: object) -> Event:
    made = Event("id1", "new", label, 0.9, 0, None, "test", zone=zone)
    return replace(made, **others)  # type: ignore[arg-type]


def vocabulary(wanted: WantedNames = NOTHING_WANTED) -> Vocabulary:
    return Vocabulary(ActiveNames(wanted), lambda: (LABELS, MEMBERS))


def present(label: str = "", zone: str | None = None) -> Presence:
    return Presence("key", "name", label, zone)


def test_zones_their_labels_and_those_of_rules_are_watched() -> None:
    areas = zones(("front_door", ("cat", "dog")), ("lawn", ()))
    assert names(areas, (("espresso", ""), ("cat", "lawn"), ("", "lawn"))) == [
        "Something in view", "Front door", "Lawn", "Cat", "Dog", "Espresso",
        "Front door: cat", "Front door: dog", "Lawn: cat",
    ]  # fmt: skip


def test_a_rule_for_a_zone_that_is_not_there_makes_no_presence_of_it() -> None:
    assert names(NO_AREAS, (("cat", "attic"),)) == ["Something in view", "Cat"]


def test_a_label_that_is_asked_for_twice_in_other_words_is_watched_once() -> None:
    german = WantedNames("de", own_names({"tabby": "Mia"}))
    found = watched_of(NO_AREAS, [("mia", ""), ("TABBY", ""), ("Tabby", "")], naming(german))
    assert [each.name for each in found] == ["Something in view", "Mia"]


def test_its_key_stays_when_it_is_called_differently() -> None:
    before = watched_of(NO_AREAS, [("tabby", "")], naming())
    after = watched_of(NO_AREAS, [("Mia", "")], naming(WantedNames("de", own_names({"tabby": "Mia"}))))
    assert [each.key for each in before] == [each.key for each in after] == ["presence", "label_tabby"]
    assert after[1].name == "Mia"


@pytest.mark.parametrize(("zone", "label"), [("door_label_cat", "cat"), ("door_label", "label_cat")])
def test_a_zone_that_is_called_like_a_label_in_another_zone_has_a_key_of_its_own(zone: str, label: str) -> None:
    found = watched_of(zones(("door", ()), (zone, ())), [(label, "door"), ("cat", zone)], naming())
    assert [(each.zone, each.label) for each in found] == [
        (None, ""), ("door", ""), (zone, ""), (None, label), *([] if label == "cat" else [(None, "cat")]),
        ("door", label), (zone, "cat"),
    ]  # fmt: skip
    assert [each.key for each in found if each.zone == "door"] == ["zone_door", f"zone_door_label_{label}"]


@pytest.mark.parametrize(
    "text", ["tiger cat", "Katzenklo", "café", "猫", "a" * 300, "a/b+#\0", "'}}{{", "", "door", "Door"]
)
def test_a_slug_is_what_topics_ids_and_templates_may_hold(text: str) -> None:
    assert set(slug_of(text)) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
    assert len(slug_of(text)) <= 49


def test_slugs_of_different_names_differ() -> None:
    texts = ["cafe", "café", "cafè", "猫", "犬", "a/b", "a+b", "Door", "door", "a" * 60, "a" * 61]
    assert len({slug_of(text) for text in texts}) == len(texts)


def test_there_are_never_more_than_can_be_looked_at() -> None:
    areas = zones(*((f"zone{number}", tuple(f"label{label}" for label in range(64))) for number in range(64)))
    found = watched_of(areas, [(f"rule{number}", "") for number in range(1000)], naming())
    assert len(found) == MOST_WATCHED
    assert len({each.key for each in found}) == MOST_WATCHED
    assert [each.zone for each in found[1:65]] == list(areas.names)


@pytest.mark.parametrize(
    ("watched", "seen", "holds"),
    [
        (present(), event(), True),
        (present(), event(kind="unknown", label="unknown"), True),
        (present(), event(kind="problem", label="moved"), False),
        (present("tabby"), event(), True),
        (present("Cat"), event(), True),
        (present("dog"), event(), False),
        (present("tabby"), event(group=Group("cat", 0.9)), False),  # a cat is displayed, and it may be another one
        (present("cat"), event(group=Group("cat", 0.9)), True),
        (present(zone="door"), event(), False),
        (present(zone="door"), event(zone="door"), True),
        (present("cat", "door"), event(zone="lawn"), False),
        (present("unknown"), event(kind="unknown", label="unknown"), True),
        (present("unknown"), event(), False),
        (present("cat"), event(kind="unknown", label="unknown"), False),
    ],
)
def test_a_presence_holds_for_what_is_displayed(watched: Presence, seen: Event, holds: bool) -> None:
    assert watched.holds(seen, vocabulary()) is holds


def test_a_presence_goes_by_names_of_your_own() -> None:
    wanted = WantedNames("", own_names({"tabby": "Mia"}))
    assert present("mia").holds(event("Mia"), vocabulary(wanted))
    assert present("tabby").holds(event("Mia"), vocabulary(wanted))


def test_something_is_there_while_an_event_of_it_lasts() -> None:
    watched = [present("cat"), Presence("other", "name", "dog")]
    assert presence_record(watched, [], vocabulary()) == {"key": False, "other": False}
    assert presence_record(watched, [event("espresso"), event()], vocabulary()) == {"key": True, "other": False}
