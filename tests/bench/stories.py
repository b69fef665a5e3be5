"""How long the routes of the folded history take, asked of a real server: 100,000 events over months.

python -m tests.bench.stories [--days 68] [--a-day 1480] [--folder FOLDER]

Printed are the best times of some requests: the processor's, of server and client together, which is what a quiet core
needs, and the wall clock's; and the kB of an answer as it goes over the wire. Exit status 1 if one takes the processor
longer than 100 ms.
"""

import argparse
import gzip
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from tests.household import make_history
from tests.integration.web.camera import Camera
from vitcam.history.store import EventStore
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

_ROUNDS = 9
_MOST_MS = 100.0


def questions(today: datetime) -> dict[str, tuple[str, dict[str, str]]]:
    """What the page asks, by what it is for."""

    def times(first: int, last: int, step: int = 1) -> dict[str, str]:
        days = range(first, last + 1, step)
        return {"times": ",".join((today + timedelta(days=day)).isoformat() for day in days)}

    def span(first: int) -> dict[str, str]:
        return {"since": (today + timedelta(days=first)).isoformat(), "until": (today + timedelta(days=1)).isoformat()}

    week, weeks = times(-7, 0), times(-56, 0, 7)
    return {
        "a day, folded": ("summary", times(-1, 0) | {"limit": "60"}),
        "a day, of a label": ("summary", times(-1, 0) | {"shown": "cat"}),
        "a day, of a text": ("summary", times(-1, 0) | {"text": "ca"}),
        "a week and its days": ("summary", week | {"limit": "5"}),
        "eight weeks, each by itself": ("summary", weeks | {"limit": "5"}),
        "a week of corrections": ("summary", week | {"limit": "5", "corrected": "1"}),
        "the hours of a day": ("counts", span(-1)),
        "the hours of 7 days together": ("counts", span(-6) | {"ahead_min": "60"}),
        "the hours of 30 days together": ("counts", span(-29) | {"ahead_min": "60"}),
        "the names": ("names", {}),
        "60 events of a story": ("", span(-1) | {"shown": "espresso", "kind": "seen", "limit": "60"}),
        "200 events": ("", {"limit": "200"}),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=68)
    parser.add_argument("--a-day", type=int, default=1480)
    parser.add_argument("--folder", type=Path, help="a history that was made before, or a new folder for one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        if not (folder / "events.db").exists():
            make_history(folder, options.days, options.a_day)
        store = EventStore(folder)
        store.start()
        with Camera(fps=1) as camera:
            server = WebServer(camera.parts(history=store), Binding())
            server.start()
            server.wait_until_serving()
            slowest = show(server.url)
            server.stop(2)
        store.stop(5)
    sys.exit(slowest > _MOST_MS)


def show(url: str) -> float:
    """Print a row for each question; returns the longest time of the processor in ms."""
    print("| what is asked | processor, ms | wall clock, ms | kB |\n|---|---|---|---|")
    slowest = 0.0
    today = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
    for what, (route, parameters) in questions(today).items():
        address = f"{url}/api/events{route and '/'}{route}?{urlencode(parameters)}"
        work, rounds, size = [], [], 0
        for _ in range(_ROUNDS):
            begun, worked = time.perf_counter(), time.process_time()
            with urlopen(Request(address, headers={"Accept-Encoding": "gzip"}), timeout=60) as answer:
                body = answer.read()
            rounds.append((time.perf_counter() - begun) * 1000)
            work.append((time.process_time() - worked) * 1000)
            size = len(body)
            if answer.headers.get("Content-Encoding") == "gzip":
                gzip.decompress(body)
        slowest = max(slowest, min(work))
        print(f"| {what} | {min(work):.0f} | {min(rounds):.0f} | {size / 1000:.1f} |", flush=True)
    return slowest


if __name__ == "__main__":
    main()
