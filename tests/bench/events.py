"""Events against a script: precision, recall, errors of start and end, and every miss.

python -m tests.bench.events [--seed 1] [--part heldout] [--any] [--minutes 20] [--clip FILE] [--set events.enter=0.5]

Makes the clip of `examples/scripted_clip.py`, or takes one that it made before. An event is right if its zone and its
label are, and both its start and its end lie within `WITHIN_S` of the script. Each event counts for one showing at
most. Exit status 1 below 0.95.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitcam.config.load import load
from vitcam.film_events import predictions_of, steps_of
from vitcam.frames import Event
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.open_model import open_classifier
from vitcam.pictures.view import Region
from vitcam.pipeline.place_events import PlaceEvents

WITHIN_S = 1.0
ENOUGH = 0.95


@dataclass(frozen=True, slots=True)
class Shown:
    """One line of the script. Times in s of the clip."""

    labels: frozenset[str]
    label: str
    zone: str
    start_s: float
    end_s: float
    how: str


@dataclass(frozen=True, slots=True)
class Found:
    """One event, as it ended."""

    label: str
    zone: str | None
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What fits, what was missed, and what nobody showed."""

    pairs: list[tuple[Shown, Found]]
    missed: list[Shown]
    invented: list[Found]

    @property
    def precision(self) -> float:
        """Share of the events that are right."""
        return len(self.pairs) / max(1, len(self.pairs) + len(self.invented))

    @property
    def recall(self) -> float:
        """Share of what was shown that became a right event."""
        return len(self.pairs) / max(1, len(self.pairs) + len(self.missed))


def compare(script: Sequence[Shown], events: Sequence[Found]) -> Comparison:
    """Give each showing the event that fits, if one does; an event is given once."""
    left = list(events)
    pairs, missed = [], []
    for shown in script:
        fitting = [each for each in left if _fits(shown, each)]
        if fitting:
            pairs.append((shown, fitting[0]))
            left.remove(fitting[0])
        else:
            missed.append(shown)
    return Comparison(pairs, missed, left)


def _fits(shown: Shown, found: Found) -> bool:
    is_near = max(abs(found.start_s - shown.start_s), abs(found.end_s - shown.end_s)) <= WITHIN_S
    return is_near and found.zone == shown.zone and found.label in shown.labels


def read_script(clip: Path) -> tuple[list[Shown], Areas]:
    """What a clip shows, and its zones."""
    described: dict[str, Any] = json.loads(clip.with_suffix(".json").read_text())
    shown = [
        Shown(frozenset(each["photo"]["labels"]), each["label"], each["zone"], each["start"], each["end"], each["how"])
        for each in described["shown"]
    ]
    return shown, Areas(tuple(Zone(name, Region(*sides)) for name, sides in described["zones"].items()))


def ended(events: Sequence[Event]) -> list[Found]:
    """The events of labels that ended, with times in s."""
    return [
        Found(each.label, each.zone, each.start_ns / 1e9, each.end_ns / 1e9)
        for each in events
        if each.phase == "end" and each.end_ns is not None and each.kind == "seen"
    ]


def report(result: Comparison) -> None:
    """Print figures and misses."""
    starts = [found.start_s - shown.start_s for shown, found in result.pairs]
    ends = [found.end_s - shown.end_s for shown, found in result.pairs]
    for shown in result.missed:
        print(f"missed    {shown.start_s:7.1f} to {shown.end_s:7.1f} s  {shown.zone:5}  {shown.label} ({shown.how})")
    for found in result.invented:
        print(f"not shown {found.start_s:7.1f} to {found.end_s:7.1f} s  {found.zone or '':5}  {found.label}")
    for name, errors in (("start", starts), ("end", ends)):
        late, worst = statistics.median(errors), max(errors, key=abs)
        print(f"{name:9} {late:+.2f} s from the script in the middle, {worst:+.2f} s at worst")
    things, events = (len(result.pairs) + len(more) for more in (result.missed, result.invented))
    print(f"{things} things were shown, {events} events came")
    print(f"precision {result.precision:.3f}   recall {result.recall:.3f}   (zone, label, start and end within 1 s)")


def main() -> int:
    """Make the clip, replay it, and compare."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.events")
    options.add_argument("--clip", type=Path, help="take this clip, with its script beside it")
    options.add_argument("--set", action="append", default=[], help="change a setting, as vitcam run does")
    o, making = options.parse_known_args()
    with tempfile.TemporaryDirectory() as name:
        clip = o.clip or Path(name, "scripted.mp4")
        if not clip.exists():
            maker = Path(__file__).parents[2] / "examples/scripted_clip.py"
            subprocess.run([sys.executable, str(maker), str(clip), *making], check=True)
        settings = load(None, o.set, {}, os.environ).settings
        script, areas = read_script(clip)
        predictions = predictions_of(clip, open_classifier(settings.model), areas)
        steps = steps_of(predictions, PlaceEvents(settings.events.rules, ActiveAreas(areas)))
        events = [each for _, told in steps for each in told]
    result = compare(script, ended(events))
    report(result)
    return 0 if min(result.precision, result.recall) >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
