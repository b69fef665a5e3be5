"""What the history survives: a full disk, a damaged file, a folder that cannot be written, SIGKILL at any moment."""

import json
import logging
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.eventually import eventually
from tests.frames import picture
from tests.histories import change, is_sound
from tests.integration.faults.small_disk import fill, small_disk
from vitcam.errors import VitcamError
from vitcam.history import write_queue
from vitcam.history.database.connections import FILE
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import Query
from vitcam.pictures.decode import decode_image
from vitcam.pictures.encode import encode_jpeg

JPEG = encode_jpeg(picture(), 80)
WRITES_FAST = """
import sys, threading
from pathlib import Path
from tests.histories import change
from tests.integration.history.test_history_faults import JPEG
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore

store = EventStore(Path(sys.argv[1]), RetentionRules())
room = threading.Semaphore(32)

def told(event, phase):
    print(event.id, flush=True)
    room.release()

store.follow(told)
store.start()
for number in range(100_000):
    room.acquire()
    store.put(change(f"{sys.argv[2]}-{number}", "new", jpeg=JPEG))
"""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "1m") as place:
        yield place


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    made = EventStore(tmp_path / "vitcam", RetentionRules())
    yield made
    made.stop(10)


@pytest.mark.fault(
    "the disk of the history is full",
    injected="a tmpfs that is filled while events are kept, and then has room again",
    observed="`/api/state` says it once, no client gets an event that is not kept; once there is room, it is kept",
)
def test_a_full_disk_keeps_nothing_half_and_catches_up(disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = EventStore(disk, RetentionRules())
    told: list[str] = []
    store.follow(lambda event, _: told.append(event.id))
    store.start()
    store.put(change("before", "new", jpeg=JPEG))
    assert eventually(lambda: told == ["before"])
    fill(disk)
    store.put(change("meanwhile", "new", jpeg=JPEG + bytes(50_000)))
    trouble = eventually(lambda: store.state().trouble)
    pictures = [path.name for path in disk.rglob("*") if path.parent.parent.name == "frames"]
    (disk / "filler").unlink()

    assert "No space left" in trouble
    assert [name for name in pictures if not name.startswith("before")] == []
    assert eventually(lambda: told == ["before", "meanwhile"])
    assert eventually(lambda: store.state().trouble == "")
    store.stop(10)
    assert is_sound(disk)
    assert len([each for each in caplog.records if each.levelno == logging.ERROR]) == 1


@pytest.mark.fault(
    "the disk of the history is full for long",
    injected="a tmpfs that is filled while three events last; 70 others begin, then the three end",
    observed="the three have their ends once there is room; the others that found no room are counted",
)
def test_a_full_disk_costs_no_event_its_end(disk: Path) -> None:
    store = EventStore(disk, RetentionRules())
    store.start()
    for name in "abc":
        store.put(change(name, "new", jpeg=JPEG))
    assert eventually(lambda: store.state().events == 3)
    fill(disk)
    for number in range(70):
        store.put(change(f"e{number}", "new", jpeg=JPEG))
    assert eventually(lambda: store.trouble)
    for name in "abc":
        store.put(change(name, "end"))
    (disk / "filler").unlink()

    assert eventually(lambda: all(event_is_over(store, name) for name in "abc"))
    assert eventually(lambda: store.state().events + store.state().dropped == 73)
    store.stop(10)
    assert is_sound(disk)


@pytest.mark.fault(
    "the history is damaged",
    injected="`events.db` with zeros in its header, or with other content",
    observed="it is renamed with its pictures, a new one begins; the log and `/api/state` say so",
)
@pytest.mark.parametrize("at", [0, 1024, 10_000])
def test_a_damaged_history_is_set_aside_and_a_new_one_begins(store: EventStore, at: int) -> None:
    fill_history(store.folder, 50)
    with (store.folder / FILE).open("r+b") as file:
        file.seek(at)
        file.write(b"damage" * 2000)
    store.start()
    for number in range(60):
        store.put(change(f"{number:024}", "new", jpeg=JPEG))

    assert "is damaged; it was renamed" in eventually(lambda: trouble_after_reading(store))
    assert eventually(lambda: store.get(f"{0:024}"))
    assert len([*store.folder.glob("events.db.damaged-*T??????")]) == 1
    before = {event.id for event in store.find(Query(), 500).events if len(event.id) < 24}
    assert len([*store.folder.glob("frames.damaged-*/*/*.jpg")]) == 50 - len(before)


TABLE_LEAF, INDEX_LEAF = 13, 10
"""The first byte of a page.

source  SQLite's file format, section 1.6
"""


def fill_history(folder: Path, events: int) -> None:
    with EventStoreOnce(folder) as before:
        for number in range(events):
            before.put(change(f"e{number}", "new", jpeg=JPEG))
            before.put(change(f"e{number}", "end"))
            if number % 30 == 29:
                assert eventually(lambda number=number: before.get(f"e{number}"))  # type: ignore[misc]
        assert eventually(lambda: len(before.find(Query(), 500).events) == events)


def overwrite_pages(folder: Path, kind: int, most: int) -> None:
    """Garbage in some pages of a kind, in the middle of all of them."""
    content = (folder / FILE).read_bytes()
    pages = [at for at in range(1024, len(content), 1024) if content[at] == kind]
    with (folder / FILE).open("r+b") as file:
        for at in pages[len(pages) // 2 :][:most]:
            file.seek(at)
            file.write(os.urandom(1024))


@pytest.mark.fault(
    "a page of the history is damaged, also while vitcam runs",
    injected="garbage in three pages of the events, or in all of the indexes",
    observed="a new one begins with every other event and its picture; the log and `/api/state` say so, and new events "
    "are kept",
)
@pytest.mark.parametrize("runs", [True, False])
@pytest.mark.parametrize(("kind", "pages", "most_lost"), [(TABLE_LEAF, 3, 18), (INDEX_LEAF, 10_000, 0)])
def test_a_damaged_page_of_the_history_costs_the_events_that_were_on_it(
    store: EventStore, kind: int, pages: int, most_lost: int, runs: bool, caplog: pytest.LogCaptureFixture
) -> None:
    fill_history(store.folder, 200)
    if runs:
        store.start()
        assert eventually(lambda: store.state().events == 200)
    overwrite_pages(store.folder, kind, pages)
    if not runs:
        store.start()
    store.put(change("lasts", "new", jpeg=JPEG))
    assert eventually(lambda: "is damaged; it was renamed" in trouble_after_reading(store))
    store.put(change("lasts", "end"))
    assert eventually(lambda: readable(store, "lasts") and event_is_over(store, "lasts"))
    events = [event for event in store.find(Query(), 500).events if event.id != "lasts"]

    assert 200 - most_lost <= len(events) <= 200 - bool(most_lost)
    assert all(store.picture(event) == JPEG for event in events)
    assert len([*store.folder.glob("frames.damaged-*/*/*.jpg")]) == 200 - len(events)
    assert f"a new one has begun with {len(events)} events that could be read" in store.state().trouble
    assert store.trouble == ""
    assert is_sound(store.folder)
    assert "Traceback" not in caplog.text


@pytest.mark.fault(
    "nothing can be written beside the history",
    injected="a tmpfs that is read-only or full, with a history that was ended, or killed with events in its log",
    observed="every event can be read, and the history stays as it is",
)
@pytest.mark.parametrize("fault", ["read-only", "full"])
@pytest.mark.parametrize("killed", [True, False])
def test_a_history_on_a_disk_that_takes_nothing_can_be_read(disk: Path, killed: bool, fault: str) -> None:
    script = "import os; " if killed else ""
    write = f"""
{script}
from pathlib import Path
from tests.eventually import eventually
from tests.histories import change
from tests.integration.history.test_history_faults import JPEG
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore

store = EventStore(Path({str(disk)!r}), RetentionRules())
store.start()
store.put(change("a", "new", jpeg=JPEG))
assert eventually(lambda: store.get("a"))
{"os._exit(0)" if killed else "store.stop(10)"}
"""
    subprocess.run([sys.executable, "-c", write], check=True, timeout=120)
    (disk / "events.db-shm").unlink(missing_ok=True)  # as where it was copied without it
    if fault == "full":
        fill(disk)
    else:
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True, timeout=60)
    before = {path.name: path.read_bytes() for path in disk.glob("events.db*")}
    store = EventStore(disk)
    found = store.find(Query()).events
    listed = subprocess.run(
        [sys.executable, "-m", "vitcam", "events", "list", "--json"],
        env=os.environ | {"STATE_DIRECTORY": str(disk)}, check=True, timeout=120, capture_output=True, text=True,
    )  # fmt: skip

    assert [event.id for event in found] == ["a"]
    assert store.picture(found[0]) == JPEG
    assert [json.loads(line)["id"] for line in listed.stdout.splitlines()] == ["a"]
    assert {name: (disk / name).read_bytes() for name in before} == before
    assert ("events.db-wal" in before) is killed


@pytest.mark.fault(
    "the state folder cannot be made",
    injected="a file of that name",
    observed="vitcam runs without a history, and `/api/state` says why",
)
def test_a_folder_that_cannot_be_made_leaves_a_store_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = EventStore(tmp_path / "file", RetentionRules())
    store.start()
    store.put(change("lost", "new", jpeg=JPEG))

    assert "no events are kept" in eventually(lambda: store.state().trouble)
    assert store.find(Query()).events == ()
    store.stop(10)


def delete(folder: Path) -> None:
    for path in folder.glob("events.db*"):
        path.unlink()


def empty(folder: Path) -> None:
    os.truncate(folder / FILE, 0)


def another(folder: Path) -> Path:
    """A history with one event in a folder of its own; returns its file."""
    with EventStoreOnce(folder / "other") as other:
        other.put(change("of the other", "new"))
        assert eventually(lambda: other.get("of the other"))
    return folder / "other" / FILE


def replace(folder: Path) -> None:
    another(folder).replace(folder / FILE)


def overwrite(folder: Path) -> None:
    shutil.copyfile(another(folder), folder / FILE)


def overwrite_with_zeros(folder: Path) -> None:
    (folder / FILE).write_bytes(bytes(200_000))


@pytest.mark.fault(
    "somebody deletes, empties or replaces the history while it is open",
    injected="`events.db` is removed, truncated, overwritten, or another file gets its name, while an event lasts",
    observed="the next events go into the file that has the name then, the one that lasts too; the log and "
    "`/api/state` say so",
)
@pytest.mark.parametrize("does", [delete, empty, replace, overwrite, overwrite_with_zeros])
def test_a_history_that_somebody_else_touches_goes_on(
    store: EventStore, does: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    store.start()
    store.put(change("lasts", "new", jpeg=JPEG))
    store.put(change("over", "new"))
    store.put(change("over", "end"))
    assert eventually(lambda: (event := store.get("over")) and event.end_ms)
    time.sleep(0.2)  # the writer has noted by then how the file is after its commit
    does(store.folder)
    store.put(change("lasts", "update", "bowl"))
    store.put(change("after", "new"))

    assert eventually(lambda: readable(store, "after") and readable(store, "lasts"))
    assert eventually(lambda: store.state().trouble)
    assert eventually(lambda: is_sound(store.folder))
    assert str(store.folder / FILE) in store.state().trouble
    store.put(change("lasts", "end", "bowl"))
    assert eventually(lambda: event_is_over(store, "lasts"))
    assert store.worker.trouble() == ""
    assert "Traceback" not in caplog.text


@pytest.mark.fault(
    "somebody deletes the log beside the history while it is open",
    injected="`events.db-wal` and `events.db-shm` are removed",
    observed="nothing is lost: what was in them is in `events.db`, also after the next start",
)
def test_a_log_that_was_deleted_takes_no_event_with_it(store: EventStore) -> None:
    store.start()
    store.put(change("before", "new", jpeg=JPEG))
    assert eventually(lambda: store.get("before"))
    for companion in store.folder.glob("events.db-*"):
        companion.unlink()
    assert eventually(lambda: store.state().trouble)
    store.put(change("after", "new"))

    assert eventually(lambda: {event.id for event in store.find(Query()).events} == {"before", "after"})
    store.stop(10)
    assert is_sound(store.folder)
    assert {event.id for event in EventStore(store.folder).find(Query()).events} == {"before", "after"}


def test_what_another_program_writes_by_sqlite_changes_nothing(store: EventStore) -> None:
    store.start()
    for number in range(20):
        store.put(change(f"{number:02}", "new", jpeg=JPEG))
    assert eventually(lambda: store.get("19"))
    with EventStoreOnce(store.folder, rules=None) as other:  # as `vitcam events delete` does
        assert other.delete("00")
        assert other.delete_some(Query(until_ms=1)) == 0
    store.put(change("after", "new"))

    assert eventually(lambda: store.get("after"))
    assert len(store.find(Query(), 100).events) == 20
    assert store.state().trouble == ""


def readable(store: EventStore, event_id: str) -> bool:
    with suppress(VitcamError):
        return store.get(event_id) is not None
    return False


def event_is_over(store: EventStore, event_id: str) -> bool:
    event = store.get(event_id)
    return event is not None and event.end_ms is not None


@pytest.mark.fault(
    "SIGKILL while events are written fast",
    injected="a process that writes as fast as it can, killed after some hundredths of a second, again and again",
    observed="every event that a client has got is there once, with a whole picture; the database is sound",
)
def test_no_event_that_was_told_is_lost_by_a_kill(tmp_path: Path) -> None:
    told: list[str] = []
    for attempt in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITES_FAST, str(tmp_path), str(attempt)], stdout=subprocess.PIPE, env=os.environ
        )
        assert process.stdout is not None
        told += [process.stdout.readline().decode().strip() for _ in range(40 + 31 * attempt)]
        process.kill()
        told += process.stdout.read().decode().split()
        process.stdout.close()
        process.wait(60)
        store = EventStore(tmp_path)
        events = [event for event in map(store.get, told) if event is not None]

        assert is_sound(tmp_path)
        assert [event.id for event in events] == told
        assert len(set(told)) == len(told) >= 40
        assert all(decode_image(store.picture(event) or b"").shape == (72, 128, 3) for event in events)


def trouble_after_reading(store: EventStore) -> str:
    with suppress(VitcamError):
        store.find(Query(), 500)
    return store.state().trouble


class EventStoreOnce:
    """A store that runs as long as a context."""

    def __init__(self, folder: Path, rules: RetentionRules | None = RetentionRules()) -> None:  # noqa: B008 - frozen
        self._store = EventStore(folder, rules)

    def __enter__(self) -> EventStore:
        self._store.start()
        return self._store

    def __exit__(self, *_: object) -> None:
        self._store.stop(10)


@pytest.mark.fault(
    "SIGKILL between a picture and its event",
    injected="pictures without an event, and half of one, in the folder of a day",
    observed="the next start removes them, and nothing else",
)
def test_a_picture_without_its_event_goes_at_the_next_start(store: EventStore) -> None:
    with EventStoreOnce(store.folder) as before:
        before.put(change("whole", "new", jpeg=JPEG))
        assert eventually(lambda: before.get("whole"))
    day = next((store.folder / "frames").iterdir())
    (day / "lost-0000.jpg").write_bytes(JPEG)
    (day / "whole-0000.jpg").write_bytes(JPEG)  # a better one, that was not committed
    (day / ".half-1234.jpg.partial").write_bytes(JPEG[:100])
    store.start()

    assert eventually(lambda: len([*day.iterdir()]) == 1)
    event = store.get("whole")
    assert event is not None
    assert store.picture(event) == JPEG


def test_a_clip_whose_event_was_deleted_is_deleted_too(store: EventStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_queue, "_LATEST_S", 0.1)
    clip = store.folder / "clips" / "gone.mp4"
    clip.parent.mkdir(parents=True)
    clip.write_bytes(b"video")
    store.start()
    store.attach_clip("gone", clip)

    assert eventually(lambda: not clip.exists())
