"""Frames/s and latency with events kept against without, turn by turn, and the 95 % interval of each ratio.

python -m tests.bench.kept [--turns 12] [--config FILE]

A film of 120 frames/s shows another thing every two seconds, so an event and its picture are stored as often. Both
daemons live through the whole measurement; one at a time is awake. FILE is read by the one that keeps events: it may
hold rules.
"""

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import cv2

from tests.bench.turns import in_turns, show
from tests.bench.versus import asleep, latencies_ms, rates_per_s
from tests.videos import write_video

_GOLDEN = Path(__file__).parents[2] / "models/golden"
_SHOWN_S = 2
_OFF = ("--set", "store.enabled=false")


def film(folder: Path, fps: int) -> Path:
    """Four things, each for two seconds."""
    names = ("cat.jpg", "coffee.jpg", "bird.jpg", "dog.jpg")
    pictures = [cv2.resize(cv2.imread(str(_GOLDEN / name)), (640, 360)) for name in names]
    return write_video(folder / f"{fps}.mp4", [each for each in pictures for _ in range(_SHOWN_S * fps)], fps=fps)


def main() -> None:
    """Print a table."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.kept")
    options.add_argument("--turns", type=int, default=12)
    options.add_argument("--model", default="everyday")
    options.add_argument("--config", type=Path)
    o = options.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        os.environ["STATE_DIRECTORY"] = name
        rules = ("--config", str(o.config)) if o.config else ()
        print(f"{o.turns} turns; load {os.getloadavg()[0]:.1f}\n")
        print("| | not kept | kept | kept / not kept, 95 % interval |\n|---|---|---|---|")
        for title, fps, measure, turns in (
            (("frames/s, one viewer",), 120, rates_per_s, 3 * o.turns),
            (("capture to prediction p50, ms", "capture to prediction p99, ms"), 30, latencies_ms, o.turns),
        ):
            paced = ("--source", str(film(Path(name), fps)), "--realtime", "--loop", "--emit", "changes")
            with ExitStack() as stack:
                off, on = (
                    stack.enter_context(asleep(sys.executable, o.model, *paced, *sets, watched=True))
                    for sets in (_OFF, rules)
                )
                for row, pairs in zip(title, in_turns(turns, partial(measure, off), partial(measure, on)), strict=True):
                    show(row, pairs)
        pictures = len([*Path(name).glob("frames/*/*.jpg")])
        print(f"\n{pictures} events were kept; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
