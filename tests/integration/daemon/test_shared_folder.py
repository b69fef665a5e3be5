"""Several runs with one state folder: one of them keeps events, the others say that they do not, and harm nothing."""

import time
from pathlib import Path

import pytest

from tests.command import vitcam
from tests.daemon import Daemon, daemon, get_json, status_of
from tests.eventually import eventually
from tests.histories import change
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore

CAMERA = ("--source", "/dev/video97", "--wait")
DEMO = ("--source", "demo", "--loop", "--set", "clips.enabled=true")


def sentence_of(holder: Daemon, folder: Path) -> str:
    return f"no events are kept: another vitcam, process {holder.process.pid}, uses the state folder {folder}"


def assert_keeps_nothing_and_says_so(running: Daemon, holder: Daemon, folder: Path) -> None:
    state = running.wait_for("ok")["history"]

    assert state["enabled"] is False
    assert state["trouble"].startswith(sentence_of(holder, folder))
    assert f"STATE_DIRECTORY={folder}-2" in state["trouble"]
    assert running.errors().count(f"WARNING {sentence_of(holder, folder)}") == 1
    assert "switch store.enabled on" not in running.errors()
    assert status_of(f"{running.url}/api/events") == 404


@pytest.mark.fault(
    "a demo is started beside a camera's daemon, in the same state folder",
    injected="an unfinished clip, one that no event names yet, and a stored event of the camera",
    observed="the demo runs without a history, and says so; nothing of the camera's files is touched",
)
def test_a_demo_beside_a_camera_touches_nothing_of_it(tmp_path: Path) -> None:
    store = EventStore(tmp_path, RetentionRules())
    store.start()
    store.put(change("kept", "new", camera="v4l2:/dev/video97", start_ms=time.time_ns() // 1_000_000))
    assert eventually(lambda: store.get("kept"))
    store.stop(10)
    with daemon(*CAMERA, "--set", "clips.enabled=true", STATE_DIRECTORY=str(tmp_path)) as camera:
        camera.wait_for("no_signal")
        unfinished = [tmp_path / "clips" / name for name in (".01A.mp4.1234.partial", "01B.mp4")]
        unfinished[0].parent.mkdir(exist_ok=True)
        for path in unfinished:
            path.write_bytes(b"being written")
        with daemon(*DEMO, STATE_DIRECTORY=str(tmp_path)) as demo:
            assert_keeps_nothing_and_says_so(demo, camera, tmp_path)
            assert eventually(lambda: demo.state()["frames"]["classified"] > 60)
            assert demo.end()[0] == 0

        assert [path.read_bytes() for path in unfinished] == [b"being written"] * 2
        events = get_json(f"{camera.url}/api/events")["events"]
        assert [event["camera"] for event in events] == ["v4l2:/dev/video97"]
        assert camera.state()["history"]["trouble"] == ""


def test_of_two_demos_one_keeps_events_and_the_next_one_does_after_its_end(tmp_path: Path) -> None:
    with daemon(*DEMO, STATE_DIRECTORY=str(tmp_path)) as first:
        assert first.wait_for("ok")["history"]["enabled"] is True
        with daemon(*DEMO, STATE_DIRECTORY=str(tmp_path)) as second:
            assert_keeps_nothing_and_says_so(second, first, tmp_path)
        refused = vitcam("run", *CAMERA, "--port", "0", STATE_DIRECTORY=str(tmp_path))
        assert eventually(lambda: get_json(f"{first.url}/api/events")["events"], every_s=0.2)
        first.end()
    with daemon(*DEMO, STATE_DIRECTORY=str(tmp_path)) as third:
        assert third.wait_for("ok")["history"]["enabled"] is True

    assert refused.code == 1
    assert f"process {first.process.pid}, uses the state folder {tmp_path}" in refused.sentence


def test_runs_that_keep_nothing_leave_the_folder_to_others(tmp_path: Path) -> None:
    with daemon("--source", "demo", "--loop", "--set", "store.enabled=false", STATE_DIRECTORY=str(tmp_path)) as first:
        first.wait_for("ok")
        with daemon(*DEMO, STATE_DIRECTORY=str(tmp_path)) as second:
            history = second.wait_for("ok")["history"]

    assert (history["enabled"], history["trouble"]) == (True, "")


def test_events_can_be_deleted_by_command_beside_a_running_daemon(tmp_path: Path) -> None:
    with daemon(*DEMO, STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        events = eventually(lambda: get_json(f"{running.url}/api/events")["events"], every_s=0.2)
        deleted = vitcam("events", "delete", events[0]["id"], "--yes", STATE_DIRECTORY=str(tmp_path))

        assert deleted.code == 0, deleted.err
        assert eventually(lambda: status_of(f"{running.url}/api/events/{events[0]['id']}") == 404)
        assert running.state()["history"]["trouble"] == ""
