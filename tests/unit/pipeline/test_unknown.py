"""Something that the model does not know makes an event of its own in each zone, which rules and sinks get, too."""

from dataclasses import replace
from itertools import count

import pytest

from tests.frames import SECOND, prediction
from vitcam.events import Rules
from vitcam.frames import Event
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.pictures.view import Region
from vitcam.pipeline.place_events import PlaceEvents

DOOR = Zone("door", Region(0, 0, 0.5, 1))


class Strange:
    """Predictions of one zone that shows nothing known, five a second."""

    def __init__(self, zone: Zone) -> None:
        self.active = ActiveAreas(Areas((zone,)))
        self.events = PlaceEvents(Rules(), self.active)
        self._numbers = count(1)
        self._now_ns = 0

    def see(self, seconds: float, label: str = "cup", known: bool = False) -> list[tuple[str, str, str | None]]:
        """Phase, kind and zone of what begins and ends meanwhile."""
        made: list[Event] = []
        for _ in range(round(seconds * 5)):
            self._now_ns += SECOND // 5
            p = 0.95 if known else 0.2
            seen = replace(prediction(label, p, self._now_ns), zone="door", known=known, unfamiliar=not known)
            made += self.events.step(seen, lambda: str(next(self._numbers)))[0]
        return [(event.phase, event.kind, event.zone) for event in made if event.phase != "update"]


def test_what_stays_unknown_in_a_zone_is_an_event_until_something_known_comes() -> None:
    strange = Strange(DOOR)

    assert strange.see(4) == []
    assert strange.see(4) == [("new", "unknown", "door")]
    assert strange.see(2, known=True) == [("end", "unknown", "door"), ("new", "seen", "door")]


def test_the_unknown_event_of_a_zone_that_is_deleted_ends_at_once() -> None:
    strange = Strange(DOOR)
    strange.see(8)
    strange.active.replace(Areas())

    assert strange.see(0.2) == [("end", "unknown", "door")]
    assert strange.events.finish(0) == ()


@pytest.mark.parametrize(("labels", "events"), [((), 1), (("cat",), 0), (("cat", "unknown"), 1), (("unknown",), 1)])
def test_a_zone_that_names_labels_has_unknown_events_only_if_it_names_them(
    labels: tuple[str, ...], events: int
) -> None:
    assert len(Strange(replace(DOOR, labels=labels)).see(8)) == events


def test_the_unknown_event_of_a_zone_ends_when_the_zone_watches_other_labels() -> None:
    strange = Strange(DOOR)
    strange.see(8)
    strange.active.replace(Areas((replace(DOOR, labels=("cat",)),)))

    assert strange.see(0.2) == [("end", "unknown", "door")]


def test_an_unknown_event_ends_with_the_run_when_it_was_seen_last() -> None:
    strange = Strange(DOOR)
    strange.see(8)
    (event,) = strange.events.finish(100 * SECOND)

    assert (event.phase, event.label, event.start_ns, event.end_ns) == ("end", "unknown", SECOND // 5, 8 * SECOND)
