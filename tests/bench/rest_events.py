"""Events of a camera that rests beside those of the same pictures at full rate, in a time of their own.

The pictures are JPEGs, as a network camera sends them. The stage that classifies, the comparison and the events are the
daemon's own; they are called one after the other, so that the same pictures give the same events on every machine.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count

import cv2
import numpy as np

from tests.bench.wide_views.clips import plans, shots_of
from tests.bench.wide_views.things import Thing, things_of
from tests.picture_by_picture import SteppedPipeline
from vitcam.events import Rules
from vitcam.frames import Event, Frame, Image, Prediction
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.follower import Follower
from vitcam.look.motion import GateOptions, MotionGate
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import decode
from vitcam.pictures.resize import crop_of
from vitcam.pictures.view import Follow
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.rects import Rect
from vitcam.sources.film import Film
from vitcam.sources.source import SMALL
from vitcam_training.data.dataset import data_root

_FPS = 15
_QUALITY = 85
_LATE_S = 0.3
_BEGAN_NS = 1_000_000_000_000
_MINUTES = 10
_VISITS = 8  # of things, in the drawn minutes of a camera
_SIZES = (8.0, 16.0, 32.0)  # % of the view: so large that the whole view names many of them
_SPEEDS = (None, 0.45, 0.9)  # as `Plan.speed`
_VERSIONS = 8  # of a still scene, each with other noise
_SOON_S = 0.2  # from the first picture with weather until the thing comes


_Known = dict[tuple[bytes, Rect], Prediction]
"""Answers to parts of pictures."""


@dataclass(slots=True)
class Watched:
    """What came of one camera."""

    events: list[Event] = field(default_factory=list)
    """As each began, and as each ended."""
    looks: int = 0
    pictures: int = 0


def watch(pictures: Iterable[bytes], classifier: Classifier, rest_s: float, follow: Follow, known: _Known) -> Watched:
    """Classify them at their pace.

    rest_s  0 for every picture
    follow  whether what moves is followed
    known   takes in new answers
    """
    found, numbers = Watched(), map(str, count(1))
    follower = Follower(follow, classifier.input)
    events = PlaceEvents(Rules(), ActiveAreas(), followed=follower.tracks)
    gate = MotionGate(GateOptions(rest_s=rest_s)) if rest_s else None
    options = PipelineOptions(
        "camera", "model", gate=gate, input=classifier.input, follower=follower,
        pending=lambda: events.pending, events=lambda: events.lasting,
    )  # fmt: skip

    def classify(frame: Frame) -> Prediction:
        found.looks += 1
        seen = data, frame.crop
        if seen not in known:
            known[seen] = replace(classifier(frame), attention=None, embedding=None, features=None, evidence=None)
        return replace(known[seen], seq=frame.seq, captured_ns=frame.captured_ns)

    def publish(frame: Frame, prediction: Prediction) -> None:
        found.events += events.step(prediction, lambda: next(numbers))[0]

    def whole(data: bytes, seq: int, now_ns: int) -> Frame:
        picture = _decoded(data, small=False)
        return Frame(picture, None, crop_of(classifier.input, *picture.shape[:2]), seq, now_ns, "camera")

    pipeline = SteppedPipeline(options, classify, publish)
    for seq, data in enumerate(pictures):
        now_ns = _BEGAN_NS + seq * 1_000_000_000 // _FPS
        found.pictures += 1
        pipeline.take(now_ns, lambda: _decoded(data, small=True), lambda: whole(data, seq, now_ns))  # noqa: B023
    found.events += events.finish(_BEGAN_NS + found.pictures * 1_000_000_000 // _FPS)
    return found


@lru_cache(maxsize=4 * _VERSIONS)
def _decoded(data: bytes, small: bool) -> Image:
    return decode(data, SMALL).image if small else decode(data).image


def show_events(cameras: int, skipped: int, rest_s: float, follow: Follow) -> None:
    """Print a row for each camera.

    cameras  drawn ones, each of ten minutes; before the first one of all, the filmed ones
    skipped  drawn ones before them
    follow   whether what moves is followed
    """
    classifier = Classifier("everyday", threads=1)
    print(
        "| camera | pictures | looks | events at full rate | missing | by another name | "
        "begun later, of them by > 0.3 s | new ones |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, pictures in _cameras(range(skipped, skipped + cameras), classifier):
        frames, known = list(pictures), _Known()
        full = watch(frames, classifier, 0, follow, known)
        rests = watch(frames, classifier, rest_s, follow, known)
        print(f"| {name} | {_row(full, rests)} |", flush=True)


def _row(full: Watched, rests: Watched) -> str:
    before, after = (_begun(each) for each in (full, rests))
    pairs = [(one, _same(one, after)) for one in before]
    late = [(other.start_ns - one.start_ns) / 1e9 for one, other in pairs if other is not None]
    missing = [one.shown.label for one, other in pairs if other is None]
    new = [one.shown.label for one in after if _same(one, before) is None]
    renamed = [
        f"{one.shown.label}: {other.shown.label}"
        for one, other in pairs
        if other is not None and other.shown.label != one.shown.label
    ]
    later = sum(each > 0 for each in late)
    return (
        f"{full.pictures} | {rests.looks} | {len(before)} | {len(missing)} {missing or ''} | "
        f"{len(renamed)} {renamed or ''} | {later}, {sum(each > _LATE_S for each in late)} | {len(new)} {new or ''}"
    )


def _begun(watched: Watched) -> list[Event]:
    ends = {event.id: event for event in watched.events if event.phase == "end"}
    return [replace(ends[event.id], start_ns=event.start_ns) for event in watched.events if event.phase == "new"]


def _same(one: Event, others: list[Event]) -> Event | None:
    """One that lasted at the same time, by the same name if there is one."""
    slack_ns = round(_LATE_S * 1e9)
    found = [
        other
        for other in others
        if other.start_ns <= (one.end_ns or 0) + slack_ns and one.start_ns <= (other.end_ns or 0) + slack_ns
    ]
    return min(
        found,
        key=lambda other: (other.shown.label != one.shown.label, abs(other.start_ns - one.start_ns)),
        default=None,
    )


def _cameras(drawn: range, classifier: Classifier) -> Iterator[tuple[str, Iterator[bytes]]]:
    if not drawn.start:
        for path in sorted((data_root() / "clips").glob("*.mp4")):
            yield path.name, map(_jpeg, _of_film(Film(path)))
    things = things_of("choose", classifier, "square") if drawn else []
    for number in drawn:
        yield f"drawn camera {number + 1}", _drawn(number, things)


def _of_film(film: Film) -> Iterator[Image]:
    """As many pictures a second as a camera gives."""
    due_s = 0.0
    with film:
        for shot in film:
            if shot.position_s + 1e-3 >= due_s and (picture := shot.picture()) is not None:
                due_s += 1 / _FPS
                yield picture


def _drawn(camera: int, things: list[Thing]) -> Iterator[bytes]:
    """Ten minutes in which now and then a photo comes and goes, in weather; between them only the sensor's noise."""
    planned = plans("choose", 6, _SIZES)
    for visit in range(_VISITS):
        number = _VISITS * camera + visit
        plan = replace(planned[number % len(planned)], height=720, shape="square", fps=_FPS, before_s=_SOON_S)
        plan = replace(plan, speed=_SPEEDS[number % len(_SPEEDS)])
        shots = [shot.picture for shot in shots_of(plan, things[number % len(things)])]
        numbers = np.random.default_rng(number)
        noisy = (shots[0] + numbers.normal(0, 2, shots[0].shape) for _ in range(_VERSIONS))
        still = [_jpeg(np.asarray(np.clip(each, 0, 255), np.uint8)) for each in noisy]
        for n in range(round(60 * _MINUTES / _VISITS * _FPS) - len(shots)):
            yield still[n % _VERSIONS]
        yield from map(_jpeg, shots)


def _jpeg(picture: Image) -> bytes:
    bgr = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    return bytes(cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1])
