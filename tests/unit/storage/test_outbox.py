"""What waits to be delivered survives kills, full disks and clocks, in order, and never takes more than its room."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.eventually import eventually
from vitcam.storage import outbox, outbox_database
from vitcam.storage.outbox import Delivery, Outbox


def made(number: int, kind: str = "mqtt", destination: str = "", body: str = "{}", urgent: bool = False) -> Delivery:
    return Delivery(kind, destination, f"event-{number}", "", body, urgent)


def ids(found: list[Delivery]) -> list[str]:
    return [each.event_id for each in found]


def test_both_kinds_share_the_file_and_each_keeps_its_order(tmp_path: Path) -> None:
    first = Outbox(tmp_path)
    first.put(made(1), made(2, "webhook", "http://b/"), made(3))
    first.put(
        made(4, "webhook", "http://a/"), made(5, "webhook", "http://b/"), made(6, "webhook", "http://a/", urgent=True)
    )
    first.close()

    again = Outbox(tmp_path)
    assert ids(again.first("mqtt", "", 9)) == ["event-1", "event-3"]
    assert ids(again.first("webhook", "http://b/", 9)) == ["event-2", "event-5"]
    assert ids(again.heads("webhook")) == ["event-2", "event-4"]
    waits = again.urgent("webhook")
    assert waits is not None
    assert waits.event_id == "event-6"
    assert (again.waiting("mqtt"), again.waiting("webhook")) == (2, 4)
    again.remove(*again.first("mqtt", "", 1))
    assert ids(again.first("mqtt", "", 9)) == ["event-3"]
    again.close()


_PUTS = """
import sys
import time
from pathlib import Path
from vitcam.storage.outbox import Delivery, Outbox
box = Outbox(Path(sys.argv[1]))
for number in range(100000):
    box.put(Delivery("mqtt", "", str(number), "", "{}"))
    print(number, flush=True)
"""


@pytest.mark.fault(
    "the daemon is killed while deliveries are written down",
    injected="SIGKILL to a process that writes one after the other",
    observed="everything that was accepted is there in the next run, in order",
)
def test_what_was_accepted_survives_a_kill(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", _PUTS, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(50):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
        said = [50 - 1, *map(int, process.stdout.read().split())][-1]
    again = Outbox(tmp_path)
    found = [int(each.event_id) for each in again.first("mqtt", "", 200000)]
    again.close()

    assert found[: said + 1] == [*range(said + 1)]
    assert len(found) <= said + 2


@pytest.mark.fault(
    "the disk is full while deliveries wait",
    injected="a database that may not grow, and later may",
    observed="they are kept in memory, in order and bounded, and are written down once there is room",
)
def test_a_full_disk_keeps_them_in_memory_until_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MOST_IN_MEMORY", 5)
    box = Outbox(tmp_path)
    box.put(made(0))
    database = box._database._open()
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count = {pages}")

    for number in range(1, 8):
        box.put(made(number, body="b" * 5000))

    assert caplog.text.count("does not survive a restart") == 1
    assert ids(box.first("mqtt", "", 99)) == ["event-0", *(f"event-{number}" for number in range(3, 8))]
    assert box.given_up("mqtt") == 2
    assert ids(box.lost_at_end("mqtt")) == [f"event-{number}" for number in range(3, 8)]
    box.remove(*box.first("mqtt", "", 2))
    assert ids(box.first("mqtt", "", 1)) == ["event-4"]

    database.execute("PRAGMA max_page_count = 100000")
    box.put(made(8))
    assert box.lost_at_end("mqtt") == []
    box.close()
    again = Outbox(tmp_path)
    assert ids(again.first("mqtt", "", 99)) == [f"event-{number}" for number in range(4, 9)]
    again.close()


def test_the_oldest_give_their_place_to_newer_ones_and_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "MOST_BYTES", 1000 * made(0).size)
    box = Outbox(tmp_path)
    box.put(*(made(number, "webhook", "http://a/") for number in range(10)))
    given_up = box.put(*(made(number) for number in range(1200)))

    assert ids(given_up) == [f"event-{number}" for number in range(200)]
    assert (box.given_up("mqtt"), box.given_up("webhook")) == (200, 0)
    assert (box.waiting("mqtt"), box.waiting("webhook")) == (1000, 10)
    box.close()


def test_what_is_too_old_is_given_up_by_the_time_that_vitcam_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box, now_s = Outbox(tmp_path), 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    box.put(made(1))
    now_s += outbox.MOST_AGE_S / 2
    assert box.put(made(2)) == []
    box.close()
    now_s = 5.0  # the machine was started again
    again = Outbox(tmp_path)
    assert again.put(made(3)) == []
    now_s += outbox.MOST_AGE_S / 2 + 1
    assert ids(again.put(made(4))) == ["event-1"]
    again.close()


def test_webhooks_of_an_older_vitcam_are_taken_over(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "outbox.db") as old:
        old.execute(
            "CREATE TABLE letters (number INTEGER PRIMARY KEY, event_id TEXT NOT NULL, rule TEXT NOT NULL, "
            "url TEXT NOT NULL, body TEXT NOT NULL, made_s REAL NOT NULL) STRICT"
        )
        old.execute("INSERT INTO letters VALUES (7, 'event-7', 'lamp', 'http://a/', '{}', 1.8e9)")
    old.close()

    box = Outbox(tmp_path)
    box.put(made(8, "webhook", "http://a/"))
    found = box.first("webhook", "http://a/", 9)

    assert ids(found) == ["event-7", "event-8"]
    assert found[0].key == "event-7-lamp"
    box.close()


def test_no_other_program_can_read_the_outbox_while_it_is_used(tmp_path: Path) -> None:
    box = Outbox(tmp_path)
    box.put(made(1))

    modes = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.iterdir()}

    assert set(modes) >= {"outbox.db"}
    assert set(modes.values()) == {0}
    box.close()


def test_a_large_outbox_gives_its_room_back_once_it_is_empty(tmp_path: Path) -> None:
    box, file = Outbox(tmp_path), tmp_path / "outbox.db"
    for begin in range(0, 5000, 500):
        box.put(*(made(number, body="b" * 1000) for number in range(begin, begin + 500)))
    assert box.waiting("mqtt") == 5000
    while found := box.first("mqtt", "", 500):
        box.remove(*found)
    box.close()

    assert eventually(lambda: file.stat().st_size < 200_000), file.stat().st_size


_FILL = """
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO deliveries SELECT i, 'mqtt', '', 'event-' || i, '', '{}' || printf('%.600c', 'x'), 0, 0.0, 752 FROM n
"""


def filled(folder: Path, deliveries: int = 2000) -> Path:
    """The file of an outbox in which so many wait."""
    box = Outbox(folder)
    box.put(made(0))
    box.remove(*box.first("mqtt", ""))
    box.close()
    with closing(sqlite3.connect(folder / "outbox.db")) as database, database:
        database.execute(_FILL, (deliveries,))
    return folder / "outbox.db"


TABLE_LEAF, TABLE_NODE, INDEX_LEAF = 13, 5, 10
"""The first byte of a page.

source  SQLite's file format, section 1.6
"""


def pages_of(file: Path, kind: int) -> list[int]:
    """The numbers of all pages of a kind, from 2: the first page begins with the file's own header."""
    content = file.read_bytes()
    return [at // 4096 + 1 for at in range(4096, len(content), 4096) if content[at] == kind]


def overwrite(file: Path, *pages: int) -> None:
    with file.open("r+b") as opened:
        for page in pages:
            opened.seek((page - 1) * 4096)
            opened.write(os.urandom(4096))


def drained(box: Outbox) -> list[str]:
    """Deliver everything, as the connection to a broker does."""
    delivered: list[str] = []
    while batch := box.first("mqtt", "", 64):
        assert box.remove(*batch) == batch
        delivered += ids(batch)
    return delivered


@pytest.mark.fault(
    "a page of the outbox is damaged while vitcam runs, as an SD card does it",
    injected="garbage in pages of the table, of an index and of the tree, before and after the file was opened",
    observed="it is set aside, what can be read goes into a new one and is delivered in order, and the state says so",
)
@pytest.mark.parametrize(
    ("kind", "count", "most_lost", "opened"),
    [
        (TABLE_LEAF, 3, 21, True),
        (TABLE_LEAF, 3, 21, False),
        (INDEX_LEAF, 2, 0, True),
        (INDEX_LEAF, 2, 0, False),
        (TABLE_NODE, 1, 2000, False),
        (0, 0, 0, True),
    ],
)
def test_a_damaged_page_costs_what_it_held(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: int, count: int, most_lost: int, opened: bool
) -> None:
    file = filled(tmp_path)
    found = pages_of(file, kind)
    box = Outbox(tmp_path)
    if opened:
        box.first("mqtt", "")
    overwrite(file, *found[len(found) // 2 :][:count])

    delivered = drained(box)
    box.put(made(9999))

    everything = [f"event-{number}" for number in range(1, 2001)]
    assert delivered == [each for each in everything if each in {*delivered}]
    assert len(everything) - len(delivered) <= most_lost
    assert (ids(box.first("mqtt", "", 9)), box.waiting("mqtt")) == (["event-9999"], 1)
    assert box.trouble == ""
    asides = [*tmp_path.glob("outbox.db.damaged-*T??????")]
    assert len(asides) == bool(count)
    assert (f"it was renamed to {asides[0].name}" in box.notice) if count else box.notice == ""
    assert caplog.text.count("is damaged") == bool(count)
    box.close()
    again = Outbox(tmp_path)
    assert ids(again.first("mqtt", "", 9)) == ["event-9999"]
    again.close()


def test_what_is_in_hand_while_the_file_is_exchanged_is_removed_from_the_new_one(tmp_path: Path) -> None:
    file = filled(tmp_path)
    box = Outbox(tmp_path)
    in_hand = box.first("mqtt", "", 3)
    overwrite(file, *pages_of(file, INDEX_LEAF)[-3:])
    came = box.put(*(made(number) for number in range(3000, 3100)))
    removed = box.remove(*in_hand)

    assert came == []
    assert removed == in_hand
    assert (ids(box.first("mqtt", ""))[0], box.waiting("mqtt")) == ("event-4", 2097)
    assert drained(box)[-1] == "event-3099"
    assert box.waiting("mqtt") == 0
    box.close()


@pytest.mark.fault(
    "another program holds the outbox, or its disk is full",
    injected="an exclusive lock, and a database that may not grow",
    observed="nothing is set aside; deliveries stay in memory and are written down later",
)
@pytest.mark.parametrize("fault", ["locked", "full"])
def test_a_lock_and_a_full_disk_are_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    monkeypatch.setattr(outbox_database, "_WAIT_S", 0.1)
    box = Outbox(tmp_path)
    box.put(made(1))
    with closing(sqlite3.connect(tmp_path / "outbox.db", isolation_level=None)) as other:
        if fault == "locked":
            other.execute("BEGIN IMMEDIATE")
        else:
            box._database._open().execute("PRAGMA max_page_count = 1")
        box.put(made(2, body="b" * 5000))
        trouble = box.trouble
        held = ids(box.first("mqtt", "", 9))
        if fault == "locked":
            other.execute("COMMIT")
        else:
            box._database._open().execute("PRAGMA max_page_count = 100000")
        box.put(made(3))

    assert "does not survive a restart" in trouble
    assert held == ["event-1", "event-2"]
    assert (box.trouble, box.notice) == ("", "")
    assert box.lost_at_end("mqtt") == []
    assert [*tmp_path.glob("*.damaged*")] == []
    box.close()


def test_what_was_given_up_is_not_removed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MOST_BYTES", 10 * made(0).size)
    box = Outbox(tmp_path)
    box.put(*(made(number) for number in range(10)))
    in_hand = box.first("mqtt", "", 4)
    given_up = box.put(made(10), made(11))
    removed = box.remove(*in_hand)

    assert (ids(given_up), ids(removed)) == (["event-0", "event-1"], ["event-2", "event-3"])
    assert (box.waiting("mqtt"), box.given_up("mqtt")) == (8, 2)
    assert box.remove(*in_hand) == []
    assert (box.waiting("mqtt"), len(drained(box)), box.waiting("mqtt")) == (8, 8, 0)
    box.close()
