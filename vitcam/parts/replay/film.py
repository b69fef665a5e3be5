"""What a run with these settings would have told of a film, and done; without a camera, a page and a store."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from vitcam import rules
from vitcam.config.rules import EventRule
from vitcam.config.settings import Settings
from vitcam.film_events import predictions_of, steps_of
from vitcam.frames import Event
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.look.follower import Follower
from vitcam.names.active import ActiveNames
from vitcam.open_model import open_classifier
from vitcam.pictures.view import Region
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.rules import Firing, Instant, RuleState


@dataclass(frozen=True, slots=True)
class WouldAct:
    """A rule that would have acted."""

    at_ns: int
    """From the start of the film."""
    firing: Firing[EventRule]


def replay_video(film: Path, settings: Settings, began: datetime) -> Iterator[Event | WouldAct]:
    """Events as they are known, and the rules that they fire. Every frame is classified in every zone; what moves is
    followed again where the settings say that it is followed.

    began   local time at the film's start, for rules with `between`
    raises  ModelError, SourceError, UsageError
    """
    classifier = open_classifier(settings.model)
    classifier.call_by(ActiveNames(settings.names.wanted))
    vocabulary, state, due_ns = classifier.vocabulary(), RuleState(), 0
    areas, crop = areas_of(settings), settings.camera.crop
    region = Region.parse(crop) if crop else None
    acting = [rule for rule in settings.rules_of(EventRule) if rule.kinds]
    follower = Follower(settings.look.follow_in(camera=False), classifier.input, lambda: region)
    predictions = predictions_of(film, classifier, areas, region, follower)
    told = PlaceEvents(settings.events.rules, ActiveAreas(areas), vocabulary, follower.tracks)
    for now_ns, events in steps_of(predictions, told):
        now = Instant.at(now_ns, began + timedelta(microseconds=now_ns // 1000))
        tick = () if now_ns < due_ns else (None,)
        due_ns = now_ns + round(rules.TICK_S * 1e9) if tick else due_ns
        for event in (*events, *tick):
            state, firings = rules.step(acting, vocabulary, state, now, event)
            if event is not None:
                yield event
            yield from (WouldAct(now_ns, firing) for firing in firings)


def areas_of(settings: Settings) -> Areas:
    """Zones and masks of the configuration."""
    zones = (
        Zone(each.name, Region.parse(each.rect), each.labels, each.enter, each.leave, each.dwell_s, each.follow)
        for each in settings.zones
    )
    return Areas(tuple(zones), tuple(map(Region.parse, settings.camera.masks)))


def follows(settings: Settings) -> bool:
    """Whether what moves is followed in a video."""
    return Follower(settings.look.follow_in(camera=False)).is_on(areas_of(settings))
