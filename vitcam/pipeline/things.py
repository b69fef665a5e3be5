"""Makes one event of one thing that is seen at several places: in a box and in the view around it, or in one box after
the other.

Each place has events of its own, by `vitcam.events`. What is reported of them here keeps one id. A box gives the name,
and not the view around it, however probable that is. What is out of sight is the same thing where its name is displayed
again at an overlapping place soon. This does not count: two things of one name whose boxes overlap are one event.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from vitcam.events import Lasting
from vitcam.frames import Event, Group, Prediction, SecondAnswer
from vitcam.rects import Box
from vitcam.smoothing import Subject

GAP_NS = 10_000_000_000
"""For this time what is followed may be out of sight and still be the same event."""


@dataclass(slots=True, eq=False)
class _SeenThing:
    event: Event
    """As an update of it would report it now. Its `end_ns` is set while it is out of sight."""
    named: Lasting | None
    """What has given it its name; None for something unknown."""
    box: Box | None
    """Where it was seen last; None: it never had a box."""
    seen_ns: int = 0
    """When it was seen last, at any of its places; set once it is out of sight."""
    places: dict[str, Lasting | None] = field(default_factory=dict)
    """Where it is seen: ids of the events of places, those that came last at the end."""
    leader: str = ""
    """Id of the event that says what it is."""
    named_by: str = ""
    """Id of the event that gave it its name."""
    surest: float = 0.0
    """Of what the box was taken from."""
    before: Event | None = None
    """As it was when another place led."""

    def update(self, local: Event, lasting: Lasting | None, prediction: Prediction) -> None:
        """Take over what the event of its leading place says."""
        event, news = self.event, dict[str, Any]()
        if event.end_ns is not None:
            news["end_ns"] = None
        if (box := prediction.box) is not None:
            self.box = box
            if event.track != local.track or local.shown.p > self.surest:
                news |= {"track": local.track, "box": box}
                self.surest = local.shown.p
        second = event.second
        if self._takes_name(local, lasting):
            if not (lasting is None or self.named is None or _is_kin(lasting, self.named)):  # it is another thing
                second = None
            self.named, self.named_by = lasting, local.id
            p, group = self._best(local)
            if (event.label, event.p, event.group) != (local.label, p, group):
                news |= {"label": local.label, "p": p, "group": group}
        second = SecondAnswer.surer(second, _second_of(prediction, lasting))
        if second != event.second:
            news["second"] = second
        if news:  # mostly there are none
            self.event = replace(event, **news)

    def _best(self, local: Event) -> tuple[float, Group | None]:
        """The best probability so far of what the leading place says, at other places, too."""
        p, group, before = local.p, local.group, self.before
        if before is not None and before.label == local.label:
            p = max(p, before.p)
        if group is not None and before is not None and before.group is not None and before.group.name == group.name:
            group = Group(group.name, max(group.p, before.group.p), group.best)
        return p, group

    def _takes_name(self, local: Event, lasting: Lasting | None) -> bool:
        """Whether the leading place may say what it is called: not if that says less than what is known."""
        named = self.named
        if local.id == self.named_by or named is None or lasting is None or lasting.subject == named.subject:
            return True
        if local.shown.label is None and self.event.shown.label is not None:
            return False
        if local.track is None and self.event.track is not None:  # a box has named it, and is gone
            return named.subject.is_group and not lasting.subject.is_group
        less = lasting.subject.is_group and not named.subject.is_group and lasting.subject in named.kin
        return not (less and lasting.claimed <= {named.subject})


class SeenThings:
    """Used by one thread. The same calls give the same events."""

    def __init__(self) -> None:
        self._things: list[_SeenThing] = []
        """Those that are seen or were a moment ago, in the order in which they began."""
        self._of: dict[str, _SeenThing] = {}
        """By the ids of the events of places."""

    def event_of(self, local_id: str) -> Event | None:
        """What is reported of the event of a place."""
        thing = self._of.get(local_id)
        return None if thing is None else thing.event

    def take(
        self, local: Event, lasting: Lasting | None, prediction: Prediction, new_id: Callable[[], str]
    ) -> tuple[Event, ...]:
        """What is to be reported after a report of an event of a place.

        lasting     what is known of that event; None once it is over, and for something unknown
        prediction  the newest one
        new_id      called once for each event that is reported as new
        """
        thing = self._of.get(local.id)
        if thing is None or local.phase == "new":
            return self._begin(local, lasting, prediction, new_id)
        if thing.leader != local.id:
            thing.places[local.id] = lasting
            if local.track is None and not _is_same(local, lasting, thing, around=True):
                gone = self._leave(thing, local.id, prediction.captured_ns)
                return gone + self._begin(replace(local, start_ns=prediction.captured_ns), lasting, prediction, new_id)
            return ()
        self.note(local, lasting, prediction)
        return (thing.event,)

    def note(self, local: Event, lasting: Lasting | None, prediction: Prediction) -> tuple[Event, ...]:
        """Note what is known of an event of a place between two reports.

        returns  a report where a second model gives another name now
        """
        if (thing := self._of.get(local.id)) is None:
            return ()
        thing.places[local.id] = lasting
        if thing.leader != local.id:
            return ()
        before = thing.event.second
        thing.update(local, lasting, prediction)
        after = thing.event.second
        is_news = after is not None and after.label is not None and (before is None or before.label != after.label)
        return (thing.event,) if is_news else ()

    def end(self, local: Event, lingers: bool) -> tuple[Event, ...]:
        """An event of a place is over.

        lingers  whether the same thing may come again in a moment
        """
        thing = self._of.get(local.id)
        if thing is None:
            return ()
        reports = self._leave(thing, local.id, local.end_ns or 0)
        return reports if lingers or thing.places else self._over(thing)

    def pass_time(self, now_ns: int) -> tuple[Event, ...]:
        """The ends of what has been out of sight for too long."""
        late = [each for each in self._things if not each.places and now_ns - each.seen_ns >= GAP_NS]
        return tuple(event for thing in late for event in self._over(thing))

    def finish(self, kept: Collection[str | None] = ()) -> tuple[Event, ...]:
        """The ends of all that is out of sight, but not in the zones `kept`."""
        over = [each for each in self._things if not each.places and each.event.zone not in kept]
        return tuple(event for thing in over for event in self._over(thing))

    def _begin(
        self, local: Event, lasting: Lasting | None, prediction: Prediction, new_id: Callable[[], str]
    ) -> tuple[Event, ...]:
        box = prediction.box if local.track is not None else None
        thing = self._same(local, lasting, box)
        if thing is None:
            event = replace(local, id=new_id(), phase="new", box=box, second=_second_of(prediction, lasting))
            places = {local.id: lasting}
            thing = _SeenThing(
                replace(event, phase="update"), lasting, box, local.start_ns, places, local.id, local.id, local.shown.p
            )
            taken = self._take_from_others(thing, local, lasting)
            self._things.append(thing)
            self._of[local.id] = thing
            return (*taken, event)
        leads = local.track is not None or not thing.places
        thing.places[local.id] = lasting
        self._of[local.id] = thing
        if not leads:
            return ()
        thing.leader, thing.before = local.id, thing.event
        thing.update(local, lasting, prediction)
        return (thing.event,)

    def _same(self, local: Event, lasting: Lasting | None, box: Box | None) -> _SeenThing | None:
        """The thing that an event which begins at a place is about, if it is known already."""

        def rank(thing: _SeenThing) -> tuple[bool, bool]:
            return _name(thing.event) == _name(local), thing.event.track is not None

        found = [
            thing
            for thing in reversed(self._things)
            if thing.event.zone == local.zone
            and (box is None or thing.box is None or box.overlaps(thing.box))
            and _is_same(local, lasting, thing, around=(box is None) != (thing.box is None))
        ]
        return max(found, key=rank, default=None)

    def _take_from_others(self, thing: _SeenThing, local: Event, lasting: Lasting | None) -> tuple[Event, ...]:
        """The view around a box may have shown another thing, vaguely, which is gone: it shows this one now."""
        reports: tuple[Event, ...] = ()
        for other in self._things if local.track is not None else ():
            if other.event.zone != local.zone or other.event.track is None:
                continue
            vague = {id_: seen for id_, seen in other.places.items() if seen is not None and seen.event.track is None}
            if len(vague) < len(other.places):  # a box holds it
                continue
            for local_id, seen in vague.items():
                if seen is not None and _is_kin(seen, lasting):
                    reports += self._leave(other, local_id, local.start_ns)
                    thing.places = {local_id: seen, **thing.places}
                    self._of[local_id] = thing
        return reports

    def _leave(self, thing: _SeenThing, local_id: str, at_ns: int) -> tuple[Event, ...]:
        """A thing is not seen at one of its places any more; what is to be reported where that was the last one."""
        del thing.places[local_id], self._of[local_id]
        thing.seen_ns = max(thing.seen_ns, at_ns)
        if thing.leader == local_id:
            thing.leader, thing.before = next(reversed(thing.places), ""), thing.event
        if thing.places:
            return ()
        thing.event = replace(thing.event, end_ns=thing.seen_ns)
        return (thing.event,)

    def _over(self, thing: _SeenThing) -> tuple[Event, ...]:
        self._things.remove(thing)
        return (replace(thing.event, phase="end", end_ns=thing.seen_ns),)


def _second_of(prediction: Prediction, lasting: Lasting | None) -> SecondAnswer | None:
    """What a second model says in a prediction, where it was asked about what the event is about."""
    label, level = prediction.shown.label, prediction.shown.level
    if prediction.second is None or lasting is None or label is None:
        return None
    return prediction.second if Subject(label, level == "group") in {lasting.subject, *lasting.kin} else None


def _name(event: Event) -> tuple[str, str]:
    return event.kind, event.shown.label or event.label


def _is_same(local: Event, lasting: Lasting | None, thing: _SeenThing, *, around: bool) -> bool:
    """Whether the event of a place is about a thing, as far as names tell.

    around  one of the two is the view around the other, which may see the same less clearly
    """
    if _name(local) == _name(thing.event):
        return True
    if lasting is None or thing.named is None:
        return False
    return _is_kin(lasting, thing.named) or (
        around and lasting.narrowest is not None and lasting.narrowest == thing.named.narrowest
    )


def _is_kin(one: Lasting, other: Lasting | None) -> bool:
    """Whether both are one thing, seen more or less clearly."""
    return other is not None and (one.subject == other.subject or one.subject in other.kin or other.subject in one.kin)
