"""Events of what is followed keep their box, a picture of it in the camera's own px, and what that picture shows."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.eventually import eventually
from tests.frames import SECOND, picture, prediction
from tests.histories import START_MS, SUMMARY, change
from vitcam.events import Rules
from vitcam.frames import Detail, Event, Frame, Guess, Prediction
from vitcam.history.export import labelled_pictures
from vitcam.history.record import full_record
from vitcam.history.recorder import Recorder
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import EventChange, FrameSummary, Query, StoredEvent
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.rects import Box, Rect

WIDTH, HEIGHT = 640, 320
RECT = Rect(64, 32, 64, 64)
BOX = Box.around(RECT, (WIDTH, HEIGHT))


def seen(label: str, p: float, at_ns: int, track: int | None = None) -> Prediction:
    crop = Rect(160, 0, 320, 320) if track is None else RECT
    return replace(prediction(label, p, at_ns), size=(WIDTH, HEIGHT), crop=crop, track=track)


def frame(at_ns: int, crop: Rect) -> Frame:
    """Grey, with a white box of which the camera has three times as many px."""
    detail = Detail(RECT, np.full((192, 192, 3), 255, np.uint8))
    return Frame(picture(HEIGHT, WIDTH), None, crop, 0, at_ns, "test", details=(detail,))


class Story:
    """A recorder that is told what a publisher would tell it, ten looks a second that take turns."""

    def __init__(self) -> None:
        self.changes: list[EventChange] = []
        self.recorder = Recorder(self.changes.append)
        self.events = PlaceEvents(Rules())
        self.ns = 0
        self.ids = iter("abcdefgh")

    def see(self, seconds: float, *looks: Callable[[int], Prediction]) -> None:
        for turn in range(round(seconds * 10)):
            self.ns += SECOND // 10
            look = looks[turn % len(looks)](self.ns)
            events: tuple[Event, ...] = self.events.step(look, lambda: next(self.ids))[0]
            self.recorder.saw(frame(self.ns, look.crop), look, events)

    def last(self, event_id: str) -> EventChange:
        return next(each for each in reversed(self.changes) if each.event.id == event_id)


def test_an_event_of_a_box_has_the_whole_frame_and_its_box_in_the_cameras_px() -> None:
    story = Story()
    story.see(2, lambda ns: seen("fence", 0.9, ns), lambda ns: seen("robin", 0.9, ns, 7))

    (fence,) = [each for each in story.changes if each.event.label == "fence"]
    (robin,) = [each for each in story.changes if each.event.label == "robin"]

    assert (fence.event.box, fence.detail, fence.event.summary.detail) == (None, None, None)
    assert (robin.event.track, robin.event.box) == (7, BOX)
    assert (robin.event.summary.crop, robin.event.summary.detail) == (RECT, (192, 192))
    assert decode_image(robin.jpeg or b"").shape == (HEIGHT, WIDTH, 3)
    assert decode_image(robin.detail or b"").shape == (192, 192, 3)
    assert decode_image(robin.detail or b"").min() > 250, "it is the camera's part, not that of the grey frame"


def test_an_event_that_began_in_the_view_gets_the_picture_of_its_box_as_soon_as_it_has_one() -> None:
    story = Story()
    story.see(2, lambda ns: seen("robin", 0.95, ns))
    story.see(6, lambda ns: seen("robin", 0.6, ns, 7))
    story.recorder.close(story.events.finish(story.ns))

    assert [each.event.id for each in story.changes if each.phase == "new"] == ["a"]
    boxed = [each for each in story.changes if each.detail is not None]
    assert (boxed[0].event.box, boxed[0].event.summary.crop) == (BOX, RECT)
    assert story.last("a").event.box == BOX


def shown(of: str) -> bytes:
    """A picture with stripes that lie or stand."""
    image = picture(96, 96, 100)
    (image[::8] if of == "lying" else image[:, ::8])[:] = 200
    return encode_jpeg(image, 90)


WHOLE = encode_jpeg(picture(HEIGHT, WIDTH), 80)
BOXED = replace(SUMMARY, size=(WIDTH, HEIGHT), crop=RECT, detail=(96, 96))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    asked: list[FrameSummary] = []

    def reclassify(jpeg: bytes, event: StoredEvent) -> FrameSummary:
        summary = event.summary
        height, width = decode_image(jpeg).shape[:2]
        assert summary.crop.x + summary.crop.width <= width
        asked.append(summary)
        return replace(summary, size=(width, height), top=(Guess(f"asked at {width}", 0.7),))

    made = EventStore(tmp_path, reclassify=reclassify)
    made.start()
    yield made
    made.stop(10)


def keep(store: EventStore, event_id: str, detail: bytes, box: Box = BOX, at_ms: int = 0, **fields: Any) -> StoredEvent:
    times: dict[str, Any] = {"start_ms": START_MS + at_ms, "end_ms": START_MS + at_ms + 1000}
    one = change(event_id, "end", jpeg=WHOLE, track=7, box=box, summary=BOXED, **times, **fields)
    store.put(replace(one, detail=detail))
    store._queue.flush()
    found = eventually(partial(store.get, event_id))
    assert found is not None
    return found


def test_a_stored_event_has_its_box_both_pictures_and_what_the_model_says_of_the_box(store: EventStore) -> None:
    event = keep(store, "a", shown("lying"))
    record = full_record(event, base="/cam")

    assert (event.track, event.box, event.summary.crop, event.summary.detail) == (7, BOX, RECT, (96, 96))
    assert (store.picture(event), store.detail(event)) == (WHOLE, shown("lying"))
    assert event.summary.top == (Guess("asked at 96", 0.7),), "a replay asks the picture of the box"
    assert (record["track"], record["box"]) == (7, str(BOX))
    assert record["detail"] == "/cam/api/events/a/detail.jpg"
    assert record["picture"] == {"width": WIDTH, "height": HEIGHT, "crop": [0.1, 0.1, 0.1, 0.2]}


def test_both_pictures_go_with_their_event(store: EventStore) -> None:
    keep(store, "a", shown("lying"))
    second = keep(store, "b", shown("lying"), at_ms=60_000)
    store.delete("a")
    left = sum(path.stat().st_size for path in store.folder.rglob("frames/*/*.jpg"))

    assert (second.frame_of, store.detail(second)) == (None, shown("lying")), "it looks the same, and has its own"
    assert left == len(WHOLE) + len(shown("lying"))
    store.delete("b")
    assert [*store.folder.rglob("frames/*/*.jpg")] == []


def test_a_start_keeps_both_pictures_of_an_event_and_removes_those_that_belong_to_none(tmp_path: Path) -> None:
    store = EventStore(tmp_path)
    store.start()
    event = keep(store, "a", shown("lying"))
    store.stop(10)
    whole = tmp_path / str(event.frame)
    left = [whole.with_name("b-1234.jpg"), whole.with_name("b-1234.box.jpg"), whole.with_name("a-0000.box.jpg")]
    for path in left:
        path.write_bytes(WHOLE)

    again = EventStore(tmp_path, RetentionRules())
    again.start()
    again.put(change("c", "new"))
    assert eventually(partial(again.get, "c"))
    again.stop(10)

    assert (again.picture(event), again.detail(event)) == (WHOLE, shown("lying"))
    assert not any(path.exists() for path in left)


def test_a_correction_and_a_data_set_get_the_picture_of_the_box(store: EventStore) -> None:
    keep(store, "a", shown("lying"))
    store.correct("a", "robin")

    (filed,) = store.folder.rglob("datasets/corrections/robin/a.jpg")
    assert filed.read_bytes() == shown("lying")
    assert [*labelled_pictures(store, Query())] == [("robin", "a", shown("lying"))]


@pytest.mark.parametrize("text", ["", "1,2", "nan,0,1,1", "0,0,2,1", "0,0,0,1", "a,b,c,d", "0,0,1,1,1"])
def test_a_box_that_lies_in_no_frame_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"number|convert|unpack"):
        Box.parse(text)
