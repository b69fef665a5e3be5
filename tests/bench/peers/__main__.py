"""Build every peer's model, compare its answers, time them in turn, write what docs/ shows.

python -m tests.bench.peers [--rounds 5] [--count 40] [--only vitcam,openvino-int8] [--network SPEC]
"""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path

from tests.bench.peers.catalogue import OURS, PEERS
from tests.bench.peers.process import ROOT
from tests.bench.peers.report import Conditions, Row, between_marks, page, plot, summary, table
from tests.bench.peers.run import Run
from vitcam.errors import UsageError, VitcamError

ROUNDS_AT_LEAST = 5
"""Fewer are for a look; they do not go into the documentation."""


def main() -> None:
    """Run the chosen peers; an error is one sentence and the exit code of its kind."""
    options = _options()
    try:
        names = _chosen(options.only)
        conditions = Conditions(
            str(date.today()), "make bench-peers", options.threads, options.rounds, options.count, options.photos
        )
        rows = Run(Path(options.folder), names, conditions, options.network).rows()
    except VitcamError as error:
        print(f"bench-peers: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    print(table(rows, conditions.threads))
    if options.network or options.rounds < ROUNDS_AT_LEAST or len(names) < len(PEERS):
        print(
            f"docs/ is left as it is: that takes DeiT-Tiny, all peers and {ROUNDS_AT_LEAST} rounds or more",
            file=sys.stderr,
        )
        return
    _write(rows, conditions)


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m tests.bench.peers", description=__doc__)
    options.add_argument("--rounds", type=_natural, default=5, help="turns of each peer; 0: only build and compare")
    options.add_argument("--count", type=_natural, default=40, help="inferences timed in a turn")
    options.add_argument("--threads", type=_threads, default=(2, 1), help="numbers of threads, with commas")
    options.add_argument("--photos", type=_natural, default=100, help="photos that every peer classifies")
    options.add_argument("--only", default="", help=f"some of: {', '.join(PEERS)}")
    options.add_argument(
        "--network", default="", help="another one, as `vitcam-train import` takes it, with 1000 labels"
    )
    options.add_argument("--folder", default="runs/peers", help="where models and answers are kept")
    return options.parse_args()


def _natural(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 0 or more")
    return int(text)


def _threads(text: str) -> tuple[int, ...]:
    found = tuple(_natural(number) for number in text.split(","))
    if 0 in found:
        raise argparse.ArgumentTypeError(f"{text!r} has a 0; each number of threads is 1 or more")
    return found


def _chosen(only: str) -> list[str]:
    names = [name.strip() for name in only.split(",") if name.strip()] or list(PEERS)
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise UsageError(f"no peer is called {unknown[0]!r}; allowed: {', '.join(PEERS)}")
    return names if OURS in names else [OURS, *names]


def _write(rows: list[Row], conditions: Conditions) -> None:
    (ROOT / "docs" / "program" / "peers.md").write_text(page(rows, conditions), encoding="utf-8")
    plot(rows, conditions.threads[0], ROOT / "docs" / "program" / "peers.svg")
    figures = ROOT / "docs" / "program" / "benchmarks.md"
    text = figures.read_text(encoding="utf-8")
    figures.write_text(between_marks(text, summary(rows, conditions)), encoding="utf-8")
    print("wrote peers.md, peers.svg and the lines of benchmarks.md that show them, in docs/program", file=sys.stderr)


main()
