"""Clips and problems reach the history and the sinks, and what is missing for them is said."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.eventually import eventually
from tests.frames import picture
from tests.parts.problems.cameras import Scenes, fixed_camera
from vitcam.config.settings import ProblemSettings, Settings
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.recording import problems_of
from vitcam.events import Rules
from vitcam.frames import Event, Prediction, Unreadable
from vitcam.history.store import EventStore
from vitcam.history.stored import Query
from vitcam.sinks.sink import Summary


class EventList:
    """A sink that keeps events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def serving(self, url: str) -> None: ...
    def prediction(self, prediction: Prediction, changed: bool) -> None: ...
    def unreadable(self, bad: Unreadable) -> None: ...
    def close(self, summary: Summary | None) -> None: ...

    def event(self, event: Event) -> None:
        self.events.append(event)


@contextmanager
def opened(folder: Path) -> Iterator[EventStore]:
    store = EventStore(folder)
    store.start()
    try:
        yield store
    finally:
        store.stop(5)


def a_publisher() -> tuple[Publisher, EventList]:
    publisher, sink = Publisher(Rules(), lambda: None), EventList()
    publisher.connect(sink)
    return publisher, sink


def test_a_problem_is_kept_with_its_picture_told_to_sinks_and_in_the_state(tmp_path: Path) -> None:
    publisher, sink = a_publisher()
    textured = [*fixed_camera(picture(180, 320), [picture(60, 60, 20)], 30.0)]
    for image in textured:
        image[::20] = 0
    scenes = Scenes(textured, fps=2.0)
    with opened(tmp_path) as store:
        watch = problems_of(Settings(), store, publisher)
        assert watch is not None
        publisher.attach(watch)
        for step in range(400):
            frame, predicted = scenes.at(step / 2)
            covered = replace(frame, preview=picture(180, 320, 0)) if step >= 300 else frame
            publisher.prediction(covered, replace(predicted, known=False, unfamiliar=True))
        during = watch.problem
        publisher.close(None)
        found = eventually(lambda: [e for e in store.find(Query(kind="problem")).events if e.end_ms])
        jpeg = store.picture(found[0])

    assert during == "the camera sees almost nothing: it is covered, or there is no light"
    assert [(each.kind, each.label, each.phase) for each in sink.events if each.kind == "problem"] == [
        ("problem", "camera covered", "new"),
        ("problem", "camera covered", "end"),
    ]
    assert [(each.kind, each.label, each.frame is not None) for each in found] == [("problem", "camera covered", True)]
    assert jpeg is not None


def test_switched_off_nothing_is_recorded(tmp_path: Path) -> None:
    off = replace(Settings(), problems=ProblemSettings(enabled=False))

    assert problems_of(off, EventStore(tmp_path), a_publisher()[0]) is None
