"""What the recorder hands to the store."""

from dataclasses import replace

from tests.frames import SECOND, frame, picture, prediction
from vitcam.events import Rules
from vitcam.frames import Event, Frame, ModelIdentity, Prediction
from vitcam.history.best_picture import sharpness
from vitcam.history.recorder import Recorder
from vitcam.history.stored import EventChange
from vitcam.names.vocabulary import means_any
from vitcam.pictures.decode import decode_image
from vitcam.pipeline.place_events import PlaceEvents
from vitcam.rects import Rect

TOY = ModelIdentity("toy", "abc")


class Story:
    """A recorder that is told what a publisher would tell it, 10 predictions a second."""

    def __init__(self, forget: frozenset[str] = frozenset()) -> None:
        self.changes: list[EventChange] = []
        self.recorder = Recorder(self.changes.append, forget=lambda event: means_any(forget, event, {}))
        self._events = PlaceEvents(Rules())
        self._count = 0
        self.ns = 0

    def see(self, label: str, p: float, seconds: float, known: bool = True, blank: bool = False) -> None:
        for _ in range(round(seconds * 10)):
            self.ns += SECOND // 10
            seen = replace(prediction(label, p, self.ns), known=known, blank=blank, unfamiliar=not known and not blank)
            seen = replace(seen, model=TOY)
            events, _ = self._events.step(seen, self._new_id)
            self.show(replace(frame(), captured_ns=self.ns), seen, events)

    def show(self, picture: Frame, seen: Prediction, events: tuple[Event, ...]) -> None:
        self.recorder.saw(picture, seen, events)

    def pause(self, seconds: float) -> None:
        self.ns += round(seconds * SECOND)
        self.recorder.unseen(self._events.unseen(self.ns, {}))

    def close(self) -> None:
        self.recorder.close(self._events.finish(self.ns))

    def _new_id(self) -> str:
        self._count += 1
        return f"event-{self._count}"


def test_an_event_begins_with_a_picture_and_ends_with_its_curve() -> None:
    story = Story()
    story.see("cup", 0.9, 2)
    story.close()
    first, last = story.changes[0], story.changes[-1]

    assert (first.phase, last.phase) == ("new", "end")
    assert first.jpeg is not None
    assert decode_image(first.jpeg).shape == (72, 128, 3)
    assert (first.event.label, first.event.end_ms, first.event.model) == ("cup", None, "toy")
    assert last.event.end_ms is not None
    assert last.event.end_ms - last.event.start_ms == 1900
    assert len(last.event.curve) > 10
    assert {round(p, 2) for _, p in last.event.curve} == {0.9}


def test_an_event_that_ends_in_a_pause_is_kept_with_its_last_sighting() -> None:
    story = Story()
    story.see("cup", 0.9, 2)
    story.pause(2)
    last = story.changes[-1]

    assert (last.phase, last.event.label) == ("end", "cup")
    assert last.event.end_ms is not None
    assert last.event.end_ms - last.event.start_ms == 1900


def test_a_curve_begins_with_its_event_although_that_is_told_of_later() -> None:
    """Of that time it has only frames of the same zone."""
    story = Story()
    story.see("cat", 0.9, 3)
    story.see("cup", 0.8, 3)
    story.close()
    cup = next(change for change in reversed(story.changes) if change.event.label == "cup")
    told = next(change for change in story.changes if change.event.label == "cup")

    assert told.event.curve[0][0] == cup.event.curve[0][0] == 0
    assert len(told.event.curve) > 1
    assert round(cup.event.curve[0][1], 2) == 0.8
    assert cup.event.peak == max(p for _, p in cup.event.curve)


def test_what_stays_unknown_for_long_is_one_event() -> None:
    story = Story()
    story.see("cup", 0.2, 4, known=False)
    assert story.changes == []
    story.see("cup", 0.2, 4, known=False)
    story.see("cup", 0.3, 2)
    story.see("cup", 0.2, 4, known=False)
    story.close()

    assert [(change.phase, change.event.kind, change.event.label) for change in story.changes] == [
        ("new", "unknown", "unknown"),
        ("end", "unknown", "unknown"),
    ]


def test_a_blank_picture_is_no_unknown_event() -> None:
    story = Story()
    story.see("cup", 0.2, 20, known=False, blank=True)
    story.close()

    assert story.changes == []


def test_an_event_whose_label_is_to_be_forgotten_leaves_nothing() -> None:
    story = Story(forget=frozenset({"person"}))
    story.see("person", 0.9, 2)
    story.see("cup", 0.9, 2)
    story.close()

    assert {change.event.label for change in story.changes} == {"cup"}


def test_the_sharpness_of_a_zone_is_that_of_its_own_part() -> None:
    image = picture(72, 128)
    image[::2, :32] = 255
    seen = frame(image=image)

    assert sharpness(seen, Rect(0, 0, 32, 72)) > 100
    assert sharpness(seen, Rect(64, 0, 32, 72)) == 1


def test_a_clearly_better_frame_replaces_the_picture_and_a_slightly_better_one_does_not() -> None:
    story = Story()
    story.see("cup", 0.6, 3)
    story.see("cup", 0.62, 3)
    story.see("cup", 0.95, 10)
    story.close()
    pictures = [change for change in story.changes if change.jpeg is not None]

    assert [round(change.event.summary.top[0].p, 2) for change in pictures] == [0.6, 0.95]
    assert pictures[-1].event.peak == 0.95
