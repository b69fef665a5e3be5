"""A history of a million events: the first page, searches, memory, and what deleting 100,000 of them costs the stream.

python -m tests.bench.history [--events 1000000] [--old 100000] [--folder FOLDER]

Makes the events in FOLDER (3 GB; a temporary folder otherwise). The oldest `--old` of them have pictures, and are older
than `store.keep_days`. Everything else is asked of a real daemon over HTTP, beside one with a thousand events.
"""

import argparse
import itertools
import json
import os
import random
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import numpy as np

from tests.daemon import Daemon, daemon
from tests.soak.gauge import read
from vitcam.frames import Guess
from vitcam.history.database.connections import open_to_write
from vitcam.history.database.rows import summary_values, values_of
from vitcam.history.query_text import read_query
from vitcam.history.record import stored_record
from vitcam.history.store import EventStore
from vitcam.history.stored import FrameSummary, Kind, StoredEvent
from vitcam.rects import Rect

_DAY_MS = 86_400_000
_YOUNG_DAYS = 29.0
_LABELS, _ZONES = 300, ("door", "table", "window", None)
_JPEG = bytes.fromhex("ffd8ffe0") + bytes(2000)
_ROUNDS, _FEW = 15, 1000
_PAGE_MS, _SEARCH_MS = 100, 200
_SEARCHES = (
    {"label": "thing 7"},
    {"text": "thing 29"},
    {"zone": "door", "min_p": "0.97"},
    {"label": "thing 299", "min_p": "0.999"},
    {"label": "no such thing"},
    {"text": "nowhere"},
    {"min_p": "0.9999"},
    {"favourite": "1"},
    {"kind": "unknown"},
    {"since": "2001-01-01", "until": "2001-02-01"},
)
_SETTLE_S, _IDLE_S, _MOST_S = 5.0, 20.0, 900.0


def fill(folder: Path, events: int, old: int) -> None:
    """Generate events; the `old` ones first, 31 to 60 days ago, the others since."""
    rng, now_ms = random.Random(0), time.time_ns() // 1_000_000
    evidence = np.random.default_rng(0).normal(size=(14, 14)).astype(np.float32)
    with closing(open_to_write(folder)) as connection:
        connection.execute("INSERT INTO models (name, fingerprint) VALUES ('everyday', 'generated')")
        row = _values(_event(0, now_ms, rng, evidence))
        sql = f"INSERT INTO events ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
        for begin in range(0, events, 10_000):
            connection.execute("BEGIN")
            rows = range(begin, min(begin + 10_000, events))
            starts = ((number, _start_ms(number, events, old, now_ms)) for number in rows)
            connection.executemany(sql, (tuple(_values(_event(n, at, rng, evidence)).values()) for n, at in starts))
            connection.execute("COMMIT")
    for number in range(old):
        path = folder / _frame(number)
        if number % 2000 == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_JPEG)


def _start_ms(number: int, events: int, old: int, now_ms: int) -> int:
    if number < old:
        return now_ms - 60 * _DAY_MS + number * 29 * _DAY_MS // max(1, old)
    return now_ms - int(_YOUNG_DAYS * _DAY_MS * (events - number) / (events - old))


def _event(
    number: int, start_ms: int, rng: random.Random, evidence: "np.ndarray[tuple[int, int], np.dtype[np.float32]]"
) -> StoredEvent:
    label, p = f"thing {rng.randrange(_LABELS)}", rng.random()
    top = tuple(Guess(f"thing {rng.randrange(_LABELS)}", p / (place + 1)) for place in range(5))
    curve = tuple((100 * step, p) for step in range(40))
    kind: Kind = "unknown" if rng.random() < 0.01 else "seen"
    return StoredEvent(
        f"{number:026}", kind, label, rng.choice(_ZONES), "demo", start_ms, start_ms + 4000, p, p, curve=curve,
        summary=FrameSummary(top, (1280, 720), Rect(280, 0, 720, 720), evidence, 0.9), frame=_frame(number),
        favourite=rng.random() < 0.001,
    )  # fmt: skip


def _frame(number: int) -> str:
    return f"frames/{number // 2000:05}/{number:026}-0000.jpg"


def _values(event: StoredEvent) -> dict[str, object]:
    own = {"model": 1, "frame": event.frame, "frame_bytes": len(_JPEG), "favourite": int(event.favourite)}
    return values_of(event, event.start_ms) | summary_values(event.summary) | own


def asked_ms(url: str) -> list[float]:
    """How long each of some requests takes, in ms, the first one included."""
    times = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        with urlopen(url, timeout=60) as answer:
            answer.read()
        times.append(1000 * (time.perf_counter() - began))
    return times


def parts(url: str) -> Iterator[float]:
    """The time at which each picture of a stream came, in s."""
    with urlopen(f"{url}/stream?width=640", timeout=60) as stream:
        for line in stream:
            if line.startswith(b"Content-Length"):
                yield time.monotonic()


class Viewer:
    """Notes when pictures come, in a thread."""

    def __init__(self, url: str) -> None:
        self.times: list[float] = []
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(url,))
        self._thread.start()

    def longest_gap_ms(self, since_s: float) -> float:
        """Between two pictures that came after `since_s`."""
        later = [at for at in self.times if at >= since_s]
        return 1000 * max((b - a for a, b in itertools.pairwise(later)), default=float("nan"))

    def end(self) -> None:
        self._ending.set()
        self._thread.join(30)

    def _watch(self, url: str) -> None:
        for at in parts(url):
            self.times.append(at)
            if self._ending.is_set():
                return


def cpu_ms(folder: Path, query: dict[str, str]) -> float:
    """Processor time of the answer without HTTP, in ms, which does not depend on what else the machine does."""
    store, times = EventStore(folder), []
    for _ in range(_ROUNDS):
        began = time.process_time()
        json.dumps([stored_record(event) for event in store.find(read_query(query)).events])
        times.append(1000 * (time.process_time() - began))
    return statistics.median(times)


def measure_reading(running: Daemon, folder: Path) -> bool:
    """Print times; whether all are short enough."""
    quick = True
    for query, most_ms in (({}, _PAGE_MS), *((each, _SEARCH_MS) for each in _SEARCHES)):
        times = asked_ms(f"{running.url}/api/events?{urlencode(query)}")
        name, middle, cpu = urlencode(query) or "first page of 50", statistics.median(times), cpu_ms(folder, query)
        print(f"{name:34} {middle:6.1f} ms, {max(times):6.1f} ms at worst; {cpu:6.1f} ms of the processor")
        quick = quick and middle <= most_ms
    return quick


def memory_mb(running: Daemon) -> float:
    """Of its own, which no file holds, after the same requests, in MB of 2^20 bytes."""
    for query in ({}, *_SEARCHES):
        asked_ms(f"{running.url}/api/events?{urlencode(query)}")
    time.sleep(_SETTLE_S)
    return read(running.process.pid, 0.0).memory_mb


def measure_deleting(folder: Path, old: int) -> None:
    """Print the longest gap of the stream while retention deletes the old events, and while it deletes nothing."""
    with daemon("--source", "demo", "--set", "store.max_mb=0", STATE_DIRECTORY=str(folder)) as running:
        running.wait_for("ok")
        viewer, began = Viewer(running.url), time.monotonic()
        while (left := count(folder, old)) and time.monotonic() - began < _MOST_S:
            time.sleep(0.5)
        took, gap = time.monotonic() - began, viewer.longest_gap_ms(began + 2)
        quiet = time.monotonic()
        time.sleep(_IDLE_S)
        print(
            f"deleted {old - left:,} of {old:,} events in {took:.0f} s; longest gap between two pictures {gap:.0f} ms"
        )
        print(f"longest gap of the stream in {_IDLE_S:.0f} s without deleting {viewer.longest_gap_ms(quiet):.0f} ms")
        running.process.terminate()
        viewer.end()
    pictures = sum(len(files) for _, _, files in os.walk(folder / "frames"))
    print(f"{pictures:,} pictures are left")


def count(folder: Path, old: int) -> int:
    """How many of the generated old events are still there, without favourites."""
    with closing(sqlite3.connect(f"file:{folder / 'events.db'}?mode=ro", uri=True, timeout=30)) as connection:
        found = connection.execute("SELECT count(*) FROM events WHERE id < ? AND favourite = 0", (f"{old:026}",))
        return int(found.fetchone()[0])


def main() -> int:
    """Print everything."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.history")
    options.add_argument("--events", type=int, default=1_000_000)
    options.add_argument("--old", type=int, default=100_000)
    options.add_argument("--folder", type=Path)
    o = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, small = o.folder or Path(name, "full"), Path(name, "small")
        if not (folder / "events.db").exists():
            fill(folder, o.events, o.old)
        size = (folder / "events.db").stat().st_size / 1e9
        print(f"{o.events:,} events, {size:.2f} GB of database; load {os.getloadavg()[0]:.1f}")
        keep = ("--source", "demo", "--set", "store.keep_days=0", "--set", "store.max_mb=0")
        with daemon(*keep, STATE_DIRECTORY=str(folder)) as running:
            running.wait_for("ok")
            quick = measure_reading(running, folder)
            with_events = memory_mb(running)
        fill(small, _FEW, 0)
        with daemon(*keep, STATE_DIRECTORY=str(small)) as running:
            running.wait_for("ok")
            few = memory_mb(running)
        print(f"memory of its own {with_events:.1f} MB with these events, {few:.1f} MB with {_FEW:,}")
        measure_deleting(folder, o.old)
    return 0 if quick else 1


if __name__ == "__main__":
    raise SystemExit(main())
