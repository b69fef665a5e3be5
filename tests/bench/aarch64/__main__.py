"""Count what an inference takes on a Cortex-A76, ours and others', and compare aarch64's answers with x86's.

python -m tests.bench.aarch64 [--photos 100] [--model everyday] [--folder build/aarch64]

Without the weights of DeiT-Tiny (below VITCAM_DATA) only the shipped model is run, on its golden images.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
from datetime import date
from pathlib import Path

import numpy as np

from tests.bench.aarch64.blocks import Work, read_blocks, work
from tests.bench.aarch64.compare import Agreement, agreement
from tests.bench.aarch64.emulate import Guest
from tests.bench.aarch64.prepare import check_programs, make_guest, make_runner
from tests.bench.aarch64.report import Row, between_marks, page, summary, table
from vitcam.errors import UsageError, VitcamError
from vitcam.model import bundle
from vitcam.model.files import find_model

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("guest.py")
LITERT, ONNX, EXECUTORCH = "ai-edge-litert==2.3.0", "onnxruntime==1.31.1", "executorch==1.5.1"
OURS, BASELINE = "vitcam", "executorch-int8"
TITLES = {
    OURS: "**vitcam**: our file on LiteRT 2.3.0",
    "onnxruntime-int8": "ONNX Runtime 1.31.1 dynamic int8",
    BASELINE: "ExecuTorch 1.5.1 XNNPACK static int8",
    "executorch-dynamic": "ExecuTorch 1.5.1 XNNPACK dynamic int8",
}
ALL_PHOTOS = 100
"""With fewer, docs/ stays as it is."""


class Bench:
    """The guest and what is asked of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        _tell("preparing Debian for arm64 and the wheels for aarch64 (once; some minutes)")
        self.guest = make_guest(folder, [LITERT, ONNX])

    def count(self, model: Path, photos: Path) -> Work:
        """One inference of a .tflite or .onnx file on the first photo."""
        blocks = self.folder / f"{model.stem}.blocks"
        arguments = (SCRIPT, model, photos, self.folder / "counted.npy", "1")
        self.guest.run([self.guest.python, *arguments], blocks)
        return work(read_blocks(blocks), self.guest)

    def count_executorch(self, model: Path, photos: Path) -> Work:
        """The same of a .pte file, by the runner in C++."""
        from tests.bench.peers.material import as_planes

        runner, libraries = make_runner(self.folder, EXECUTORCH)
        image, blocks = self.folder / "image.raw", self.folder / f"{model.stem}.blocks"
        as_planes(np.load(photos)[0]).tofile(image)
        guest = Guest(self.guest.root, self.guest.plugin, {"LD_LIBRARY_PATH": str(libraries)})
        guest.run([runner, model, image, self.folder / "counted.raw"], blocks)
        return work(read_blocks(blocks), self.guest)

    def compare(self, model: Path, photos: Path, count: int) -> Agreement:
        """aarch64's answers with this machine's."""
        here, there = self.folder / "here.npy", self.folder / "aarch64.npy"
        command = [str(word) for word in (sys.executable, SCRIPT, model, photos, here, count)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        self.guest.run([self.guest.python, SCRIPT, model, photos, there, str(count)])
        return agreement(np.load(there), np.load(here))


def main() -> None:
    """Run the chosen peers; an error is one sentence and the exit code of its kind."""
    options = _options()
    try:
        check_programs()
        bench = Bench(Path(options.folder).resolve())
        _shipped(bench, options.model)
        models = _models(Path(options.models).resolve())
        if models:
            _network(bench, models, options.photos)
    except VitcamError as error:
        print(f"bench-aarch64: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m tests.bench.aarch64", description=__doc__)
    options.add_argument("--photos", type=int, choices=range(1, ALL_PHOTOS + 1), metavar="N", default=ALL_PHOTOS)
    options.add_argument("--model", default="everyday", help="the file that is checked by its golden images")
    options.add_argument("--folder", default="build/aarch64", help="where the guest is kept")
    options.add_argument("--models", default="runs/peers", help="where bench-peers keeps the models of all peers")
    return options.parse_args()


def _shipped(bench: Bench, name: str) -> None:
    """A file that anybody has: its golden images on both processors, and what an inference takes."""
    model = find_model(name)
    carried = bundle.read(model)
    if carried is None or not carried.golden:
        raise UsageError(f"{model} carries no golden images; export it with --golden, or choose another --model")
    photos = bench.folder / "golden.npy"
    np.save(photos, np.stack([golden.image for golden in carried.golden]))
    alike = bench.compare(model, photos, len(carried.golden))
    counted = bench.count(model, photos)
    print(f"{model.name}, golden images, aarch64 against this machine: {alike}")
    print(f"{model.name}: {counted.instructions / 1e6:.1f} M instructions, some {counted.cycles / 1e6:.0f} M cycles")


def _models(folder: Path) -> Path | None:
    """The folder with every peer's model of DeiT-Tiny, made by bench-peers; None, and a word why, without the data."""
    command = ["-m", "tests.bench.peers", "--rounds", "0", "--only", ",".join(TITLES), "--folder", str(folder)]
    done = subprocess.run([sys.executable, *command], cwd=ROOT, check=False, stdout=sys.stderr)
    if done.returncode == 0:
        return folder
    if done.returncode == UsageError.exit_code:
        _tell("without these data nothing is compared with others; set VITCAM_DATA to their folder")
        return None
    raise VitcamError("bench-peers could not make the models; the reason stands above")


def _network(bench: Bench, models: Path, count: int) -> None:
    """DeiT-Tiny in every runtime, and ours on both processors."""
    photos, ours = models / "asked.npy", models / f"{OURS}.tflite"
    rows = {}
    for name, title in TITLES.items():
        _tell(f"{name}: counting")
        model = next(
            models / f"{name}{suffix}"
            for suffix in (".tflite", ".onnx", ".pte")
            if (models / f"{name}{suffix}").exists()
        )
        counting = bench.count_executorch if model.suffix == ".pte" else bench.count
        rows[name] = Row(title, counting(model, photos))
    print(table(list(rows.values()), rows[BASELINE]), flush=True)
    _tell(f"asking about {count} photos on aarch64; 10 minutes for 100")
    alike = bench.compare(ours, photos, count)
    print(f"aarch64 against this machine: {alike}")
    if not alike.holds:
        raise VitcamError(f"aarch64 answers otherwise than this machine: {alike}")
    if count < ALL_PHOTOS:
        _tell(f"docs/ stays as they are: a new page needs {ALL_PHOTOS} photos")
        return
    made = f"{date.today()} on {platform.machine()} by `make bench-aarch64`"
    text = page(list(rows.values()), rows[BASELINE], alike, made)
    (ROOT / "docs" / "program" / "aarch64.md").write_text(text, encoding="utf-8")
    figures = ROOT / "docs" / "program" / "benchmarks.md"
    lines = summary(rows[OURS], rows[BASELINE], alike)
    figures.write_text(between_marks(figures.read_text(encoding="utf-8"), lines), encoding="utf-8")


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


main()
