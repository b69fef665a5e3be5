"""SIGKILL at any moment: `python -m tests.soak.kills --times N` kills as often as it is told to."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.histories import SUMMARY, change
from tests.integration.faults.namespaces import need_namespaces
from tests.soak import event_kills
from tests.soak.kills import kill_often
from tests.soak.step_kills import Kills
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.pictures.encode import encode_jpeg

SLOW = pytest.mark.slow(
    "vitcam/storage", "vitcam/daemon", "vitcam/history", "vitcam/access", "vitcam/model/text", "tests/soak"
)

TIMES = 30


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 16 MB."""
    need_namespaces("--mount")
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", place], check=True, timeout=60)
    yield place
    subprocess.run(["umount", "--lazy", place], check=True, timeout=60)


@pytest.mark.fault(
    "SIGKILL at any moment",
    injected="SIGKILL 30 times, while it starts and while crop, words, tokens and password are changed",
    observed="it starts every time; nothing half-written is read; what was acknowledged is there",
)
@SLOW
@pytest.mark.timeout(1200)
def test_a_daemon_that_is_killed_again_and_again_starts_again_and_has_lost_nothing_acknowledged() -> None:
    done = kill_often(TIMES)

    assert done["killed while it started"] + done["killed while it ran"] == TIMES
    assert done["crops acknowledged"] > 10
    assert done["words acknowledged"] > 10
    assert done["tokens and passwords acknowledged"] > 10


@pytest.mark.fault(
    "restores, backups, teachings and changes of tokens are ended at any step",
    injected="SIGTERM, SIGINT or SIGKILL before a random change of the disk, five times for each kind of command",
    observed="all is as it was or all is new; the next command, or a start of the daemon, finds it in order and leaves "
    "nothing unfinished",
)
@pytest.mark.slow("vitcam/storage", "vitcam/parts/backup", "vitcam/parts/teach", "vitcam/access", "tests/soak")
@pytest.mark.timeout(1200)
def test_what_saves_is_whole_whatever_ends_it_at_any_step(tmp_path: Path) -> None:
    did = Kills(tmp_path, seed=1).run(times=6)  # the first of each kind comes to its end

    assert sum(count for what, count in did.items() if what.rpartition(" ")[2].startswith("SIG")) == 4 * 5
    assert did["restores that came to their end"] + did["restores that changed nothing"] == 6


@pytest.mark.fault(
    "SIGKILL while events come fast, and a full disk in between",
    injected="SIGKILL 15 times; five new events a second; in every fifth run the disk is full for a second",
    observed="every event that server-sent events or `/api/events` told of is stored once, with a whole picture; the "
    "database passes SQLite's check each time",
)
@SLOW
@pytest.mark.timeout(600)
def test_every_event_that_was_told_before_a_kill_is_stored_once_with_its_whole_picture(
    tmp_path: Path, disk: Path
) -> None:
    done = event_kills.kill_often(15, 0, tmp_path, disk)

    assert done["of these with a disk that was full"] == 3
    assert done["ids told by /api/events"] > 20
    assert done["events in the store"] >= done["ids told by /api/events"]


def stores_what_was_followed(state: Path, detail: tuple[int, int]) -> Path:
    """An event that says that its second picture has that size, in px; the file of that, which has 96×64 px."""
    whole, box = (np.zeros((height, width, 3), np.uint8) for width, height in (event_kills.SIZE, (96, 64)))
    summary = replace(SUMMARY, size=event_kills.SIZE, detail=detail)
    store = EventStore(state, RetentionRules())
    store.start()
    store.put(
        replace(change("boxed", "end", jpeg=encode_jpeg(whole, 80), summary=summary), detail=encode_jpeg(box, 80))
    )
    store.stop(10)
    (path,) = state.rglob("*.box.jpg")
    return path


def test_the_check_after_a_kill_asks_for_the_picture_of_what_was_followed_too(tmp_path: Path) -> None:
    told = event_kills.Told(by_api={"boxed"})
    whole, other = tmp_path / "whole", tmp_path / "other"
    path = stores_what_was_followed(whole, (96, 64))
    stores_what_was_followed(other, (96, 96))

    assert event_kills.check(whole, told, set()) == 1
    assert event_kills.unnamed(whole) == set()
    with pytest.raises(AssertionError, match=r"box\.jpg is"):
        event_kills.check(other, told, set())
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(AssertionError, match="were written"):
        event_kills.check(whole, told, set())
    path.unlink()
    with pytest.raises(AssertionError, match="not all of"):
        event_kills.check(whole, told, set())
