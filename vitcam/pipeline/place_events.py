"""The events of the whole view or each zone, and of what is followed there: each place has a state of its own."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count
from types import MappingProxyType

from vitcam.events import EventState, Rules, finish, step, vanish
from vitcam.frames import NO_MODEL, UNKNOWN, Event, Place, Prediction
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.names.vocabulary import Vocabulary
from vitcam.pipeline.things import GAP_NS, SeenThings

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
                zone=prediction.zone, track=prediction.track, model=prediction.model, kind="unknown",
            )  # fmt: skip
            return (self._event,)
        return ()

    @property
    def lasts(self) -> bool:
        """Whether something unknown is there."""
        return self._event is not None

    def finish(self) -> tuple[Event, ...]:
        """The end of the event that lasts, when something unknown was seen last; nothing if there is none."""
        lasting, self._event = self._event, None
        return () if lasting is None else (replace(lasting, phase="end", end_ns=self._last_ns),)


@dataclass(slots=True)
class _PlaceState:
    """What is known of a place."""

    state: EventState = field(default_factory=EventState)
    unknown: UnknownWatch = field(default_factory=UnknownWatch)
    seen_ns: int = 0
    """Of the last look."""


class PlaceEvents:
    """Called by the publishing thread only; `rules` may be replaced, `pending` and `lasting` read in any thread.

    areas       the zones in force; None: nobody tells, so every zone that predictions name exists
    vocabulary  by which zones may name labels and groups; None: as predictions have them
    followed    the numbers of what is followed now, called in the publishing thread; None: nobody tells, so a track is
                gone once it was not looked at for long
    """

    def __init__(
        self,
        rules: Rules,
        areas: ActiveAreas | None = None,
        vocabulary: Vocabulary | None = None,
        followed: Callable[[], Collection[int]] | None = None,
    ) -> None:
        self.rules = rules
        self.pending: frozenset[Place] = frozenset()
        """Places at which an event may begin or end with one of the next predictions."""
        self.lasting: Mapping[Place, Event] = MappingProxyType({})
        """What is there now; replaced as a whole."""
        self._active = areas
        self._areas = Areas()
        self._rules_of: tuple[Rules, Mapping[str | None, Rules]] = (rules, {})
        """The common rules, and what they are in each zone."""
        self._vocabulary = vocabulary
        self._named_by: object = None
        """State of the vocabulary that those rules go by."""
        self._followed = followed
        self._places: dict[Place, _PlaceState] = {}
        self._with_boxes: set[str | None] = set()
        """Zones in which something was followed."""
        self._things = SeenThings()
        self._numbers = map(str, count(1))
        self._model = NO_MODEL

    def step(self, prediction: Prediction, new_id: Callable[[], str]) -> tuple[tuple[Event, ...], bool]:
        """Take one prediction into account.

        new_id   called once for each event that is reported as new
        returns  the events to report, and whether there is another label at its place now
        """
        now_ns = prediction.captured_ns
        ended = self._take_model(prediction) + self._take_areas(now_ns) + self.pass_time(now_ns)
        place = prediction.place
        if self._active is not None and place.zone not in self._zones:  # its zone was deleted a moment ago
            return ended, False
        if place.track is not None:
            self._with_boxes.add(place.zone)
        if prediction.at_rest:  # what is seen there is nothing that came
            prediction = replace(prediction, blank=True, unfamiliar=False)
        watched = self._places.setdefault(place, _PlaceState())
        before, rules = watched.state, self._current_rules(place.zone)
        watched.seen_ns = prediction.captured_ns
        watched.state, events = step(rules, before, prediction, self._new_number)
        if place.track is None and not watched.unknown.lasts and self._is_named_in_a_box(place.zone):
            prediction = replace(prediction, unfamiliar=False)  # what the view has no word for is in the box
        unknown = watched.unknown.step(rules, watched.state, prediction, self._new_number)
        reports = self._report(unknown + events, watched.state, prediction, new_id)
        if watched.state.pending != (place in self.pending):
            self.pending = self.pending.symmetric_difference({place})
        label = watched.state.label
        return ended + reports, label is not None and label != before.label

    def pass_time(self, now_ns: int) -> tuple[Event, ...]:
        """What ends because it is not followed any more, or was out of sight for too long.

        now_ns  capture time of the newest frame
        """
        if not self._with_boxes:  # nothing was followed
            return self._things.pass_time(now_ns)
        tracks = None if self._followed is None else self._followed()
        ended: tuple[Event, ...] = ()
        for place, watched in [*self._places.items()]:
            if place.track is None or (tracks is not None and place.track in tracks):
                continue
            gap_ns = GAP_NS if tracks is None else round(self._current_rules(place.zone).gap_s * 1e9)
            if now_ns - watched.seen_ns >= gap_ns:
                ended += self._leave(place, vanish(watched.state))
        return ended + self._things.pass_time(now_ns)

    def unseen(self, now_ns: int, stood_ns: Mapping[Place, int]) -> tuple[Event, ...]:
        """What ends at its last sighting, since nothing is looked at: each place is forgotten after its gap.

        now_ns    capture time of the newest frame
        stood_ns  those of the last frames in which nothing had moved at a place since its last look
        """
        ended = self._take_areas(now_ns)
        for place, watched in [*self._places.items()]:
            at_ns = stood_ns.get(place, 0)
            if now_ns - max(watched.seen_ns, at_ns) >= self._current_rules(place.zone).gap_s * 1e9:
                ended += self._leave(place, vanish(watched.state, at_ns), lingers=place.zone in self._with_boxes)
        return ended + self._things.pass_time(now_ns)

    def finish(self, now_ns: int) -> tuple[Event, ...]:
        """End what still lasts, because no more predictions will come."""
        ended = tuple(event for place in [*self._places] for event in self._finish(place, now_ns))
        return ended + self._things.finish()

    def _is_named_in_a_box(self, zone: str | None) -> bool:
        return any(place.zone == zone and place.track is not None for place in self.lasting)

    @property
    def _zones(self) -> tuple[str | None, ...]:
        return self._areas.names or (None,)

    def _new_number(self) -> str:
        """Of the event of a place, which has no id yet."""
        return next(self._numbers)

    def _report(
        self, events: tuple[Event, ...], state: EventState, prediction: Prediction, new_id: Callable[[], str]
    ) -> tuple[Event, ...]:
        """What is reported of the events of one place."""
        lasting = state.current
        reports: tuple[Event, ...] = ()
        for event in events:
            if event.phase == "end":
                reports += self._things.end(event, event.zone in self._with_boxes)
            else:
                known = lasting if event.kind == "seen" else None
                reports += self._things.take(event, known, prediction, new_id)
        if lasting is not None:
            reports += self._things.note(lasting.event, lasting, prediction)
        self._note_lasting()
        return reports

    def _take_model(self, prediction: Prediction) -> tuple[Event, ...]:
        """Another model speaks: end what the one before has seen, since no event mixes the labels of two."""
        if prediction.model is self._model:
            return ()
        self._model = prediction.model
        return self.finish(prediction.captured_ns)

    def _take_areas(self, now_ns: int) -> tuple[Event, ...]:
        """Where the zones have changed: end what lasts in those that are gone or lie elsewhere now."""
        if self._active is None or self._active.areas is self._areas:
            return ()
        before = {zone.name: zone.region for zone in self._areas.zones}
        self._areas = self._active.areas
        self._rules_of = (self.rules, {})
        same = {zone.name for zone in self._areas.zones if before.get(zone.name) == zone.region}
        going_on = same if self._areas.zones else {None}
        self._with_boxes &= going_on
        gone = [place for place in self._places if place.zone not in going_on]
        ended = tuple(event for place in gone for event in self._finish(place, now_ns))
        return ended + self._things.finish(going_on)

    def _finish(self, place: Place, now_ns: int) -> tuple[Event, ...]:
        return self._leave(place, finish(self._places[place].state, now_ns)[1], lingers=False)

    def _leave(self, place: Place, events: tuple[Event, ...], lingers: bool = True) -> tuple[Event, ...]:
        """Forget a place, whose events end."""
        events += self._places.pop(place).unknown.finish()
        self.pending = self.pending - {place}
        reports = tuple(report for event in events for report in self._things.end(event, lingers))
        self._note_lasting()
        return reports

    def _note_lasting(self) -> None:
        found = {
            place: event
            for place, watched in self._places.items()
            if (lasts := watched.state.current) is not None and (event := self._things.event_of(lasts.event.id))
        }
        if found != self.lasting:
            self.lasting = MappingProxyType(found)

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
