"""What a run with these settings would have told of a video, and done; without a camera, a page and a store.

Every frame is classified, as fast as the machine can. Times are those of the video.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

from vitcam import rules
from vitcam.config.rules import EventRule
from vitcam.config.settings import Settings
from vitcam.events import Rules
from vitcam.follow.follower import Follower
from vitcam.frames import Event, Frame, Image, Prediction
from vitcam.model.classifier import Classifier, open_classifier
from vitcam.names.active import ActiveNames
from vitcam.pictures.resize import crop_of, rect_of
from vitcam.pictures.view import Region
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.rules import Firing, Instant, RuleState
from vitcam.sources.film import Film
from vitcam.sources.masks import blackened
from vitcam.zones.active import ActiveAreas
from vitcam.zones.areas import NO_AREAS, Areas, Zone, mask_rect

_RULES = Rules()


def predictions_of(
    path: Path,
    classifier: Classifier,
    areas: Areas = NO_AREAS,
    region: Region | None = None,
    follower: Follower | None = None,
) -> Iterator[Prediction]:
    """What the model says of the view, or of each zone, in each frame; `captured_ns` counts from the start of the film.

    areas     their masks are made black first
    region    without zones: the part of the view that the model sees; None: all of it
    follower  is shown each frame, and says what else is looked at
    raises    SourceError for what is not a video; UsageError where a zone does not fit its picture
    """
    parts: list[tuple[str | None, Region | None]] = [(zone.name, zone.region) for zone in areas.zones]
    with Film(path) as film:
        for seq, shot in enumerate(film):
            picture = shot.picture()
            if picture is None:  # a damaged one is a gap
                continue
            picture = blackened(picture, tuple(mask_rect(mask, *picture.shape[:2]) for mask in areas.masks))
            for zone, part in parts or [(None, region)]:
                frame = _frame(picture, part, classifier, seq, round(shot.position_s * 1e9), str(path))
                yield replace(classifier(frame), zone=zone)
            if follower is not None:
                yield from _followed(follower, classifier, frame, areas)


def _followed(follower: Follower, classifier: Classifier, frame: Frame, areas: Areas) -> Iterator[Prediction]:
    """What the model says of the boxes in a frame, one after the other."""
    follower.take(frame, areas)
    for look in follower.looks(frame):
        if not look.is_due:
            continue
        found = replace(classifier(look.frame), zone=look.place.zone, track=look.place.track)
        if look.of_rest:
            follower.looked_at_rest(found)
        else:
            yield follower.looked(found)


def _frame(picture: Image, region: Region | None, classifier: Classifier, seq: int, at_ns: int, source: str) -> Frame:
    height, width = picture.shape[:2]
    within = None if region is None else rect_of(region, height, width)
    return Frame(picture, None, crop_of(classifier.input, height, width, within), seq, at_ns, source)


def steps_of(predictions: Iterable[Prediction], events: PlaceEvents) -> Iterator[tuple[int, tuple[Event, ...]]]:
    """The time of each prediction, in ns, and what begins, lasts or ends with it. The film's end ends all."""
    numbers, last_ns = map(str, count(1)), 0
    for prediction in predictions:
        last_ns = prediction.captured_ns
        yield last_ns, events.step(prediction, lambda: next(numbers))[0]
    yield last_ns, events.finish(last_ns)


def events_of_film(path: Path, classifier: Classifier, rules: Rules = _RULES) -> Iterator[Event]:
    """The events of a film, as a camera would have reported them; every frame is classified, as fast as possible.

    Their times count from the start of the film, in ns, and their ids from 1.

    raises  SourceError for what is not a video
    """
    for _, events in steps_of(predictions_of(path, classifier), PlaceEvents(rules)):
        yield from events


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
    follower = Follower(settings.look.follow, classifier.input, lambda: region)
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
    return Follower(settings.look.follow).is_on(areas_of(settings))
