"""What waits to be delivered survives kills, full disks and clocks, in order, and never takes more than its room."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.eventually import eventually
from vitcam.storage import outbox
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
    database = box._opened()
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
