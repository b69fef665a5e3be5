"""The events of a film, as a camera would have reported them.

Every frame is classified, as fast as the machine can. Times are those of the film.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from vitcam.events import Rules
from vitcam.frames import Event, Frame, Image, Prediction
from vitcam.look.areas import NO_AREAS, Areas, mask_rect
from vitcam.look.follower import Follower
from vitcam.model.classifier import Classifier
from vitcam.pictures.resize import crop_of, rect_of
from vitcam.pictures.view import Region
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.sources.film import Film
from vitcam.sources.masks import blackened

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
            follower.record_background(found)
        else:
            yield follower.record_look(found)


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
