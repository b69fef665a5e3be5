"""Count what an inference takes on a Cortex-A76 in every runtime, and compare the answers with the float network's.

python -m tests.bench.aarch64 [--photos 100] [--only vitcam,ncnn] [--model everyday] [--folder build/aarch64]

It goes on where it was ended: what was counted and answered is kept in the folder. Without the weights of DeiT-Tiny
(below VITCAM_DATA) only the shipped model and the daemon's frame are counted.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np

from tests.bench.aarch64.asking import ROOT, Asking
from tests.bench.aarch64.blocks import Work
from tests.bench.aarch64.compare import Agreement, agreement
from tests.bench.aarch64.contenders import BASELINE, CONTENDERS, OURS
from tests.bench.aarch64.frame import FrameBudget, count_frame
from tests.bench.aarch64.prepare import check_programs
from tests.bench.aarch64.report import Found, Row, agreeing, between_marks, page, summary, table
from vitcam.errors import UsageError, VitcamError
from vitcam.model import bundle
from vitcam.model.files import find_model

ALL_PHOTOS = 100
DOCS = ROOT / "docs" / "program"


def main() -> None:
    """Run the chosen contenders; an error is one sentence and the exit code of its kind."""
    options = _options()
    try:
        check_programs()
        asking = Asking(Path(options.folder).resolve())
        shipped, golden = _shipped(asking, options.model)
        frame = _frame(asking, options.model)
        models = _models(Path(options.models).resolve())
        if models is None:
            return
        chosen = _chosen(options.only)
        rows, alike = _network(asking, models, chosen, options.photos)
        if chosen != list(CONTENDERS) or alike is None:
            _tell("docs/ stays as it is: a new page needs every contender")
            return
        _write(rows, alike, options.model, shipped, golden, frame)
    except VitcamError as error:
        print(f"bench-aarch64: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m tests.bench.aarch64", description=__doc__)
    options.add_argument(
        "--photos", type=int, choices=range(ALL_PHOTOS + 1), metavar="N", default=ALL_PHOTOS,
        help="how many each is asked about; 0: only those that were answered before count",
    )  # fmt: skip
    options.add_argument("--only", default="", help=f"some of: {', '.join(CONTENDERS)}")
    options.add_argument("--model", default="everyday", help="the file that is checked by its golden images")
    options.add_argument("--folder", default="build/aarch64", help="where the guests are kept, and what they said")
    options.add_argument("--models", default="runs/peers", help="where bench-peers keeps the models of all peers")
    return options.parse_args()


def _chosen(only: str) -> list[str]:
    names = [name.strip() for name in only.split(",") if name.strip()] or list(CONTENDERS)
    unknown = [name for name in names if name not in CONTENDERS]
    if unknown:
        raise UsageError(f"no contender is called {unknown[0]!r}; allowed: {', '.join(CONTENDERS)}")
    return names


def _shipped(asking: Asking, name: str) -> tuple[Work, Agreement]:
    """A file that anybody has: what an answer takes, and its golden images on both processors."""
    model = find_model(name)
    carried = bundle.read(model)
    if carried is None or not carried.golden:
        raise UsageError(f"{model} carries no golden images; export it with --golden, or choose another --model")
    photos = asking.folder / "golden.npy"
    np.save(photos, np.stack([golden.image for golden in carried.golden]))
    _tell(f"{model.name}: counting")
    counted = asking.count(CONTENDERS[OURS], model, photos)
    print(f"{model.name}: {counted.instructions / 1e6:.1f} M instructions, some {counted.cycles / 1e6:.0f} M cycles")
    alike = asking.compare(CONTENDERS[OURS], model, photos, len(carried.golden))
    print(f"{model.name}, golden images, aarch64 against this machine: {alike}", flush=True)
    return counted, alike


def _frame(asking: Asking, name: str) -> FrameBudget:
    _tell("one frame of the daemon: counting")
    frame = count_frame(asking.folder, find_model(name))
    print(f"around the network: {frame.around / 1e6:.1f} M instructions a frame", flush=True)
    return frame


def _models(folder: Path) -> Path | None:
    """The folder with every peer's model of DeiT-Tiny, made by bench-peers; None, and a word why, without the data."""
    wanted = ",".join(dict.fromkeys(contender.peer for contender in CONTENDERS.values()))
    command = ["-m", "tests.bench.peers", "--rounds", "0", "--threads", "1", "--only", wanted, "--folder", str(folder)]
    done = subprocess.run([sys.executable, *command], cwd=ROOT, check=False, stdout=sys.stderr)
    if done.returncode == 0:
        return folder
    if done.returncode == UsageError.exit_code:
        _tell("without these data nothing is compared with others; set VITCAM_DATA to their folder")
        return None
    raise VitcamError("bench-peers could not make the models; the reason stands above")


def _network(asking: Asking, models: Path, names: list[str], count: int) -> tuple[list[Row], Agreement | None]:
    """DeiT-Tiny in every runtime; and ours on both processors, once it has answered."""
    photos, rows = models / "asked.npy", {name: Row(CONTENDERS[name].title) for name in names}
    for name in names:
        _tell(f"{name}: counting")
        contender = CONTENDERS[name]
        try:
            rows[name] = Row(contender.title, asking.count(contender, contender.model(models), photos))
        except (VitcamError, OSError) as error:
            rows[name] = Row(contender.title, reason=str(error))
            _tell(f"{name}: {error}")
    reference = np.load(models / "reference.npy")
    for name in names:
        if rows[name].work is None:
            continue
        contender = CONTENDERS[name]
        _tell(f"{name}: asking about {count} photos")
        if count:
            asking.answers(contender, contender.model(models), photos, count)
        answers = asking.answered(contender, contender.model(models), photos)
        here = models / f"{contender.peer}.npy"  # bench-peers asked the same file, but by its own opener
        by_same_opener = here.exists() and not contender.open
        rows[name] = replace(
            rows[name],
            there=agreeing(answers, reference),
            here=agreeing(np.load(here), reference) if by_same_opener else (0, 0),
        )
    print(table(list(rows.values()), rows.get(OURS, next(iter(rows.values())))), flush=True)
    if OURS not in names:
        return list(rows.values()), None
    there = asking.answered(CONTENDERS[OURS], CONTENDERS[OURS].model(models), photos)
    if not len(there):
        return list(rows.values()), None
    alike = agreement(there, np.load(models / f"{OURS}.npy")[: len(there)])
    print(f"aarch64 against this machine: {alike}")
    if not alike.holds:
        raise VitcamError(f"aarch64 answers otherwise than this machine: {alike}")
    return list(rows.values()), alike


def _write(rows: list[Row], alike: Agreement, model: str, shipped: Work, golden: Agreement, frame: FrameBudget) -> None:
    executorch = next(row.work for row in rows if row.title == CONTENDERS[BASELINE].title)
    made = f"{date.today()} on {platform.machine()} by `make bench-aarch64`"
    peers = (DOCS / "peers.md").read_text(encoding="utf-8")
    found = Found(rows, executorch, alike, model, shipped, golden, frame, peers, made)
    (DOCS / "aarch64.md").write_text(page(found), encoding="utf-8")
    figures = DOCS / "benchmarks.md"
    lines = summary(rows[0], rows, alike)
    figures.write_text(between_marks(figures.read_text(encoding="utf-8"), lines), encoding="utf-8")


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


main()
