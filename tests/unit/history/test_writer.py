"""The thread that writes the history goes on after every error, also after one that follows the commit."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.eventually import eventually
from tests.frames import picture
from tests.histories import change
from vitcam.errors import VitcamError
from vitcam.history import notices, write_queue, writer
from vitcam.history import store as store_module
from vitcam.history.database import search
from vitcam.history.database.connections import FILE
from vitcam.history.database.writing import close_open
from vitcam.history.retention import RetentionRules, reclaim
from vitcam.history.store import EventStore
from vitcam.history.stored import Action, Query
from vitcam.pictures.encode import encode_jpeg

JPEG = encode_jpeg(picture(), 80)


def disk_error() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    return error


def full() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


class Fails:
    """In the place of a function, which fails the first few times."""

    def __init__(self, does: Callable[..., Any], error: BaseException, times: int) -> None:
        self._does, self._error = does, error
        self.left = times

    def __call__(self, *args: Any) -> Any:
        if self.left:
            self.left -= 1
            raise self._error
        return self._does(*args)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EventStore]:
    monkeypatch.setattr(writer, "_AGAIN_S", 0.05)
    made = EventStore(tmp_path, RetentionRules())
    yield made
    made.stop(10)


@pytest.mark.fault(
    "the disk of the history fails just after a commit",
    injected="reading back what was committed raises an I/O error, twice",
    observed="the event and the outcome are kept once, followers are told once it can be read, later events are kept",
)
def test_an_error_after_the_commit_undoes_nothing_and_ends_nothing(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = Fails(search.get, disk_error(), 2)
    monkeypatch.setattr(notices, "get", fails)
    told: list[tuple[str, str]] = []
    store.follow(lambda event, phase: told.append((event.id, phase)))
    store.put(change("a", "new", jpeg=JPEG))
    store.note_action("a", Action("door", "webhook", "ok", "200"))
    store.start()
    assert eventually(lambda: not fails.left)
    store.put(change("b", "new"))

    assert eventually(lambda: [each[0] for each in told][-1:] == ["b"])
    assert told == [("a", "new"), ("a", ""), ("b", "new")]
    event = store.get("a")
    assert event is not None
    assert [action.detail for action in event.actions] == ["200"]
    assert store.picture(event) == JPEG
    assert store.set_favourite("b", True)
    assert eventually(lambda: store.state().trouble == "")


@pytest.mark.parametrize("where", ["BEGIN", "COMMIT"])
def test_what_was_not_committed_is_written_once_the_disk_works_again(
    store: EventStore, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [3]

    class Failing(sqlite3.Connection):
        def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
            if left[0] and sql.startswith(where):
                left[0] -= 1
                raise disk_error()
            return super().execute(sql, *rest)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **more: connect(*args, **more, factory=Failing))
    store.put(change("a", "new", jpeg=JPEG))
    store.note_action("a", Action("door", "webhook", "ok", "200"))
    store.start()

    event = eventually(lambda: store.get("a"))
    assert event is not None
    assert [action.detail for action in event.actions] == ["200"]
    assert len([*store.folder.rglob("*.jpg")]) == 1


def test_one_event_that_cannot_be_written_takes_no_other_with_it(store: EventStore) -> None:
    store.put(change("before", "new"))
    store.put(change("absurd", "new", start_ms=1 << 80))
    store.put(change("after", "new"))
    store.start()

    assert eventually(lambda: {event.id for event in store.find(Query()).events} == {"before", "after"})
    assert eventually(lambda: store.state().dropped == 1)


def test_a_follower_that_fails_keeps_no_other_from_hearing_of_an_event(store: EventStore) -> None:
    told: list[str] = []
    store.follow(Fails(lambda *_: None, RuntimeError("a bug"), 1))
    store.follow(lambda event, _: told.append(event.id))
    store.start()
    store.put(change("a", "new"))

    assert eventually(lambda: told == ["a"])
    assert store.worker.trouble() == ""


def test_what_a_rule_did_many_commits_before_its_event_is_kept(tmp_path: Path) -> None:
    store = EventStore(tmp_path, RetentionRules())
    told: list[str] = []
    store.follow(lambda event, _: told.append(event.id))
    store.start()
    store.note_action("late", Action("door", "command", "ok"))
    for number in range(40):  # each is a transaction, in which the outcome is tried again
        store.put(change(str(number), "new"))
        assert eventually(lambda number=number: str(number) in told)  # type: ignore[misc]
    store.put(change("late", "new"))

    assert eventually(lambda: (event := store.get("late")) and len(event.actions) == 1)
    store.stop(10)


def test_what_a_rule_did_at_an_event_that_is_never_kept_is_given_up(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_queue, "_LATEST_S", 0.01)
    store.start()
    store.note_action("never", Action("door", "command", "ok"))

    assert eventually(lambda: not store._queue._parked and not store._queue._work)
    store.put(change("a", "new"))
    assert eventually(lambda: store.get("a"))


def test_many_outcomes_at_once_are_all_kept(store: EventStore) -> None:
    for number in range(30):
        store.put(change(str(number), "new"))
        for rule in range(8):
            store.note_action(str(number), Action(f"rule {rule}", "command", "failed", "vitcam ended before it began"))
    store.start()

    assert eventually(lambda: (event := store.get("29")) and len(event.actions) == 8)
    assert all(len(event.actions) == 8 for event in store.find(Query(), 100).events)
    assert store.state().dropped == 0


def test_a_stored_event_that_cannot_be_read_keeps_followers_from_no_later_one(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[BaseException] = []
    monkeypatch.setattr(store._writer.worker, "_note", failures.append)
    told: list[str] = []
    store.follow(lambda event, phase: told.append(event.id))
    store.start()
    store.put(change("a", "new"))
    assert eventually(lambda: told == ["a"])
    with contextlib.closing(sqlite3.connect(store.folder / FILE)) as connection, connection:
        connection.execute("UPDATE events SET actions = '[{]'")

    with pytest.raises(VitcamError, match="not written"):
        store.set_favourite("a", True)
    store.put(change("b", "new"))

    assert eventually(lambda: told == ["a", "b"])
    assert [event.id for event in store.find(Query()).events] == ["b"]
    assert not failures


@pytest.mark.fault(
    "the disk is full while the history is opened",
    injected="one step after the file is open raises SQLITE_FULL, once; each step in turn",
    observed="the event is kept at the next try; what is kept is counted, and a deleted file is noticed, as ever",
)
@pytest.mark.parametrize("step", ["close_open", "EventTimestamps", "Housekeeping", "FileWatch"])
def test_an_error_while_the_history_is_opened_costs_nothing_once_it_is_over(
    store: EventStore, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = Fails(getattr(writer, step), full(), 1)
    monkeypatch.setattr(writer, step, fails)
    store.put(change("a", "new"))
    store.start()

    assert eventually(lambda: store.get("a"))
    assert not fails.left
    assert eventually(lambda: store.state().events == 1)
    assert store._writer.timestamps is not None
    for path in store.folder.glob(f"{FILE}*"):
        path.unlink()
    store.put(change("b", "new"))
    assert eventually(lambda: "was deleted while vitcam ran" in store.state().trouble)


def test_damage_found_while_the_history_is_opened_sets_the_file_aside_with_its_log(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage = sqlite3.DatabaseError("database disk image is malformed")
    damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    monkeypatch.setattr(writer, "close_open", Fails(close_open, damage, 1))
    store.put(change("a", "new"))
    store.start()

    assert eventually(lambda: [*store.folder.glob(f"{FILE}.damaged-*-wal")])  # until then it may not be readable
    assert eventually(lambda: store.get("a"))
    assert [path for path in store.folder.glob(f"{FILE}.damaged-*-wal") if path.stat().st_size]


def test_who_waits_for_late_work_hears_at_once_of_an_error_in_it(
    store: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_ANSWER_S", 2.0)
    monkeypatch.setattr(store_module, "reclaim", Fails(reclaim, RuntimeError("a bug"), 1))
    failures: list[BaseException] = []
    monkeypatch.setattr(store._writer.worker, "_note", failures.append)
    store.put(change("a", "new"))
    store.put(change("b", "new"))
    store.start()
    assert eventually(lambda: store.get("b"))

    with pytest.raises(VitcamError, match="error in vitcam"):
        store.delete("a")
    assert store.delete("b")
    assert not failures
