"""SIGKILL while events come fast, and a full disk in between: what was told is stored, once and whole.

python -m tests.soak.event_kills [--times 100] [--seed 0] [--disk FOLDER]    exit status 1 at the first

A film shows another thing every fifth of a second, and without smoothing each is an event. Two clients write down every
id that server-sent events and `/api/events` give them. After each kill the database is checked, and each of these ids.
--disk is a small file system of its own, such as a tmpfs, which is filled for a while in every fifth run.
"""

import argparse
import json
import random
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

import cv2

from tests.daemon import Daemon, daemon, get_json
from tests.histories import is_sound
from tests.videos import write_video
from vitcam.errors import UsageError
from vitcam.history.database.connections import is_there, open_to_read
from vitcam.history.picture_files import detail_of
from vitcam.pictures.decode import decode_image

_EARLY = 0.3
"""Share of kills that come while it starts."""
_START_S, _RUN_S = 1.0, 2.5  # a kill comes within this time after the start, or after it serves
_FULL_EVERY = 5
SIZE, _FPS, _SHOWN_FOR = (320, 240), 10, 2  # px; frames/s; frames
_GOLDEN = Path(__file__).parents[2] / "models/golden"
_FAST = {
    "events.half_life_s": 0,
    "events.dwell_s": 0,
    "events.gap_s": 0,
    "events.enter": 0.3,
    "events.leave": 0.2,
    "camera.fps": 30,
}


@dataclass
class Told:
    """Ids that clients got, whatever came of their daemon."""

    by_events: set[str] = field(default_factory=set)
    by_api: set[str] = field(default_factory=set)

    @property
    def ids(self) -> set[str]:
        return self.by_events | self.by_api


class Clients:
    """Listen until the daemon is gone."""

    def __init__(self, running: Daemon, told: Told) -> None:
        self._url, self._told, self._ending = running.url, told, threading.Event()
        self._threads = [threading.Thread(target=each) for each in (self._follow, self._ask)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Wait for both."""
        self._ending.set()
        for thread in self._threads:
            thread.join(30)

    def _follow(self) -> None:
        while not self._ending.wait(0.02):
            with suppress(OSError, ValueError), urlopen(f"{self._url}/api/predictions", timeout=5) as lines:
                kind = b""
                for line in lines:
                    if line.startswith(b"event:"):
                        kind = line.partition(b":")[2].strip()
                    elif line.startswith(b"data:") and kind == b"event" and line.endswith(b"\n"):
                        self._told.by_events.add(json.loads(line.partition(b":")[2])["id"])

    def _ask(self) -> None:
        while not self._ending.wait(0.05):
            with suppress(OSError, ValueError):
                self._told.by_api.update(each["id"] for each in get_json(f"{self._url}/api/events")["events"])


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """No byte is free."""
    filler = disk / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    try:
        yield
    finally:
        filler.unlink()


def check(state: Path, told: Told, seen: set[str]) -> int:
    """Count the stored events. Raises AssertionError if something that was told is not there once, or not whole.

    seen  pictures that were found whole before
    """
    if not is_there(state):
        assert not told.ids, "events were told, and there is no database"
        return 0
    assert is_sound(state), "integrity_check fails"
    with closing(open_to_read(state)) as connection, suppress(sqlite3.OperationalError):
        rows = connection.execute("SELECT id, frame, frame_bytes, sight FROM events").fetchall()
        counts = Counter(identifier for identifier, *_ in rows)
        assert max(counts.values(), default=1) == 1, "an event is there twice"
        assert not (lost := told.ids - counts.keys()), f"told and not stored: {lost}"
        for identifier, frame, size, sight in rows:
            if frame not in seen:
                _check_pictures(state, identifier, frame, size, json.loads(sight)["detail"])
                seen.add(frame)
        return len(rows)
    return 0


def _check_pictures(state: Path, identifier: str, frame: str | None, size: int, detail: list[int] | None) -> None:
    """The whole frame, and beside it what was followed, where the event says that there is a picture of that."""
    assert frame is not None, f"{identifier} has no picture"
    sizes = {frame: [*SIZE]} | ({} if detail is None else {detail_of(frame): detail})
    assert all((state / name).exists() for name in sizes), f"{identifier} has not all of {[*sizes]}"
    written = sum((state / name).stat().st_size for name in sizes)
    assert written == size, f"{[*sizes]} have {written} bytes, {size} were written"
    for name, (width, height) in sizes.items():
        try:
            shape = decode_image((state / name).read_bytes()).shape
        except UsageError as error:
            raise AssertionError(f"{name}: {error}") from error
        assert shape == (height, width, 3), f"{name} is {shape}"


def film(folder: Path) -> Path:
    """A film that shows another thing every fifth of a second."""
    names = ("cat.jpg", "coffee.jpg", "bird.jpg", "dog.jpg")
    pictures = [cv2.resize(cv2.imread(str(_GOLDEN / name)), SIZE) for name in names for _ in range(_SHOWN_FOR)]
    return write_video(folder / "fast.mp4", pictures * 20, fps=_FPS)


def kill_often(times: int, seed: int, folder: Path, disk: Path | None = None) -> dict[str, int]:
    """What was done and survived; raises AssertionError at the first state that is not whole.

    folder  for the film, and for the state if `disk` is None
    disk    a small file system for the state, which is full for a while in every fifth run
    """
    chance, told, seen, did = random.Random(seed), Told(), set[str](), Counter[str]()
    state = (disk or folder) / "state"
    sets = [text for name, value in _FAST.items() for text in ("--set", f"{name}={value}")]
    options = ("--source", str(film(folder)), "--realtime", "--loop", *sets)
    for number in range(times):
        with daemon(*options, STATE_DIRECTORY=str(state)) as running:
            early, full = chance.random() < _EARLY, disk is not None and number % _FULL_EVERY == _FULL_EVERY - 1
            if not early:
                running.wait_for("ok")
            clients = Clients(running, told)
            time.sleep(chance.uniform(0, _START_S if early else _RUN_S))
            if full and disk is not None:
                _kill_when_full(running, disk, chance)
            running.process.kill()
            running.process.wait(30)
            clients.end()
            assert "Traceback" not in running.errors(), running.errors()
        did["events in the store"] = check(state, told, seen)
        did["killed while it started" if early else "killed while it ran"] += 1
        did["of these with a disk that was full"] += full
    did["ids told by server-sent events"], did["ids told by /api/events"] = len(told.by_events), len(told.by_api)
    did["pictures that no event names"] = len(unnamed(state))
    return dict(did)


def _kill_when_full(running: Daemon, disk: Path, chance: random.Random) -> None:
    """Fill the disk for a second; sometimes it is killed while the disk is full, sometimes later."""
    with filled(disk):
        time.sleep(1)
        if chance.random() < 0.5:
            running.process.kill()
            return
    time.sleep(chance.uniform(0, _RUN_S))


def unnamed(state: Path) -> set[str]:
    """The pictures that no event names."""
    with closing(open_to_read(state)) as connection:
        frames = connection.execute("SELECT frame FROM events WHERE frame IS NOT NULL").fetchall()
    named = {name for (frame,) in frames for name in (frame, detail_of(frame))}
    return {path.relative_to(state).as_posix() for path in (state / "frames").rglob("*.jpg")} - named


def main() -> None:
    """Print what was done."""
    options = argparse.ArgumentParser(prog="python -m tests.soak.event_kills")
    options.add_argument("--times", type=int, default=100)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--disk", type=Path)
    o = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for what, count in kill_often(o.times, o.seed, Path(name), o.disk).items():
            print(f"{count:6} {what}")


if __name__ == "__main__":
    main()
