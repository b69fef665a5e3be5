"""What a run with these settings would have told of a video, and done; without a camera, a page and a store.

Every frame is classified, as fast as the machine can. Times are those of the video.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

from vitcam.actions import rules
from vitcam.actions.rules import Firing, Instant, RuleState
from vitcam.config.settings import Settings
from vitcam.events import EventState, Rules, finish, step
from vitcam.frames import Event, Frame, Image, Prediction
from vitcam.model.classifier import Classifier, open_classifier
from vitcam.names.active import ActiveNames
from vitcam.names.vocabulary import Vocabulary
from vitcam.pictures.resize import crop_of, rect_of
from vitcam.pictures.view import Region
from vitcam.pipeline.place_events import UnknownWatch, zone_rules
from vitcam.sources.film import Film
from vitcam.sources.masks import blackened
from vitcam.zones.areas import Zone, mask_rect


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the picture that is classified by itself."""

    name: str | None
    """The zone; None: the whole view."""
    region: Region | None
    """None: all of the picture."""
    rules: Rules
    """When something counts as being there."""


def predictions_of(
    path: Path, classifier: Classifier, areas: Sequence[Area], masks: Sequence[Region] = ()
) -> Iterator[Prediction]:
    """What the model says of each area of each frame; `captured_ns` counts from the start of the film.

    masks   parts of the picture that are made black first
    raises  SourceError for what is not a video; UsageError where an area does not fit its picture
    """
    with Film(path) as film:
        for seq, shot in enumerate(film):
            picture = shot.picture()
            if picture is None:  # a damaged one is a gap
                continue
            picture = blackened(picture, tuple(mask_rect(mask, *picture.shape[:2]) for mask in masks))
            for area in areas:
                frame = _frame(picture, area, classifier, seq, round(shot.position_s * 1e9), str(path))
                yield replace(classifier(frame), zone=area.name)


def _frame(picture: Image, area: Area, classifier: Classifier, seq: int, at_ns: int, source: str) -> Frame:
    height, width = picture.shape[:2]
    within = None if area.region is None else rect_of(area.region, height, width)
    return Frame(picture, None, crop_of(classifier.input, height, width, within), seq, at_ns, source)


def steps_of(predictions: Iterable[Prediction], areas: Sequence[Area]) -> Iterator[tuple[int, tuple[Event, ...]]]:
    """The time of each prediction, in ns, and what begins, lasts or ends with it. The film's end ends all."""
    rules_of = {area.name: area.rules for area in areas}
    states = {area.name: EventState() for area in areas}
    unknown = {area.name: UnknownWatch() for area in areas}
    numbers, last_ns = count(1), 0

    def new_id() -> str:
        return str(next(numbers))

    for prediction in predictions:
        last_ns = prediction.captured_ns
        zone = prediction.zone
        states[zone], events = step(rules_of[zone], states[zone], prediction, new_id)
        yield last_ns, unknown[zone].step(rules_of[zone], states[zone], prediction, new_id) + events
    for zone, state in states.items():
        yield last_ns, unknown[zone].finish() + finish(state, last_ns)[1]


@dataclass(frozen=True, slots=True)
class WouldAct:
    """A rule that would have acted."""

    at_ns: int
    """From the start of the film."""
    firing: Firing


def replay_video(film: Path, settings: Settings, began: datetime) -> Iterator[Event | WouldAct]:
    """Events as they are known, and the rules that they fire. Every frame is classified in every zone.

    began   local time at the film's start, for rules with `between`
    raises  ModelError, SourceError, UsageError
    """
    classifier = open_classifier(settings.model)
    classifier.call_by(ActiveNames(settings.names.wanted))
    masks = tuple(map(Region.parse, settings.camera.masks))
    vocabulary, state, due_ns = classifier.vocabulary(), RuleState(), 0
    areas = areas_of(settings, vocabulary)
    for now_ns, events in steps_of(predictions_of(film, classifier, areas, masks), areas):
        now = Instant.at(now_ns, began + timedelta(microseconds=now_ns // 1000))
        tick = () if now_ns < due_ns else (None,)
        due_ns = now_ns + round(rules.TICK_S * 1e9) if tick else due_ns
        for event in (*events, *tick):
            state, firings = rules.step(settings.on, vocabulary, state, now, event)
            if event is not None:
                yield event
            yield from (WouldAct(now_ns, firing) for firing in firings)


def areas_of(settings: Settings, vocabulary: Vocabulary | None = None) -> list[Area]:
    """The zones with their rules, or the part of the picture that the model sees.

    vocabulary  as `zone_rules` takes it
    """
    common = settings.events.rules
    if not settings.zones:
        crop = settings.camera.crop
        return [Area(None, Region.parse(crop) if crop else None, common)]
    zones = (
        Zone(each.name, Region.parse(each.rect), each.labels, each.enter, each.leave, each.dwell_s)
        for each in settings.zones
    )
    return [Area(zone.name, zone.region, zone_rules(common, zone, vocabulary)) for zone in zones]
