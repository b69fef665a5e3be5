"""What a run with these settings would have told of a film, and done. It runs without a camera, a page and a store."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from vitcam.actions import rules
from vitcam.actions.rule_engine import Vocabulary
from vitcam.actions.rules import Firing, Instant, RuleState
from vitcam.config.settings import Settings
from vitcam.frames import Event
from vitcam.model.classifier import open_classifier
from vitcam.pictures.view import Region
from vitcam.pipeline.zone_events import zone_rules
from vitcam.replay.video import Area, predictions_of, steps_of
from vitcam.zones.areas import Zone


@dataclass(frozen=True, slots=True)
class WouldAct:
    """A rule that would have acted."""

    at_ns: int
    """From the start of the film."""
    firing: Firing


def rehearse(film: Path, settings: Settings, began: datetime) -> Iterator[Event | WouldAct]:
    """Events as they are known, and the rules that they fire. Every frame is classified in every zone.

    began   local time at the film's start, for rules with `between`
    raises  ModelError, SourceError, UsageError
    """
    classifier, areas = open_classifier(settings.model), areas_of(settings)
    masks = tuple(map(Region.parse, settings.camera.masks))
    groups, state, due_ns = Vocabulary.of(classifier).groups, RuleState(), 0
    for now_ns, events in steps_of(predictions_of(film, classifier, areas, masks), areas):
        now = Instant.at(now_ns, began + timedelta(microseconds=now_ns // 1000))
        tick = () if now_ns < due_ns else (None,)
        due_ns = now_ns + round(rules.TICK_S * 1e9) if tick else due_ns
        for event in (*events, *tick):
            state, firings = rules.step(settings.on, groups, state, now, event)
            if event is not None:
                yield event
            yield from (WouldAct(now_ns, firing) for firing in firings)


def areas_of(settings: Settings) -> list[Area]:
    """The zones with their rules, or the part of the picture that the model sees."""
    common = settings.events.rules
    if not settings.zones:
        crop = settings.camera.crop
        return [Area(None, Region.parse(crop) if crop else None, common)]
    zones = (
        Zone(each.name, Region.parse(each.rect), each.labels, each.enter, each.leave, each.dwell_s)
        for each in settings.zones
    )
    return [Area(zone.name, zone.region, zone_rules(common, zone)) for zone in zones]
