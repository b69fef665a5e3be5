"""The events of every place: of the whole view or each zone, and of what is followed there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType

from vitcam.events import EventState, Rules, finish, step
from vitcam.frames import UNKNOWN, Event, Place, Prediction
from vitcam.names.vocabulary import Vocabulary
from vitcam.zones.active import ActiveAreas
from vitcam.zones.areas import Areas, Zone

_BEFORE = EventState()
_BEGINS_NS = 5_000_000_000
_ENDS_NS = 10_000_000_000  # a guess that counts as known for a moment does not cut it in two


@dataclass(slots=True)
class UnknownWatch:
    """Finds times in which something is to be seen that the model has no word for. Blank pictures are not among them.

    Of one place. Fed with every prediction, in order. Pure, as `vitcam.events`.
    """

    _since_ns: int | None = None
    _last_ns: int = 0
    _event: Event | None = None

    def step(
        self, rules: Rules, state: EventState, prediction: Prediction, new_id: Callable[[], str]
    ) -> tuple[Event, ...]:
        """A new event, or the end of the one that lasted; mostly nothing.

        rules   of its zone: where they name labels, `unknown` must be among them
        state   of the other events there, after this prediction: while one lasts, what is seen is not unknown
        new_id  called once for each event that begins
        """
        now = prediction.captured_ns
        other = state.current is not None or bool(rules.labels and UNKNOWN not in rules.labels)
        if prediction.unfamiliar and not other:
            self._since_ns = now if self._since_ns is None else self._since_ns
            self._last_ns = now
        elif self._since_ns is not None and (other or now - self._last_ns > _ENDS_NS):
            self._since_ns = None
            return self.finish()
        if self._event is None and self._since_ns is not None and self._last_ns - self._since_ns >= _BEGINS_NS:
            self._event = Event(
                new_id(), "new", UNKNOWN, prediction.strangeness, self._since_ns, None, prediction.source,
                zone=prediction.zone, kind="unknown",
            )  # fmt: skip
            return (self._event,)
        return ()

    def finish(self) -> tuple[Event, ...]:
        """The end of the event that lasts, when something unknown was seen last; nothing if there is none."""
        lasting, self._event = self._event, None
        return () if lasting is None else (replace(lasting, phase="end", end_ns=self._last_ns),)


class PlaceEvents:
    """Called by the publishing thread only; `rules` may be replaced, `pending` and `lasting` read in any thread.

    areas       the zones in force; None: nobody tells, so every zone that predictions name exists
    vocabulary  by which zones may name labels and groups; None: as predictions have them
    """

    def __init__(self, rules: Rules, areas: ActiveAreas | None = None, vocabulary: Vocabulary | None = None) -> None:
        self.rules = rules
        self.pending: frozenset[Place] = frozenset()
        """Places at which an event may begin with one of the next predictions."""
        self.lasting: Mapping[Place, Event] = MappingProxyType({})
        """What is there now; replaced as a whole."""
        self._active = areas
        self._areas = Areas()
        self._rules_of: tuple[Rules, Mapping[str | None, Rules]] = (rules, {})
        """The common rules, and what they are in each zone."""
        self._vocabulary = vocabulary
        self._named_by: object = None
        """State of the vocabulary that those rules go by."""
        self._states: dict[Place, EventState] = {}
        self._unknown: dict[Place, UnknownWatch] = {}

    def step(self, prediction: Prediction, new_id: Callable[[], str]) -> tuple[tuple[Event, ...], bool]:
        """Take one prediction into account.

        new_id   called once for each event that begins
        returns  the events to report, and whether there is another label at its place now
        """
        ended = self._take_areas(prediction.captured_ns)
        place = prediction.place
        if self._active is not None and place.zone not in self._zones:  # its zone was deleted a moment ago
            return ended, False
        before = self._states.get(place, _BEFORE)
        rules = self._current_rules(place.zone)
        after, events = step(rules, before, prediction, new_id)
        self._states[place] = after
        self._note_lasting(place, after.current.event if after.current else None)
        unknown = self._unknown.setdefault(place, UnknownWatch()).step(rules, after, prediction, new_id)
        if after.pending != (place in self.pending):
            self.pending = self.pending.symmetric_difference({place})
        return ended + unknown + events, after.label is not None and after.label != before.label

    def finish(self, now_ns: int) -> tuple[Event, ...]:
        """End what still lasts, because no more predictions will come."""
        return tuple(event for place in [*self._states] for event in self._finish(place, now_ns))

    @property
    def _zones(self) -> tuple[str | None, ...]:
        return self._areas.names or (None,)

    def _take_areas(self, now_ns: int) -> tuple[Event, ...]:
        """Where the zones have changed: end what lasts in those that are gone or lie elsewhere now."""
        if self._active is None or self._active.areas is self._areas:
            return ()
        before = {zone.name: zone.region for zone in self._areas.zones}
        self._areas = self._active.areas
        self._rules_of = (self.rules, {})
        same = {zone.name for zone in self._areas.zones if before.get(zone.name) == zone.region}
        going_on = same if self._areas.zones else {None}
        gone = [place for place in self._states if place.zone not in going_on]
        return tuple(event for place in gone for event in self._finish(place, now_ns))

    def _finish(self, place: Place, now_ns: int) -> tuple[Event, ...]:
        _, events = finish(self._states.pop(place), now_ns)
        self._note_lasting(place, None)
        self.pending = self.pending - {place}
        return events + self._unknown.pop(place).finish()

    def _note_lasting(self, place: Place, event: Event | None) -> None:
        if event is not self.lasting.get(place):
            others = {other: lasts for other, lasts in self.lasting.items() if other != place}
            self.lasting = MappingProxyType(others if event is None else {**others, place: event})

    def _current_rules(self, zone: str | None) -> Rules:
        common, by_zone = self._rules_of
        named_by = None if self._vocabulary is None else self._vocabulary.state
        if common is not self.rules or named_by != self._named_by:
            common, by_zone, self._named_by = self.rules, {}, named_by
        if zone not in by_zone:
            found = next((each for each in self._areas.zones if each.name == zone), None)
            by_zone = {**by_zone, zone: common if found is None else zone_rules(common, found, self._vocabulary)}
            self._rules_of = (common, by_zone)
        return by_zone[zone]


def zone_rules(common: Rules, zone: Zone, vocabulary: Vocabulary | None = None) -> Rules:
    """The rules of a zone: its own where it has some, else the common ones.

    vocabulary  by which it may name labels and groups; None: as predictions have them
    """
    enter = common.enter if zone.enter is None else zone.enter
    leave = common.leave if zone.leave is None else zone.leave
    dwell_s = common.dwell_s if zone.dwell_s is None else zone.dwell_s
    meant = zone.labels if vocabulary is None else chain.from_iterable(map(vocabulary.names_of, zone.labels))
    labels = frozenset(meant)
    # a zone may enter below the common `leave`: what has just begun must not end at once
    return replace(common, enter=enter, leave=min(leave, enter), dwell_s=dwell_s, labels=labels)
