"""A made history of a household: busy days with repeats, rare things, a first time, corrections, zones and clips.

python -m tests.household FOLDER [--days 1] [--a-day 1500] [--seed 1] [--absurd]

Writes the events into the state folder FOLDER, the newest of them now. `--absurd` adds some by clocks that were wrong.
"""

import argparse
import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import cv2
import numpy as np

from vitcam.frames import Group, Guess
from vitcam.history.database.connections import open_to_write, transaction
from vitcam.history.database.writing import attach_clip, edit, write_change
from vitcam.history.stored import FRAMES, EventChange, FrameSummary, Kind, StoredEvent
from vitcam.rects import Rect

FIRST = "hedgehog"
"""Seen on the last day, and on none before."""
RARE = "fox"
"""Seen on the last day, and on one other day of the weeks before."""
_SIZE = (640, 360)
_VARIANTS = 6  # pictures of each thing
_ABSURD_MS = (0, 86_400_000, 4_102_444_800_000, 7_258_118_400_000)  # 1970, and 2100 to 2200


@dataclass(frozen=True, slots=True)
class Habit:
    """A thing that is seen again and again."""

    label: str
    weight: float
    """How often, beside the others."""
    hours: tuple[int, int]
    """From which hour on, and until which."""
    zones: tuple[str | None, ...] = (None,)
    kind: Kind = "seen"
    group: str | None = None


HABITS = (
    Habit("espresso", 20, (7, 19), ("kitchen",)),
    Habit("coffee mug", 14, (7, 22), ("kitchen", "desk")),
    Habit("tabby cat", 13, (5, 23), ("door", "garden", None), group="cat"),
    Habit("person", 17, (6, 23), ("door", "kitchen", None)),
    Habit("car", 12, (6, 22), ("street",)),
    Habit("delivery van", 3, (9, 17), ("street",)),
    Habit("bicycle", 5, (7, 20), ("street",)),
    Habit("robin", 5, (7, 17), ("garden",)),
    Habit("great tit", 4, (7, 16), ("garden",)),
    Habit("laptop", 3, (8, 18), ("desk",)),
    Habit("banana", 1, (8, 20), ("kitchen",)),
    Habit("umbrella", 0.5, (7, 19), ("door",)),
    Habit("unknown", 2, (0, 24), kind="unknown"),
    Habit("too dark", 0.4, (0, 6), kind="problem"),
)


def make_history(
    folder: Path,
    days: int = 1,
    a_day: int = 1500,
    seed: int = 1,
    absurd: bool = False,
    now: datetime | None = None,
    before: int | None = None,
) -> int:
    """Fill the history of a state folder with `days` days, the last one today. Returns how many events it has.

    now     the end of the last day, in this machine's time zone
    before  events of each day before the last one; None: as many
    """
    chance = random.Random(seed)
    today = (now or datetime.now()).replace(hour=0, minute=0, second=0, microsecond=0)
    until_ms = int((now.timestamp() if now else time.time()) * 1000)
    events = 0
    with closing(open_to_write(folder)) as connection:
        for back in range(days - 1, -1, -1):
            day = today - timedelta(days=back)
            with transaction(connection):
                count = before if back and before is not None else a_day
                for event in _day(chance, day, count, until_ms, back, days):
                    _store(connection, folder, event, chance)
                    events += 1
        if absurd:
            with transaction(connection):
                for number, start_ms in enumerate(_ABSURD_MS):
                    _store(connection, folder, _event(chance, HABITS[3], f"absurd{number}", start_ms), chance)
                    events += 1
    return events


def _day(
    chance: random.Random, day: datetime, count: int, until_ms: int, back: int, days: int
) -> Iterator[StoredEvent]:
    begins_ms = int(day.timestamp() * 1000)
    ends_ms = min(until_ms, int((day + timedelta(days=1)).timestamp() * 1000))
    habits = chance.choices(HABITS, [habit.weight for habit in HABITS], k=count)
    drawn = [(_moment(chance, habit, begins_ms, ends_ms), habit) for habit in habits]
    if back == 0:
        drawn.append((ends_ms - (ends_ms - begins_ms) // 7, Habit(FIRST, 1, (0, 24), ("garden",))))
    if back in {0, min(days - 1, 12)}:
        drawn += [(begins_ms + (ends_ms - begins_ms) // part, Habit(RARE, 1, (0, 24), ("garden",))) for part in (3, 4)]
    for number, (start_ms, habit) in enumerate(sorted(drawn, key=lambda each: each[0])):
        yield _event(chance, habit, f"{day:%Y%m%d}-{number:05d}", start_ms)


def _moment(chance: random.Random, habit: Habit, begins_ms: int, ends_ms: int) -> int:
    """Within the hours of a habit, as far as the day has come."""
    first, last = (begins_ms + hour * 3_600_000 for hour in habit.hours)
    if first >= ends_ms - 60_000:
        return chance.randrange(begins_ms, ends_ms)
    return chance.randrange(first, min(last, ends_ms - 30_000))


def _event(chance: random.Random, habit: Habit, event_id: str, start_ms: int) -> StoredEvent:
    peak = 1.0 if habit.kind == "problem" else chance.uniform(0.55, 0.99)
    group = Group(habit.group, peak) if habit.group and chance.random() < 0.4 else None
    top = (Guess(habit.label, peak), Guess("book", (1 - peak) / 2), Guess("lamp", (1 - peak) / 4))
    lasted_ms = chance.randrange(1000, 40_000)
    return StoredEvent(
        event_id, habit.kind, habit.label, chance.choice(habit.zones), "hall", start_ms, start_ms + lasted_ms,
        0.45 if group else peak, peak, group, "everyday", "abc",
        FrameSummary(top, _SIZE, Rect(140, 0, 360, 360), familiarity=0.8),
        tuple((ms, peak * min(1, ms / 2000)) for ms in range(0, lasted_ms, 2000)),
    )  # fmt: skip


def _store(connection: sqlite3.Connection, folder: Path, event: StoredEvent, chance: random.Random) -> None:
    """With its picture, and what a person said of it."""
    jpeg = scene(event.label, chance.randrange(_VARIANTS))
    day = time.strftime("%Y-%m-%d", time.gmtime(max(0, event.start_ms // 1000)))
    path = folder / FRAMES / day / f"{event.id}.jpg"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jpeg)
    write_change(connection, EventChange(event, "end", jpeg), event.start_ms, str(path.relative_to(folder)), True)
    if chance.random() < 0.004 and event.label not in {FIRST, RARE}:
        edit(connection, event.id, {"corrected": "neighbour" if event.label == "person" else f"toy {event.label}"})
    if chance.random() < 0.005:
        edit(connection, event.id, {"favourite": 1})
    if chance.random() < 0.03:
        attach_clip(connection, event.id, f"clips/{event.id}.mp4", 200_000)


_SCENES: dict[tuple[str, int], bytes] = {}


def scene(label: str, variant: int) -> bytes:
    """A JPEG of a made room with a coloured thing and its name."""
    if (label, variant) not in _SCENES:
        draw = random.Random(f"{label}{variant}")
        width, height = _SIZE
        tone = np.array([draw.randrange(60, 200) for _ in range(3)], np.float32)
        shade = np.linspace(0.55, 1.15, height, dtype=np.float32)[:, None, None]
        image = np.clip(np.broadcast_to(tone * shade, (height, width, 3)), 0, 255).astype(np.uint8)
        at = (draw.randrange(200, 440), draw.randrange(150, 250))
        cv2.circle(image, at, draw.randrange(50, 110), [draw.randrange(256) for _ in range(3)], -1, cv2.LINE_AA)
        cv2.putText(
            image, label, (at[0] - 120, at[1] + 12), cv2.FONT_HERSHEY_DUPLEX, 1.4, (255, 255, 255), 3, cv2.LINE_AA
        )
        _SCENES[label, variant] = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes()
    return _SCENES[label, variant]


def main() -> None:
    """Make one, and say how many events it has."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--days", type=int, default=1)
    parser.add_argument("--a-day", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--absurd", action="store_true")
    options = parser.parse_args()
    print(make_history(options.folder, options.days, options.a_day, options.seed, options.absurd), "events")


if __name__ == "__main__":
    main()
