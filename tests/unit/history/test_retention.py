"""What goes when it is old or when room is short, and what stays."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.eventually import eventually
from tests.frames import picture
from tests.histories import change
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.history.stored import Query
from vitcam.pictures.encode import encode_jpeg

JPEG = encode_jpeg(picture(), 80)


@contextmanager
def stored(folder: Path, rules: RetentionRules) -> Iterator[EventStore]:
    store = EventStore(folder, rules)
    store.start()
    yield store
    store.stop(10)


def fill(store: EventStore, count: int, jpeg: bytes = JPEG) -> None:
    for number in range(count):
        store.put(change(str(number), "end", jpeg=jpeg, start_ms=1000 + number, end_ms=2000 + number))
    assert eventually(lambda: len(store.find(Query()).events) == count)


def names(store: EventStore) -> set[str]:
    return {event.id for event in store.find(Query()).events}


def test_what_is_too_old_goes_with_its_picture_and_favourites_stay(tmp_path: Path) -> None:
    with stored(tmp_path, RetentionRules()) as store:
        fill(store, 5)
        store.set_favourite("2", True)
    with stored(tmp_path, RetentionRules(keep_days=30)) as store:
        assert eventually(lambda: names(store) == {"2"})

        assert eventually(lambda: len([*tmp_path.rglob("*.jpg")]) == 1)
        assert eventually(lambda: store.state().events == 1)


def test_the_oldest_go_when_room_is_short(tmp_path: Path) -> None:
    with stored(tmp_path, RetentionRules()) as store:
        fill(store, 10, JPEG + bytes(100_000))
    with stored(tmp_path, RetentionRules(max_mb=0.5)) as store:
        assert eventually(lambda: len(names(store)) < 10)
        assert eventually(lambda: store.state().mb < 0.5)

        assert names(store) == {"6", "7", "8", "9"}
        assert eventually(lambda: len([*tmp_path.rglob("*.jpg")]) == 4)


def test_a_store_beside_a_daemon_deletes_nothing_and_ends_no_event(tmp_path: Path) -> None:
    with stored(tmp_path, RetentionRules()) as store:
        store.put(change("lasting", "new"))
        assert eventually(lambda: store.get("lasting"))
        beside = EventStore(tmp_path)
        beside.start()
        beside.set_favourite("lasting", True)
        beside.stop(10)
        event = store.get("lasting")

        assert event is not None
        assert event.favourite
        assert event.end_ms is None


def test_an_event_that_a_killed_run_left_open_is_ended_by_the_next(tmp_path: Path) -> None:
    with stored(tmp_path, RetentionRules()) as store:
        store.put(change("lasting", "new"))
        assert eventually(lambda: store.get("lasting"))
    with stored(tmp_path, RetentionRules()) as store:
        assert eventually(lambda: (event := store.get("lasting")) and event.end_ms)
