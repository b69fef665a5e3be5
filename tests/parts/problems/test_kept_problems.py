"""Problems of a run reach the history, the sinks and the state."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.frames import SECOND, frame, picture, prediction
from tests.parts.problems.cameras import Scenes, fixed_camera
from tests.runs import a_run
from vitcam.config.settings import Settings
from vitcam.daemon.publisher import Publisher
from vitcam.events import Rules
from vitcam.frames import Event, Prediction, Unreadable
from vitcam.history.store import EventStore
from vitcam.history.stored import Query
from vitcam.parts.problems.settings import ProblemSettings
from vitcam.parts.problems.watch import ProblemWatch, make
from vitcam.pipeline.options import PipelineOptions
from vitcam.pipeline.pipeline import Pipeline
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


def a_pipeline() -> Pipeline:
    return Pipeline(PipelineOptions("test", "toy"), lambda _: prediction(), lambda *_: None)


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
        (watch,) = make(a_run(history=store, events=publisher, pipeline=a_pipeline()))
        assert isinstance(watch, ProblemWatch)
        publisher.attach(watch)
        for step in range(400):
            shown, predicted = scenes.at(step / 2)
            covered = replace(shown, preview=picture(180, 320, 0)) if step >= 300 else shown
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


@pytest.mark.parametrize(
    ("source", "frozen_s", "opened"),
    [("/dev/video0", 60.0, True), ("/dev/video0", 0.0, False), ("film.mp4", 60.0, False)],
)
def test_switched_off_nothing_is_reported_and_a_frozen_camera_is_still_opened_again(
    source: str, frozen_s: float, opened: bool
) -> None:
    pipeline = a_pipeline()
    off = Settings().with_section("problems", ProblemSettings(enabled=False, frozen_s=frozen_s))
    made = make(a_run(settings=replace(off, camera=replace(off.camera, source=source)), pipeline=pipeline))
    still = [replace(frame(), captured_ns=second * SECOND) for second in range(1, 100)]

    assert made == []
    assert any(map(pipeline.frozen.take, still)) is opened


def test_files_at_full_speed_are_not_judged() -> None:
    assert make(a_run(is_live=False, pipeline=a_pipeline())) == []
