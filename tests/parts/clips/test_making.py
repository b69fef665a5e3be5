"""A run makes clips where it can, and says why where it cannot."""

import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.frames import SECOND, prediction
from tests.parts.clips.cuts import ClipHistory, a_history, event, frame_at
from tests.runs import a_run
from vitcam.config.settings import Settings
from vitcam.daemon.shutdown import ShutdownRequest
from vitcam.errors import VitcamError
from vitcam.history.database.connections import FILE
from vitcam.history.database.schema import MIGRATIONS, migrate
from vitcam.history.store import EventStore
from vitcam.names.vocabulary import NO_MEANINGS
from vitcam.parts.clips.encoding import ClipQueue
from vitcam.parts.clips.recorder import ClipRecorder, make
from vitcam.parts.clips.settings import ClipSettings
from vitcam.run.ending import Ending

_EVENT = """INSERT INTO events (id, kind, label, camera, start_ms, seen_ms, p, peak, sight, curve, clip)
VALUES (?, 'seen', 'cup', 'demo', 1000, 2000, 0.5, 0.5,
    '{"top": [["cup", 0.5]], "size": [0, 0], "crop": [0, 0, 0, 0], "grid": null, "familiarity": null}', x'', ?)"""
ON = Settings().with_section("clips", ClipSettings(enabled=True))


def test_clips_of_a_run_are_encoded_before_it_ends(tmp_path: Path) -> None:
    with a_history(tmp_path, "01EVENT") as history:
        recorder, queue = make(a_run(settings=ON, history=history.store, vocabulary=NO_MEANINGS))
        assert isinstance(recorder, ClipRecorder)
        assert isinstance(queue, ClipQueue)
        queue.start()
        for step in range(30):
            happened = (event("new", 100),) if step == 0 else ()
            recorder.saw(frame_at(100 + step / 10), prediction(at_ns=100 * SECOND), happened)
        recorder.close((event("end", 100, 103),))
        queue.stop(Ending(ShutdownRequest()))

        assert eventually(lambda: history.clips) == {"01EVENT": "clips/01EVENT.mp4"}
    (figure,) = queue.figures()
    assert figure.values == {("made",): 1, ("left_out",): 0}


@pytest.mark.fault(
    "the history is of an older version, or damaged, when a run with clips starts",
    injected="`events.db` with the tables of version 0.2.0, or with other content, and a clip",
    observed="the run starts, and its clips stay",
)
@pytest.mark.parametrize("damaged", [False, True])
def test_a_run_starts_whatever_the_history_of_before_is(tmp_path: Path, damaged: bool) -> None:
    folder = tmp_path / "clips"
    folder.mkdir()
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as old:
        migrate(old, MIGRATIONS[:5])
        for name, clip in (("01KEPT", "clips/01KEPT.mp4"), ("01LOST", None)):
            (folder / f"{name}.mp4").write_bytes(b"a video")
            old.execute(_EVENT, (name, clip))
    if damaged:
        (tmp_path / FILE).write_bytes(b"damage" * 2000)
    history = ClipHistory(tmp_path, "01NEW")
    _, queue = make(a_run(settings=ON, history=history.store, vocabulary=NO_MEANINGS))
    assert isinstance(queue, ClipQueue)
    history.store.start()
    queue.start()

    assert damaged or eventually(lambda: not (folder / "01LOST.mp4").exists())
    assert eventually(lambda: readable(history.store, "01NEW"))
    queue.close(lambda: True)
    history.store.stop(10)
    assert queue.worker.join(30)
    assert (folder / "01KEPT.mp4").exists()


def readable(store: EventStore, event_id: str) -> bool:
    """Whether the store has it; it cannot be read while it is brought up to date."""
    with suppress(VitcamError):
        return store.get(event_id) is not None
    return False


def test_without_ffmpeg_a_run_says_so_and_has_no_clips(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    assert make(a_run(settings=ON, history=EventStore(tmp_path))) == []
    assert "no clips are recorded: clips need the program ffmpeg, and it is not installed" in caplog.text


def test_clips_without_a_history_are_refused_with_a_sentence(caplog: pytest.LogCaptureFixture) -> None:
    off = replace(ON, store=replace(ON.store, enabled=False))

    assert make(a_run(settings=off)) == []
    assert "no clips are recorded: no events are kept; switch store.enabled on" in caplog.text


def test_switched_off_or_of_files_at_full_speed_nothing_is_recorded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert make(a_run(history=EventStore(tmp_path))) == []
    assert make(a_run(settings=ON, is_live=False)) == []
    assert caplog.text == ""
