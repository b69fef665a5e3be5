"""What heat costs: the governor in a simulated Raspberry Pi 5, and what fewer threads save and cost on this machine.

python -m tests.bench.heat [--seconds 10] [--fps 10]
"""

import argparse
import os
import threading
import time
from pathlib import Path

import numpy as np

from tests.parts.heat.governed import governed
from tests.thermal import CASE, COOLER, NONE, SimulatedPi, best_constant_fps
from vitcam.frames import Frame
from vitcam.model.classifier import Classifier
from vitcam.model.runtime import default_threads
from vitcam.pictures.resize import frame_of_picture

_SEEDS = (1, 2, 3)


def show_the_governor(hours: float) -> None:
    """The worst of three runs against the highest constant rate that never throttles, found by bisection."""
    print("| simulated Pi 5 | air | best constant | governor | of it | steps in an hour, at most | throttled |")
    print("|---|---|---|---|---|---|---|")
    for cooling in (NONE, CASE, COOLER):
        for ambient in (20, 25, 30, 35, 40, 45):
            best = best_constant_fps(cooling, ambient)
            runs = [governed(SimulatedPi(cooling, ambient, seed), hours) for seed in _SEEDS]
            run = min(runs, key=lambda each: each.fps)
            steps, slowed = max(each.most_steps_in_an_hour() for each in runs), sum(len(each.slowed_s) for each in runs)
            print(
                f"| {cooling.name} | {ambient} °C | {best:.1f} fps | {run.fps:.1f} fps | {run.fps / best:.0%} ", end=""
            )
            print(f"| {steps} | {slowed} s |", flush=True)


def show_threads(fps: float, seconds: float) -> None:
    """Processor time of a frame, by threads, at a rate that one thread reaches."""
    classifier = Classifier("everyday", threads=default_threads())
    picture = np.random.default_rng(0).integers(0, 256, (classifier.input.height, classifier.input.width, 3), np.uint8)
    frame = frame_of_picture(picture, classifier.input, "bench")
    classifier(frame)
    before, began = _resident_mb(), time.perf_counter()
    other = classifier.clone(1)
    took_ms = (time.perf_counter() - began) * 1000
    other(frame)
    print(f"\nanother interpreter: {took_ms:.0f} ms, {_resident_mb() - before:.0f} MB\n")
    print(f"| threads | ms of the cores for a frame, at {fps:g} frames/s |\n|---|---|")
    for threads in range(1, default_threads() + 1):
        print(f"| {threads} | {_core_ms(classifier.clone(threads), frame, fps, seconds):.1f} |", flush=True)


def _core_ms(classifier: Classifier, frame: Frame, fps: float, seconds: float) -> float:
    began, spent, count = time.perf_counter(), time.process_time(), 0
    pause = threading.Event()
    while time.perf_counter() - began < seconds:
        classifier(frame)
        count += 1
        pause.wait(max(0.0, began + count / fps - time.perf_counter()))
    return (time.process_time() - spent) / count * 1000


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    """Print both tables."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.heat")
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--fps", type=float, default=10.0)
    options.add_argument("--hours", type=float, default=2.0, help="Simulated time of each row.")
    o = options.parse_args()
    show_the_governor(o.hours)
    show_threads(o.fps, o.seconds)


if __name__ == "__main__":
    main()
