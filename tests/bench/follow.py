"""What following costs: the follower by itself, and a daemon with it off and on, turn by turn.

python -m tests.bench.follow [--frames 300] [--turns 20] [--model everyday]
python -m tests.bench.follow --aarch64 [--folder build/aarch64]    instructions on an emulated Cortex-A76

The frames have 1280×720 px and noise. Nothing else moves in them, or branches, a feeder and a thing do, in rain. The
times are those of the processor in one thread.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path

import cv2
import numpy as np

from tests.bench.throughput import one_viewer
from tests.bench.turns import in_turns, show
from tests.bench.versus import asleep, rates_per_s
from tests.bench.viewers import usage
from tests.bench.wide_views.clips import Plan, shots_of
from tests.bench.wide_views.things import Thing
from tests.daemon import daemon
from vitcam.frames import Frame, Image
from vitcam.look.areas import NO_AREAS
from vitcam.look.follower import Follower
from vitcam.pictures.opencv import use_one_thread
from vitcam.pictures.resize import InputSpec
from vitcam.rects import Rect

GUEST = Path(__file__).with_name("follow_guest.py")
_ROOT = Path(__file__).parents[2]
_HEIGHT, _WIDTH = 720, 1280
_SHOTS = 16  # they come again and again
_MOVING_SINCE = 60  # the frame of a clip from which on everything moves
_SETTLE_S = 10.0
_OPENCV = "opencv-python-headless==4.11.0.86"
_FAST = ("--source", "demo:ram", "--no-realtime", "--loop", "--emit", "changes")
_PACED = ("--source", "demo:ram", "--realtime", "--loop")


def still() -> list[Image]:
    """Frames in which nothing moves."""
    return [shot.picture for shot in islice(shots_of(_plan("calm", "crossing"), _disc()), _SHOTS)]


def moving() -> list[Image]:
    """Frames in which much moves."""
    shots = islice(shots_of(_plan("rain", "feeder"), _disc()), _MOVING_SINCE, _MOVING_SINCE + _SHOTS)
    return [shot.picture for shot in shots]


def _plan(weather: str, move: str) -> Plan:
    return Plan("choose", 0, 4.0, weather, move, _HEIGHT)


def _disc() -> Thing:
    opacity = np.zeros((80, 80), np.float32)
    cv2.circle(opacity, (40, 40), 39, 1.0, -1)
    return Thing("", "", np.full((80, 80, 3), (250, 20, 20), np.uint8), opacity)


def frame(picture: Image, seq: int) -> Frame:
    """One of a camera of 30 frames/s."""
    return Frame(picture, None, Rect(280, 0, 720, 720), seq, round(seq / 30 * 1e9), "bench")


def follower() -> Follower:
    """That of a daemon with the bundled model."""
    return Follower("motion", InputSpec(224, 224, "crop"))


def take_all(follows: Follower, pictures: Sequence[Image], count: int) -> list[float]:
    """Milliseconds that each frame takes."""
    found = []
    for seq in range(count):
        each = frame(pictures[seq % len(pictures)], seq)
        began = time.thread_time_ns()
        follows.take(each, NO_AREAS)
        found.append((time.thread_time_ns() - began) / 1e6)
    return found


def allocations(pictures: Sequence[Image]) -> tuple[float, float]:
    """Of one frame: how many KiB are held at most beyond what was held before, and KiB that are still held after it."""
    follows, peaks, kept = follower(), [], []
    take_all(follows, pictures, 60)
    tracemalloc.start()
    for seq in range(60, 90):
        each = frame(pictures[seq % len(pictures)], seq)
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        follows.take(each, NO_AREAS)
        after, peak = tracemalloc.get_traced_memory()
        peaks.append((peak - before) / 1024)
        kept.append((after - before) / 1024)
    tracemalloc.stop()
    return float(np.median(peaks)), float(np.median(kept))


def by_itself(frames: int) -> None:
    """Print a row for frames in which nothing moves, and one for those in which much does."""
    use_one_thread()
    print("| frames of 1280×720 px | ms in the middle | ms at p99 | KiB at most | KiB kept |\n|---|---|---|---|---|")
    for name, pictures in (("nothing moves", still()), ("much moves", moving())):
        found = take_all(follower(), pictures, frames + 60)[60:]
        peak, kept = allocations(pictures)
        middle, worst = np.percentile(found, (50, 99))
        print(f"| {name}, {frames} | {middle:.2f} | {worst:.2f} | {peak:.0f} | {kept:.1f} |", flush=True)


def in_the_daemon(turns: int, model: str) -> None:
    """Print frames/s and memory of a daemon, off beside on."""
    python = sys.executable
    print(f"\n{turns} turns\n\n| | off | on | on / off, 95 % interval |\n|---|---|---|---|")
    with ExitStack() as stack:
        off, on = (
            stack.enter_context(asleep(python, model, *_FAST, "--follow", follow, watched=False))
            for follow in ("off", "motion")
        )
        (rates,) = in_turns(turns, partial(rates_per_s, off), partial(rates_per_s, on))
    show("frames/s, nobody watches", rates)
    (memory,) = in_turns(max(2, turns // 5), *(partial(resident, model, follow) for follow in ("off", "motion")))
    show("resident memory, one viewer, MB", memory)


def resident(model: str, follow: str) -> tuple[float]:
    """MB of 2^20 of a new daemon after one viewer watched for a while."""
    with daemon(*_PACED, "--model", model, "--follow", follow) as running:
        running.wait_for("ok")
        with one_viewer(running.url):
            time.sleep(_SETTLE_S)
            return (usage(running.process.pid).rss_mb,)


def on_the_pi(folder: Path) -> None:
    """Print how many instructions a frame takes on an emulated Raspberry Pi 5's processor."""
    from tests.bench.aarch64.blocks import read_blocks
    from tests.bench.aarch64.emulate import Guest
    from tests.bench.aarch64.prepare import check_programs, make_guest

    check_programs()
    made = make_guest(folder, [_OPENCV], "opencv")
    found = {**made.variables, "PYTHONPATH": f"{made.variables['PYTHONPATH']}:{_ROOT}"}
    guest = Guest(made.root, made.plugin, found)
    for name, pictures in (("nothing moves", still()), ("much moves", moving())):
        given, blocks = folder / "frames.npy", folder / "follow.blocks"
        np.save(given, np.stack(pictures))
        guest.run([guest.python, GUEST, given], blocks)
        count = sum(block.instructions for block in read_blocks(blocks))
        print(f"{name}: {count / 1e6:.2f} M instructions a frame", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.follow")
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--model", default="everyday")
    parser.add_argument("--aarch64", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path("build/aarch64"))
    o = parser.parse_args()
    if o.aarch64:
        on_the_pi(o.folder.resolve())
        return
    by_itself(o.frames)
    if o.turns:
        in_the_daemon(o.turns, o.model)


if __name__ == "__main__":
    main()
