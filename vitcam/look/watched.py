"""What other programs are told the presence of: the view, each zone, and each label that somebody has asked for.

A model may have thousands of labels. A label is watched if a zone names it, or an object of the run waits for it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from vitcam.frames import UNKNOWN, Event
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import MOST_ZONES, Areas
from vitcam.names.naming import Naming
from vitcam.names.vocabulary import Meanings, Vocabulary, means_displayed
from vitcam.names.wanted import key_of
from vitcam.run.kinds import Watches
from vitcam.run.objects import Objects
from vitcam.text import hashed, slug_of

MOST_WATCHED = 2 * MOST_ZONES
_VIEW = "presence"


@dataclass(frozen=True, slots=True)
class Presence:
    """A presence: whether something is there."""

    key: str
    """Letters, digits and `_`. It stays the same when names, languages and the order of anything change."""
    name: str
    """As people read it."""
    label: str = ""
    """A label or a group, as it was asked for; empty: anything."""
    zone: str | None = None
    """None: anywhere."""

    def holds(self, event: Event, meanings: Meanings) -> bool:
        """Whether a lasting event is one of it."""
        if event.kind == "problem" or (self.zone is not None and event.zone != self.zone):
            return False
        if not self.label:
            return True
        if event.kind == "unknown":
            return key_of(self.label) == UNKNOWN
        return means_displayed(self.label, event, meanings)


def watched_of(areas: Areas, asked: Iterable[tuple[str, str]], naming: Naming) -> tuple[Presence, ...]:
    """At most `MOST_WATCHED`: the view, the zones, then labels anywhere, then labels in a zone.

    asked  (label, zone) of what else is asked for; an empty one: any
    """
    found: dict[str, Presence] = {}
    for each in _all(areas, [*asked], _Names(naming)):
        found.setdefault(each.key, each)
    return tuple(islice(found.values(), MOST_WATCHED))


def _all(areas: Areas, asked: list[tuple[str, str]], names: "_Names") -> Iterator[Presence]:
    of_zones = [(label, zone.name) for zone in areas.zones for label in zone.labels]
    yield Presence(_VIEW, "Something in view")
    for zone in areas.zones:
        yield Presence(_key_of_zone(zone.name), _titled(zone.name), zone=zone.name)
    for label, _ in (*of_zones, *asked):
        if label:
            yield Presence(f"label_{names.slug(label)}", _titled(names.displayed(label)), label)
    alone = {zone.name for zone in areas.zones if len(zone.labels) == 1}  # that zone's own presence says it
    for label, zone_name in (*(pair for pair in of_zones if pair[1] not in alone), *asked):
        if label and zone_name in areas.names:
            key = f"{_key_of_zone(zone_name)}_label_{names.slug(label)}"
            yield Presence(key, f"{_titled(zone_name)}: {names.displayed(label)}", label, zone_name)


class _Names:
    """What a text means, by the names in force."""

    def __init__(self, naming: Naming) -> None:
        self._own: dict[str, str] = {}
        self._displayed: dict[str, str] = {}
        for each in (*naming.of_labels, *naming.of_groups):
            for text in filter(None, (each.own, each.translation, each.name)):
                self._own.setdefault(key_of(text), each.own)
                self._displayed.setdefault(key_of(text), each.name or each.own)

    def slug(self, text: str) -> str:
        """Of the model's own name, so that it stays when names or the language change."""
        return slug_of(key_of(self._own.get(key_of(text), text)))

    def displayed(self, text: str) -> str:
        return self._displayed.get(key_of(text), text)


def _key_of_zone(name: str) -> str:
    """One that is called like a label in another zone is told from it by its hash."""
    slug = slug_of(name)
    return f"zone_{hashed(slug, name) if '_label_' in f'{slug}_' else slug}"


def _titled(name: str) -> str:
    """`front_door` -> `Front door`."""
    plain = " ".join(re.split(r"[\s_-]+", name)).strip() or name
    return plain[:1].upper() + plain[1:]


def presence_record(watched: Iterable[Presence], lasting: Iterable[Event], meanings: Meanings) -> dict[str, bool]:
    """Key of each watched presence -> whether one of the events that last is one of it."""
    events = [*lasting]
    return {each.key: any(each.holds(event, meanings) for event in events) for each in watched}


class WatchedNow:
    """The presences there are, made anew where something that asks for them has changed.

    objects  of the run, some of which wait for labels and zones
    """

    def __init__(self, areas: ActiveAreas, objects: Objects, vocabulary: Vocabulary) -> None:
        self._areas = areas
        self._objects = objects
        self._vocabulary = vocabulary
        self._last: tuple[object, tuple[Presence, ...]] | None = None

    def __call__(self) -> tuple[Presence, ...]:
        """The same value while nothing changes."""
        areas = self._areas.areas
        waiting = tuple((each.label, each.zone) for one in self._objects.each(Watches) for each in one.watched())
        now = (areas, waiting, self._vocabulary.state)
        if self._last is None or self._last[0] != now:
            self._last = now, watched_of(areas, waiting, self._vocabulary.naming)
        return self._last[1]
