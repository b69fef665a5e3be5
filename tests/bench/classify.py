"""How much of all cores' bare inferences/s is left in `vitcam classify FOLDER --json`, and where the time goes.

python -m tests.bench.classify [--turns 5] [--photos 600] [--folder FOLDER] [--model everyday]

The bare interpreter has one thread and runs before and after each turn of the command: what slows the machine down for
a while slows both down. The command is timed from its first lines to its last, without its start. Photos come from
Caltech-101 below VITCAM_DATA; without it they are copies of those in models/golden.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from tests.bench.throughput import bare_interpreter, bare_rate
from tests.parts import data_root
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import decode_image
from vitcam.pictures.resize import frame_of_picture, to_model_size
from vitcam.sources.images import bytes_of, find_images
from vitcam.wire import prediction_record

_BARE_S = 2.0
_FIRST = 50  # photos until all threads are at their pace


@contextmanager
def many_photos(count: int, folder: Path | None) -> Iterator[Path]:
    """A folder with so many photos: links to those that there are, again from the first where they are too few."""
    golden = Path(__file__).parents[2] / "models" / "golden"
    caltech101 = (data_root() or golden) / "caltech101"
    root = folder or (caltech101 if caltech101.is_dir() else golden)
    found = list(find_images(str(root), lambda bad: None))
    found = found[:: max(1, len(found) // count)]
    with tempfile.TemporaryDirectory(prefix="vitcam-bench-") as made:
        for number in range(count):
            target = Path(found[number % len(found)]).resolve()
            (Path(made) / f"{number:05}{target.suffix}").symlink_to(target)
        yield Path(made)


def command_rate(folder: Path, model: str) -> float:
    """Photos/s of the command, once it runs."""
    command = [sys.executable, "-m", "vitcam", "classify", str(folder), "--json", "--model", model]
    times = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        for line in process.stdout:
            times.append(time.monotonic())
            last = line
    *photos, _ = times  # the last line sums up
    if process.returncode or json.loads(last)["errors"] or len(photos) <= _FIRST:
        raise RuntimeError(f"after {len(photos)} photos, exit code {process.returncode}: {last.decode()}")
    return (len(photos) - _FIRST) / (photos[-1] - photos[_FIRST - 1])


def where_time_goes(folder: Path, model: str) -> dict[str, float]:
    """Median ms of each step for one photo, one step after the other in one thread."""
    classifier = Classifier(model, threads=1)
    rows = [_steps(classifier, path) for path in find_images(str(folder), lambda bad: None)]
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


def _steps(classifier: Classifier, path: str) -> dict[str, float]:
    """Ms of each step for one photo."""
    marks = [time.perf_counter()]

    def mark() -> None:
        marks.append(time.perf_counter())

    data = bytes_of(path)
    mark()
    frame = frame_of_picture(decode_image(data), classifier.input, path, path)
    mark()
    small = replace(frame, model_input=to_model_size(frame.preview, classifier.input))
    mark()
    prediction = classifier(small)
    mark()
    json.dumps(prediction_record(prediction), ensure_ascii=False)
    mark()
    names = ("read", "decode", "crop and resize", "inference and answer", "JSON")
    return {name: 1000 * (end - start) for name, (start, end) in zip(names, pairwise(marks), strict=True)}


def main() -> None:
    """Print each turn, the medians, and where the time goes."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.classify")
    options.add_argument("--turns", type=int, default=5)
    options.add_argument("--photos", type=int, default=600)
    options.add_argument("--folder", type=Path)
    options.add_argument("--model", default="everyday")
    o = options.parse_args()
    cores = len(os.sched_getaffinity(0))
    print(f"| turn | bare, one thread /s | × {cores} cores | classify, photos/s | reached |\n|---|---|---|---|---|")
    rows = []
    with many_photos(o.photos, o.folder) as folder, bare_interpreter(o.model, 1, _BARE_S) as bare:
        for turn in range(o.turns):
            before = bare_rate(bare)
            rate = command_rate(folder, o.model)
            one = (before + bare_rate(bare)) / 2
            rows.append((one, cores * one, rate, rate / (cores * one)))
            print(f"| {turn + 1} {_row(rows[-1])}", flush=True)
        print(f"| median {_row([statistics.median(column) for column in zip(*rows, strict=True)])}")
        steps = where_time_goes(folder, o.model)
    print("\n| one photo, one thread | median ms | share |\n|---|---|---|")
    for name, ms in steps.items():
        print(f"| {name} | {ms:.3f} | {ms / sum(steps.values()):.1%} |")


def _row(rates: Sequence[float]) -> str:
    *per_s, reached = rates
    return f"| {' | '.join(f'{rate:.1f}' for rate in per_s)} | {reached:.1%} |"


if __name__ == "__main__":
    main()
