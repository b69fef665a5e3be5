"""What the daemon writes to the disk in a day, busy and idle, with default settings: from /proc/PID/io.

python -m tests.bench.writes [--minutes 10] [--settle 5] [--set model.fps=6]

Busy: the demo, another thing every five seconds. Idle: a film of one thing that stays, as a camera in an empty room.
--settle 0 counts from the start, where each thing gets its first picture. Nobody looks meanwhile. The state lies on a
real disk, not on a tmpfs.
"""

import argparse
import os
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from tests.daemon import Daemon, daemon
from tests.videos import write_video
from vitcam.history.export import pages
from vitcam.history.store import EventStore
from vitcam.history.stored import Query

_DAY_S = 86_400
GOLDEN = Path(__file__).parents[2] / "models/golden"


@dataclass(frozen=True, slots=True)
class Written:
    """Since the start of a process."""

    at_s: float
    bytes: int
    own: int
    """Events with a picture."""
    without: int
    """Events without a picture."""
    pictures: int
    """Bytes of all pictures that are there."""


def written(running: Daemon, state: Path) -> Written:
    """`write_bytes` of the process and its children: what was sent to a disk, proc_pid_io(5)."""
    pids = [running.process.pid, *running.children()]
    texts = (Path(f"/proc/{pid}/io").read_text() for pid in pids)
    total = sum(int(line.split()[1]) for text in texts for line in text.splitlines() if line.startswith("write_bytes"))
    # from the disk: whoever asks the daemon makes it write at once for a while
    kept = [event for page in pages(EventStore(state), Query()) for event in page]
    without = sum(event.frame is None for event in kept)
    pictures = sum(path.stat().st_size for path in state.glob("frames/*/*.jpg"))
    return Written(time.monotonic(), total, len(kept) - without, without, pictures)


def still_film(folder: Path) -> Path:
    """Ten seconds of a cup, with noise."""
    cup = cv2.resize(cv2.imread(str(GOLDEN / "coffee.jpg")), (1280, 720)).astype(np.int16)
    rng = np.random.default_rng(0)
    noisy = [np.clip(cup + rng.normal(0, 2, cup.shape), 0, 255).astype(np.uint8) for _ in range(10)]
    return write_video(folder / "still.mp4", noisy * 10, fps=10)


def main() -> None:
    """Print both."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.writes")
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--settle", type=float, default=5.0)
    options.add_argument("--set", action="append", default=[])
    o = options.parse_args()
    sets = [text for each in o.set for text in ("--set", each)]
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name, ExitStack() as stack:
        folder = Path(name)
        films = {"busy, the demo": "demo", "idle, one thing stays": str(still_film(folder))}
        states = {what: folder / f"state{place}" for place, what in enumerate(films)}
        daemons = {
            what: stack.enter_context(daemon("--source", film, "--loop", *sets, STATE_DIRECTORY=str(states[what])))
            for what, film in films.items()
        }
        for running in daemons.values():
            running.wait_for("ok")
        time.sleep(60 * o.settle)
        before = {what: written(running, states[what]) for what, running in daemons.items()}
        time.sleep(60 * o.minutes)
        print(f"{o.minutes:g} minutes after {o.settle:g}; load {os.getloadavg()[0]:.1f}")
        for what, running in daemons.items():
            show(what, before[what], written(running, states[what]))


def show(what: str, before: Written, after: Written) -> None:
    """Print a row."""
    took, size = after.at_s - before.at_s, after.bytes - before.bytes
    print(f"{what:22} {size / took * _DAY_S / 1e6:7.1f} MB a day", end="")
    print(f"   ({size / 1e6:.2f} MB; {before.bytes / 1e6:.2f} MB before)")
    print(f"{'':22} {after.own - before.own} more events have a picture, ", end="")
    print(f"{after.without - before.without} none; more pictures: {(after.pictures - before.pictures) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
