"""How much of all cores' bare inferences/s is left in `vitcam classify FOLDER --json`, and where the time goes.

python -m tests.bench.classify [--turns 10] [--photos 1000] [--versus PYTHON] [--folder FOLDER] [--model everyday]

The bare interpreter has one thread and runs before and after each turn of the command: what slows the machine down for
a while slows both down. Then one runs on each core at once: cores that share caches or a clock are slower together, and
no program does more photos/s than that. The command is timed from its first lines to its last, without its start.
PYTHON is the interpreter of another checkout's virtual environment, whose command takes turns with this one's. Photos
come from Caltech-101 below VITCAM_DATA; without it they are copies of those in models/golden.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from tests.bench.throughput import bare_interpreter, bare_rate
from tests.bench.turns import Pair, show
from tests.needs import data_root
from vitcam.model.classifier import Classifier
from vitcam.pictures.decode import decode_image
from vitcam.pictures.resize import frame_of_picture, to_model_size
from vitcam.sources.images import bytes_of, find_images
from vitcam.wire import prediction_record

_BARE_S = 1.0
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


@dataclass(frozen=True, slots=True)
class Turn:
    """What one run of the command did, beside bare interpreters."""

    one: float
    """Inferences/s of one interpreter with one thread, alone."""
    at_once: float
    """Of one on each core together."""
    photos: float
    """Photos/s of the command, once it runs."""
    cpu_ms: float
    """Processor time of the command for a photo; its start is part of it."""


def measure(bare: Sequence["subprocess.Popen[str]"], folder: Path, model: str, python: str) -> Turn:
    """Run the command between two measurements of the bare interpreters."""
    ones, together = [], []
    for again in (True, False):
        ones.append(bare_rate(bare[0]))
        with ThreadPoolExecutor(len(bare)) as pool:
            together.append(sum(pool.map(bare_rate, bare)))
        if again:
            rate, cpu_ms = command_rate(folder, model, python)
    return Turn(sum(ones) / 2, sum(together) / 2, rate, cpu_ms)


def command_rate(folder: Path, model: str, python: str = sys.executable) -> tuple[float, float]:
    """Photos/s of the command, once it runs; ms of processor time for a photo."""
    command = [python, "-P", "-m", "vitcam", "classify", str(folder), "--json", "--model", model]
    times = []
    before = _children_s()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        for line in process.stdout:
            times.append(time.monotonic())
            last = line
    *photos, _ = times  # the last line sums up
    if process.returncode or json.loads(last)["errors"] or len(photos) <= _FIRST:
        raise RuntimeError(f"after {len(photos)} photos, exit code {process.returncode}: {last.decode()}")
    rate = (len(photos) - _FIRST) / (photos[-1] - photos[_FIRST - 1])
    return rate, 1000 * (_children_s() - before) / len(photos)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
    """Print each turn, the medians, the two checkouts against each other, and where the time goes."""
    options = argparse.ArgumentParser(prog="python -m tests.bench.classify")
    options.add_argument("--turns", type=int, default=10)
    options.add_argument("--photos", type=int, default=1000)
    options.add_argument("--versus", metavar="PYTHON")
    options.add_argument("--folder", type=Path)
    options.add_argument("--model", default="everyday")
    o = options.parse_args()
    cores = len(os.sched_getaffinity(0))
    pythons = {"old": o.versus, "new": sys.executable} if o.versus else {"": sys.executable}
    print(
        f"| | bare, one thread /s | × {cores} cores | {cores} at once /s | photos/s | CPU, ms | reached | of at once |"
    )
    print("|---|---|---|---|---|---|---|---|")
    with many_photos(o.photos, o.folder) as folder, ExitStack() as stack:
        bare = [stack.enter_context(bare_interpreter(o.model, 1, _BARE_S)) for _ in range(cores)]
        turns: dict[str, list[Turn]] = {which: [] for which in pythons}
        for number in range(o.turns):
            for which in sorted(pythons, reverse=bool(number % 2)):
                turn = measure(bare, folder, o.model, pythons[which])
                turns[which].append(turn)
                print(f"| {number + 1} {which} {_row([turn], cores)}", flush=True)
        for which, found in turns.items():
            print(f"| median {which} {_row(found, cores)}")
        if o.versus:
            print("\n| | old | new | new / old, 95 % interval |\n|---|---|---|---|")
            pairs = list(zip(turns["old"], turns["new"], strict=True))
            show("photos/s", [Pair(old.photos, new.photos) for old, new in pairs])
            show("CPU of a photo, ms", [Pair(old.cpu_ms, new.cpu_ms) for old, new in pairs])
        steps = where_time_goes(folder, o.model)
    print("\n| one photo, one thread | median ms | share |\n|---|---|---|")
    for name, ms in steps.items():
        print(f"| {name} | {ms:.3f} | {ms / sum(steps.values()):.1%} |")


def _row(turns: Sequence[Turn], cores: int) -> str:
    """The medians of some turns."""
    columns = ((t.one, cores * t.one, t.at_once, t.photos, t.cpu_ms) for t in turns)
    reached = ((t.photos / (cores * t.one), t.photos / t.at_once) for t in turns)
    rates, shares = (map(statistics.median, zip(*each, strict=True)) for each in (columns, reached))
    return f"| {' | '.join([*(f'{rate:.1f}' for rate in rates), *(f'{share:.1%}' for share in shares)])} |"


if __name__ == "__main__":
    main()
