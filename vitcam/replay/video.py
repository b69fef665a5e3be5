"""A film as predictions with the film's own clock: every frame is classified, as fast as the machine can."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from vitcam.events import EventState, Rules, finish, step
from vitcam.frames import Event, Frame, Image, Prediction
from vitcam.model.classifier import Classifier
from vitcam.pictures.resize import crop_of, rect_of
from vitcam.pictures.view import Region
from vitcam.pipeline.unknown import UnknownWatch
from vitcam.sources.film import Film
from vitcam.sources.masks import blackened
from vitcam.zones.areas import mask_rect


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
    rules = {area.name: area.rules for area in areas}
    states = {area.name: EventState() for area in areas}
    unknown = {area.name: UnknownWatch() for area in areas}
    numbers, last_ns = count(1), 0

    def new_id() -> str:
        return str(next(numbers))

    for prediction in predictions:
        last_ns = prediction.captured_ns
        zone = prediction.zone
        states[zone], events = step(rules[zone], states[zone], prediction, new_id)
        yield last_ns, unknown[zone].step(rules[zone], states[zone], prediction, new_id) + events
    for zone, state in states.items():
        yield last_ns, unknown[zone].finish() + finish(state, last_ns)[1]


def events_of(predictions: Iterable[Prediction], areas: Sequence[Area]) -> Iterator[Event]:
    """What begins, lasts and ends in each area, in the order in which it is known."""
    for _, events in steps_of(predictions, areas):
        yield from events
