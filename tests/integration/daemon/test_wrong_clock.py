"""A real daemon whose wall clock is wrong, or jumps while it runs."""

import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import Daemon, daemon, get_json
from tests.eventually import eventually
from tests.needs import need_program

DEMO = ("--source", "demo", "--model", "cifar10-scratch")


def faked(folder: Path, wrong: str) -> dict[str, str]:
    """The environment of a process whose wall clock is wrong by what the file `clock` in `folder` says at each moment.

    wrong  such as `+40d`
    """
    need_program("faketime")
    (folder / "clock").write_text(wrong)
    return {
        "LD_PRELOAD": "/usr/$LIB/faketime/libfaketimeMT.so.1",
        "FAKETIME_TIMESTAMP_FILE": str(folder / "clock"),
        "FAKETIME_CACHE_DURATION": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "XDG_STATE_HOME": str(folder),
    }


def events(run: Daemon) -> list[dict[str, Any]]:
    """All that were kept, the oldest first."""
    found: list[dict[str, Any]] = get_json(f"{run.url}/api/events?limit=500")["events"]
    return found[::-1]


def see(run: Daemon, count: int) -> list[dict[str, Any]]:
    """The events once there are at least that many."""
    found = eventually(lambda: kept if len(kept := events(run)) >= count else [], every_s=0.2)
    assert found, run.errors()
    return found


def doubt(run: Daemon) -> str:
    return str(run.state()["history"]["clock"])


@pytest.mark.parametrize("wrong", ["+40d", "-3000d"])
def test_a_daemon_that_starts_with_a_wrong_clock_keeps_what_was_there(tmp_path: Path, wrong: str) -> None:
    with daemon(*DEMO, **faked(tmp_path, "+0")) as run:
        run.wait_for("ok")
        see(run, 1)
        run.end()
    with daemon(*DEMO, **faked(tmp_path, wrong)) as run:
        run.wait_for("ok")
        before = events(run)
        assert before, "the wrong clock has cost the events of before"
        found = see(run, len(before) + 2)
        assert "No event is deleted because of its age" in doubt(run)
        run.end()

    assert [event["id"] for event in found[: len(before)]] == [event["id"] for event in before]
    assert [event["start"] for event in found[: len(before)]] == [event["start"] for event in before]
    assert all(abs(started_s(event) - time.time()) < 600 for event in found)


def test_a_clock_that_jumps_while_it_runs_changes_no_time_and_deletes_nothing(tmp_path: Path) -> None:
    with daemon(*DEMO, **faked(tmp_path, "+0")) as run:
        run.wait_for("ok")
        count = len(see(run, 1))
        for wrong in ("+40d", "-3000d"):
            (tmp_path / "clock").write_text(wrong)
            assert eventually(lambda: doubt(run), every_s=0.2)
            count = len(see(run, count + 1))
            (tmp_path / "clock").write_text("+0")
            assert eventually(lambda: not doubt(run), every_s=0.2)
        found = see(run, count + 1)
        run.end()

    starts = [started_s(event) for event in found]
    assert starts == sorted(starts)
    assert all(abs(start_s - time.time()) < 600 for start_s in starts)


def started_s(event: dict[str, Any]) -> float:
    return datetime.fromisoformat(event["start"]).timestamp()
