"""Clips are encoded one after the other; what cannot be is said in its event, and harms no other."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.parts.clips.cuts import ClipHistory, a_history, cut_of, probed, slow_cut
from vitcam.daemon.shutdown import ShutdownRequest
from vitcam.errors import VitcamError
from vitcam.parts.clips.encoding import ClipQueue
from vitcam.parts.clips.ffmpeg import Ffmpeg, find_ffmpeg
from vitcam.parts.clips.ring import Cut
from vitcam.parts.clips.state import ClipCounts
from vitcam.run.ending import Ending


@contextmanager
def queue(
    state: Path, *event_ids: str, ffmpeg: Ffmpeg | None = None, most_bytes: int = 1 << 30
) -> Iterator[tuple[ClipQueue, ClipHistory]]:
    """One that works, and a history with these events."""
    with a_history(state, *event_ids) as history:
        running = ClipQueue(ffmpeg or find_ffmpeg(), history.store, 10.0, most_bytes)
        running.start()
        try:
            yield running, history
        finally:
            running.close(lambda: True)


def test_a_clip_is_attached_to_its_event_once_the_whole_file_is_there(tmp_path: Path) -> None:
    with queue(tmp_path, "01FIRST", "01SECOND") as (clips, history):
        clips.put(cut_of(2.0, "01FIRST"))
        clips.put(cut_of(1.0, "01SECOND"))

        assert eventually(lambda: clips.state() == ClipCounts(True, 2, 0, 0))
        assert eventually(lambda: len(history.clips) == 2)
    assert history.clips == {"01FIRST": "clips/01FIRST.mp4", "01SECOND": "clips/01SECOND.mp4"}
    assert float(probed(tmp_path / "clips/01FIRST.mp4")["duration"]) == pytest.approx(2.0, abs=0.11)
    assert sorted(file.name for file in (tmp_path / "clips").iterdir()) == ["01FIRST.mp4", "01SECOND.mp4"]


def test_only_the_owner_can_see_clips_also_while_they_are_made(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir(0o755)  # as an older version left it
    with queue(tmp_path, "01FIRST", "01SECOND") as (clips, history):
        clips.put(cut_of(1.0, "01FIRST"))
        eventually(lambda: history.clips)
        clips.put(slow_cut("01SECOND"))
        assert eventually(lambda: len([*(tmp_path / "clips").iterdir()]) == 2)
        made = {path.stat().st_mode & 0o777 for path in (tmp_path / "clips").iterdir()}

    assert made == {0o600}
    assert (tmp_path / "clips").stat().st_mode & 0o777 == 0o700


@pytest.mark.fault(
    "the encoder of clips is killed",
    injected="SIGKILL to ffmpeg while it encodes",
    observed="that clip is left out and its event says so, the next clip is made",
)
def test_an_encoder_that_is_killed_loses_only_that_clip(tmp_path: Path) -> None:
    ffmpeg = find_ffmpeg()
    with queue(tmp_path, "01KILLED", "01NEXT", ffmpeg=ffmpeg) as (clips, history):
        clips.put(slow_cut("01KILLED"))
        clips.put(cut_of(1.0, "01NEXT"))
        pid = eventually(lambda: ffmpeg.pid)
        assert pid
        os.kill(pid, signal.SIGKILL)

        assert eventually(lambda: clips.state() == ClipCounts(True, 1, 1, 0))
        assert eventually(lambda: history.clips) == {"01NEXT": "clips/01NEXT.mp4"}
    assert history.left_out == {"01KILLED": "it could not be encoded: ffmpeg ended by SIGKILL"}
    assert [file.name for file in (tmp_path / "clips").iterdir()] == ["01NEXT.mp4"]


def test_clips_beyond_the_queue_are_left_out_counted_and_say_why(tmp_path: Path) -> None:
    ffmpeg = find_ffmpeg()
    events = [f"01EVENT{index}" for index in range(10)]
    with queue(tmp_path, *events, ffmpeg=ffmpeg) as (clips, history):
        clips.put(slow_cut("01SLOW"))
        eventually(lambda: ffmpeg.pid)
        for event in events:
            clips.put(cut_of(1.0, event))

        assert clips.state() == ClipCounts(True, 0, 2, 9)
        assert eventually(lambda: len(history.left_out) == 2)
        assert set(history.left_out.values()) == {"too many other clips wait to be encoded"}


def test_clips_that_wait_take_no_more_memory_than_allowed(tmp_path: Path) -> None:
    ffmpeg = find_ffmpeg()
    events = ("01EVENT0", "01EVENT1", "01EVENT2")
    with queue(tmp_path, *events, ffmpeg=ffmpeg, most_bytes=2 * cut_of(1.0).bytes) as (clips, history):
        clips.put(slow_cut("01SLOW"))
        eventually(lambda: ffmpeg.pid)
        for event in events:
            clips.put(cut_of(1.0, event))

        assert [*eventually(lambda: history.left_out)] == ["01EVENT2"]


@pytest.mark.long
def test_at_the_end_of_a_run_what_waits_is_encoded_while_there_is_time(tmp_path: Path) -> None:
    with queue(tmp_path, "01EVENT") as (clips, history):
        clips.put(cut_of(1.0))
        clips.stop(Ending(ShutdownRequest()))

    assert history.clips == {"01EVENT": "clips/01EVENT.mp4"}


def test_at_the_end_of_a_run_without_time_clips_are_left_out_at_once(tmp_path: Path) -> None:
    ffmpeg = find_ffmpeg()
    with queue(tmp_path, "01SLOW", "01NEXT", ffmpeg=ffmpeg) as (clips, history):
        clips.put(slow_cut("01SLOW"))
        clips.put(cut_of(1.0, "01NEXT"))
        eventually(lambda: ffmpeg.pid)
        clips.hurry()
        assert eventually(lambda: clips.worker.join(1))  # on a busy machine the encoder takes a while to end

    assert set(history.left_out) == {"01SLOW", "01NEXT"}
    assert not any((tmp_path / "clips").iterdir())
    assert not any(thread.name == "clips" for thread in threading.enumerate())


class Late(Ffmpeg):
    """An encoder that ends long after it was stopped: its priority is the lowest, and others may take all the time."""

    def __init__(self, succeeds: bool) -> None:
        super().__init__("ffmpeg")
        self.begun, self.ends, self._succeeds = threading.Event(), threading.Event(), succeeds

    def encode(self, cut: Cut, fps: float, to: Path, timeout_s: float) -> None:
        self.begun.set()
        self.ends.wait(60)
        if not self._succeeds:
            raise VitcamError("ffmpeg ended by SIGKILL")


@pytest.mark.parametrize("succeeds", [False, True])
def test_an_event_says_why_it_has_no_clip_also_where_the_encoder_outlives_the_run(
    tmp_path: Path, succeeds: bool
) -> None:
    ffmpeg = Late(succeeds)
    with queue(tmp_path, "01EVENT", ffmpeg=ffmpeg) as (clips, history):
        clips.put(cut_of(1.0))
        assert ffmpeg.begun.wait(60)
        clips.hurry()
        said_at_once = eventually(lambda: history.left_out)
        ffmpeg.ends.set()
        ended = eventually(lambda: clips.worker.join(1))
        counts = clips.state()

    assert said_at_once == {"01EVENT": "the run ended before it was encoded"}
    assert ended
    assert (history.left_out, history.clips, counts) == (said_at_once, {}, ClipCounts(True, 0, 1, 0))
    assert not any((tmp_path / "clips").iterdir())


@pytest.mark.fault(
    "no clip can be written",
    injected="a file in the place of the folder for clips",
    observed="the event says why it has no clip, and the next one has a clip",
)
def test_a_folder_that_cannot_be_written_costs_only_the_clips(tmp_path: Path) -> None:
    (tmp_path / "clips").write_text("in the way")
    with queue(tmp_path, "01FIRST", "01SECOND") as (clips, history):
        clips.put(cut_of(1.0, "01FIRST"))
        eventually(lambda: history.left_out)
        (tmp_path / "clips").unlink()
        clips.put(cut_of(1.0, "01SECOND"))
        eventually(lambda: history.clips)

    assert [*history.clips] == ["01SECOND"]
    assert "it could not be encoded" in history.left_out["01FIRST"]


def test_a_clip_that_was_encoded_when_masks_were_drawn_and_has_no_name_yet_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saving, drawn, sync = threading.Event(), threading.Event(), os.fsync

    def slow_card(number: int) -> None:
        saving.set()
        drawn.wait(10)
        sync(number)

    with queue(tmp_path, "01SAVED") as (clips, history):
        monkeypatch.setattr(os, "fsync", slow_card)
        clips.put(cut_of(1.0, "01SAVED"))
        assert saving.wait(60)
        monkeypatch.setattr(clips._ffmpeg, "abort", drawn.set)
        clips.drop_pixels()
        left = [*(tmp_path / "clips").iterdir()]
        assert eventually(lambda: history.left_out)

    assert left == []
    assert not history.clips


def test_unfinished_files_and_clips_that_their_event_does_not_name_are_removed_once_the_history_is_open(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "clips"
    folder.mkdir()
    old, new = ".01HALF.mp4.0a1b2c3d.partial", ".vitcam-partial-0123456789abcdef"
    with a_history(tmp_path, "01KEPT", "01LOST") as history:
        (folder / "01KEPT.mp4").write_bytes(b"")
        history.store.attach_clip("01KEPT", folder / "01KEPT.mp4")
        eventually(lambda: history.clips)
    for name in ("01LOST.mp4", old, new, "somebody's.txt"):
        (folder / name).write_bytes(b"")
    os.utime(folder / old, (0, 0))
    with queue(tmp_path) as (clips, history):
        clips.put(cut_of(1.0, "01KEPT"))
        assert eventually(lambda: clips.state().made == 1)

    assert sorted(file.name for file in folder.iterdir()) == ["01KEPT.mp4", "somebody's.txt"]


@pytest.mark.fault(
    "the history was moved away, emptied or mended, and a new one does not name its clips",
    injected="a clip of an event that the history does not have, and an unfinished one of an event that it has",
    observed="only the unfinished one is removed",
)
def test_a_clip_of_a_history_that_was_set_aside_stays(tmp_path: Path) -> None:
    kept, lost = tmp_path / "clips" / "01BEFORE.mp4", tmp_path / "clips" / "01LOST.mp4"
    kept.parent.mkdir()
    for path in (kept, lost):
        path.write_bytes(b"")
    with a_history(tmp_path, "01LOST") as history:
        assert eventually(lambda: history.store.get("01LOST"))
    with queue(tmp_path):
        assert eventually(lambda: not lost.exists())

    assert [*kept.parent.iterdir()] == [kept]


@pytest.mark.fault(
    "what a crash left of clips cannot be removed",
    injected="something in the place of such a clip that cannot be deleted",
    observed="the log says so, and new events get clips",
)
def test_a_leftover_that_cannot_be_removed_costs_no_clip(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "clips" / "01LOST.mp4").mkdir(parents=True)
    with a_history(tmp_path, "01LOST") as history:
        assert eventually(lambda: history.store.get("01LOST"))
    with queue(tmp_path, "01NEXT") as (clips, history):
        clips.put(cut_of(1.0, "01NEXT"))
        assert eventually(lambda: history.clips) == {"01NEXT": "clips/01NEXT.mp4"}

    assert "what a crash left of clips stays until the next start" in caplog.text


@pytest.mark.fault(
    "a privacy mask is drawn while clips wait and one is encoded",
    injected="what the page calls, with a clip of ten minutes in the encoder",
    observed="none of them is made, their events say why, and the next clip is made",
)
def test_clips_of_the_time_before_a_mask_are_left_out_and_the_next_is_made(tmp_path: Path) -> None:
    with queue(tmp_path, "01ENCODED", "01WAITS", "01AFTER") as (clips, history):
        clips.put(slow_cut("01ENCODED"))
        clips.put(cut_of(1.0, "01WAITS"))
        assert eventually(lambda: clips.state().queued == 2)
        clips.drop_pixels()
        queued = clips.state().queued
        clips.put(cut_of(1.0, "01AFTER"))
        made = eventually(lambda: history.clips)

    assert queued == 0
    assert sorted(history.left_out) == ["01ENCODED", "01WAITS"]
    assert all("privacy mask" in why for why in history.left_out.values())
    assert made == {"01AFTER": "clips/01AFTER.mp4"}
    assert [file.name for file in (tmp_path / "clips").iterdir()] == ["01AFTER.mp4"]
