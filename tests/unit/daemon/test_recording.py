"""Clips and problems reach the history and the sinks, and what is missing for them is said."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.frames import SECOND, picture, prediction
from tests.parts.clips.cuts import event, frame_at
from tests.problems import Scenes, fixed_camera
from vitcam.config.settings import ClipSettings, ProblemSettings, Settings
from vitcam.daemon.publisher import Publisher
from vitcam.daemon.recording import EventClips, clips_of, problems_of
from vitcam.daemon.shutdown import ShutdownRequest
from vitcam.events import Rules
from vitcam.frames import Event, Prediction, Unreadable
from vitcam.history.store import EventStore
from vitcam.history.stored import EventChange, Query, StoredEvent
from vitcam.run.ending import Ending
from vitcam.sinks.sink import Summary

WITH_CLIPS = replace(Settings(), clips=ClipSettings(enabled=True), problems=ProblemSettings(enabled=False))


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


def stored(event_id: str) -> StoredEvent:
    return StoredEvent(event_id, "seen", "cup", None, "test", 1000, 2000, 0.9, 0.9)


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


def test_a_stored_event_names_its_clip(tmp_path: Path) -> None:
    clip = tmp_path / "clips" / "01EVENT.mp4"
    clip.parent.mkdir()
    clip.write_bytes(b"video")
    with opened(tmp_path) as store:
        store.put(EventChange(stored("01EVENT"), "new"))
        clips = EventClips(store)

        clips.attach("01EVENT", clip)

        assert eventually(lambda: clips.has_clip("01EVENT"))
        assert not clips.has_clip("01OTHER")


def test_why_an_event_has_no_clip_stands_among_its_actions(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.put(EventChange(stored("01EVENT"), "new"))
        EventClips(store).leave_out("01EVENT", "too many other clips wait to be encoded")
        actions = eventually(lambda: (found := store.get("01EVENT")) and found.actions)

    assert actions
    assert (actions[0].rule, actions[0].kind, actions[0].status) == ("clips", "clip", "failed")
    assert actions[0].detail == "too many other clips wait to be encoded"


def test_clips_of_a_run_are_encoded_before_it_ends(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.put(EventChange(stored("01EVENT"), "new"))
        clips = clips_of(WITH_CLIPS, store)
        assert clips is not None
        clips.queue.start()
        for step in range(30):
            happened = (event("new", 100),) if step == 0 else ()
            clips.recorder.saw(frame_at(100 + step / 10), prediction(at_ns=100 * SECOND), happened)
        clips.recorder.close((event("end", 100, 103),))
        clips.queue.stop(Ending(ShutdownRequest()))
        found = eventually(lambda: (event := store.get("01EVENT")) and event.clip and event)

    assert found
    assert found.clip == "clips/01EVENT.mp4"
    assert clips.queue.counts().made == 1


def test_without_ffmpeg_a_run_says_so_and_has_no_clips(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    assert clips_of(WITH_CLIPS, EventStore(tmp_path)) is None
    assert "no clips are recorded: clips need the program ffmpeg, and it is not installed" in caplog.text


def test_clips_without_a_history_are_refused_with_a_sentence(caplog: pytest.LogCaptureFixture) -> None:
    off = replace(WITH_CLIPS, store=replace(WITH_CLIPS.store, enabled=False))

    assert clips_of(off, None) is None
    assert "no clips are recorded: no events are kept; switch store.enabled on" in caplog.text


def test_switched_off_nothing_is_recorded(tmp_path: Path) -> None:
    off = replace(Settings(), problems=ProblemSettings(enabled=False))

    assert clips_of(off, EventStore(tmp_path)) is None
    assert problems_of(off, EventStore(tmp_path), a_publisher()[0]) is None
