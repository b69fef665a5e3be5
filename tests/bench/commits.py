"""What an event costs the disk: bytes that /proc counts, and time, for pages of several sizes and both ways to commit.

python -m tests.bench.commits [--events 300]
"""

import argparse
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from tests.histories import START_MS, SUMMARY, change
from vitcam.history.database.schema import migrate
from vitcam.history.database.writing import write_change

PAGES = (1024, 4096)
WAYS = ("FULL", "NORMAL")
LABELS = ("cup", "cat", "palace", "motorcycle")


def main() -> None:
    """Print a row for each size of a page, each way to commit, and one or 15 events in a commit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=300)
    events = parser.parse_args().events
    print("| page | synchronous | events a commit | written, kB an event | time, ms an event |\n|---|---|---|---|---|")
    for page in PAGES:
        for way in WAYS:
            for together in (1, 15):
                size, seconds = measure(page, way, together, events)
                row = (page, way, together, f"{size / events / 1000:.1f}", f"{seconds / events * 1000:.2f}")
                print("|", " | ".join(map(str, row)), "|")


def measure(page: int, way: str, together: int, events: int) -> tuple[int, float]:
    """Bytes and seconds for so many events, each with a commit when it begins and one when it ends."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder, closing(_opened(folder, page, way)) as connection:
        before, began_s = _written(), time.monotonic()
        for first in range(0, events, together):
            for phase in ("new", "end"):
                connection.execute("BEGIN IMMEDIATE")
                for number in range(first, min(first + together, events)):
                    _write(connection, number, ends=phase == "end", new=phase == "new")
                connection.execute("COMMIT")
        seconds = time.monotonic() - began_s
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return _written() - before, seconds


def _opened(folder: str, page: int, way: str) -> sqlite3.Connection:
    connection = sqlite3.connect(Path(folder, "events.db"), isolation_level=None)
    for pragma in (f"page_size = {page}", "journal_mode = WAL", f"synchronous = {way}", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")
    migrate(connection)
    return connection


def _write(connection: sqlite3.Connection, number: int, ends: bool, new: bool) -> None:
    summary = replace(SUMMARY, evidence=np.ones((14, 14), np.float32))
    start_ms = START_MS + 4000 * number
    made = change(
        f"01{number:024}",
        "end" if ends else "new",
        LABELS[number % len(LABELS)],
        summary=summary,
        start_ms=start_ms,
        end_ms=start_ms + 3000 if ends else None,
        curve=tuple((33 * i, 0.5) for i in range(50)) if ends else (),
        peak=0.7 if ends else 0.5,
    )
    write_change(connection, made, start_ms, None, new)


def _written() -> int:
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("write_bytes:")).split()[1])


if __name__ == "__main__":
    main()
