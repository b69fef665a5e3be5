"""The events of every zone, or of the whole view: each has a state and rules of its own."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from vitcam.events import EventState, Rules, finish, step
from vitcam.frames import Event, Prediction
from vitcam.pipeline.unknown import UnknownWatch
from vitcam.zones.active import ActiveAreas
from vitcam.zones.areas import Areas, Zone

_BEFORE = EventState()


class ZoneEvents:
    """Called by the publishing thread only; `rules` may be replaced and `pending` read in any thread.

    areas  the zones in force; None: nobody tells, so every zone that predictions name exists
    """

    def __init__(self, rules: Rules, areas: ActiveAreas | None = None) -> None:
        self.rules = rules
        self.pending: frozenset[str | None] = frozenset()
        """Zones in which an event may begin with one of the next predictions; None: in the whole view."""
        self._active = areas
        self._areas = Areas()
        self._rules_of: tuple[Rules, Mapping[str | None, Rules]] = (rules, {})
        """The common rules, and what they are in each zone."""
        self._states: dict[str | None, EventState] = {}
        self._unknown: dict[str | None, UnknownWatch] = {}

    @property
    def label(self) -> str | None:
        """The label of the most probable event; None while there is none."""
        lasting = [state.current.event for state in self._states.values() if state.current]
        return max(lasting, key=lambda event: event.p).label if lasting else None

    def step(self, prediction: Prediction, new_id: Callable[[], str]) -> tuple[tuple[Event, ...], bool]:
        """Take one prediction into account.

        new_id   called once for each event that begins
        returns  the events to report, and whether there is another label in its zone now
        """
        ended = self._take_areas(prediction.captured_ns)
        zone = prediction.zone
        if self._active is not None and zone not in self._zones:  # it was classified just before its zone was deleted
            return ended, False
        before = self._states.get(zone, _BEFORE)
        rules = self._current_rules(zone)
        after, events = step(rules, before, prediction, new_id)
        self._states[zone] = after
        unknown = self._unknown.setdefault(zone, UnknownWatch()).step(rules, after, prediction, new_id)
        if after.pending != (zone in self.pending):
            self.pending = self.pending.symmetric_difference({zone})
        return ended + unknown + events, after.label is not None and after.label != before.label

    def finish(self, now_ns: int) -> tuple[Event, ...]:
        """End what still lasts, because no more predictions will come."""
        return tuple(event for zone in [*self._states] for event in self._finish(zone, now_ns))

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
        kept = same if self._areas.zones else {None}
        gone = [zone for zone in self._states if zone not in kept]
        return tuple(event for zone in gone for event in self._finish(zone, now_ns))

    def _finish(self, zone: str | None, now_ns: int) -> tuple[Event, ...]:
        _, events = finish(self._states.pop(zone), now_ns)
        self.pending = self.pending - {zone}
        return events + self._unknown.pop(zone).finish()

    def _current_rules(self, zone: str | None) -> Rules:
        common, by_zone = self._rules_of
        if common is not self.rules:
            common, by_zone = self.rules, {}
        if zone not in by_zone:
            found = next((each for each in self._areas.zones if each.name == zone), None)
            by_zone = {**by_zone, zone: common if found is None else zone_rules(common, found)}
            self._rules_of = (common, by_zone)
        return by_zone[zone]


def zone_rules(common: Rules, zone: Zone) -> Rules:
    """The rules of a zone: its own where it has some, else the common ones."""
    enter = common.enter if zone.enter is None else zone.enter
    leave = common.leave if zone.leave is None else zone.leave
    dwell_s = common.dwell_s if zone.dwell_s is None else zone.dwell_s
    # a zone may enter below the common `leave`: what has just begun must not end at once
    return replace(common, enter=enter, leave=min(leave, enter), dwell_s=dwell_s, labels=frozenset(zone.labels))
