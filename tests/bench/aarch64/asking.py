"""Asks the contenders in their guests. What was counted and answered is kept, so that a run that is ended goes on."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tests.bench.aarch64.blocks import Work, read_blocks, work
from tests.bench.aarch64.compare import Agreement, agreement
from tests.bench.aarch64.contenders import CONTENDERS, EXECUTORCH, OURS, Contender
from tests.bench.aarch64.emulate import Guest
from tests.bench.aarch64.prepare import make_guest, make_runner
from tests.bench.peers.material import as_planes

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("guest.py")
SLICE = 5
"""Photos that ExecuTorch's runner is given at once: it keeps nothing of a slice that is ended."""

Answers = NDArray[np.float32]


class Asking:
    """The guests below a folder, and what they have said so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "kept").mkdir(parents=True, exist_ok=True)
        self._main = self._guest(CONTENDERS[OURS])

    def count(self, contender: Contender, model: Path, photos: Path) -> Work:
        """One inference on the first photo. Raises VitcamError if it does not run there."""
        kept = self._kept(contender, model, photos, "work.json")
        blocks = kept.with_suffix(".blocks")
        if not blocks.exists() and not kept.exists():
            begun = blocks.with_suffix(".begun")
            if contender.runs_without_python:
                self._run_executorch(model, np.load(photos, mmap_mode="r")[:0], photos, begun)
            else:
                guest = self._guest(contender)
                guest.run([guest.python, SCRIPT, "count", contender.opener, model, photos], begun)
            begun.replace(blocks)
        if not kept.exists():
            kept.write_text(json.dumps(asdict(work(read_blocks(blocks), self._main))))
        return Work(**json.loads(kept.read_text()))

    def answers(self, contender: Contender, model: Path, photos: Path, count: int) -> Answers:
        """(n, C): what it says of the first `count` photos. Raises VitcamError if it does not run there."""
        kept = self._kept(contender, model, photos, "npy")
        if contender.runs_without_python:
            self._answer_executorch(model, photos, count, kept)
        else:
            guest = self._guest(contender)
            guest.run([guest.python, SCRIPT, "answer", contender.opener, model, photos, kept, str(count)])
        return self.answered(contender, model, photos)[:count]

    def answered(self, contender: Contender, model: Path, photos: Path) -> Answers:
        """(n, C): what it has said so far; (0, 0) where that is nothing."""
        kept = self._kept(contender, model, photos, "npy")
        return np.asarray(np.load(kept), np.float32) if kept.exists() else np.zeros((0, 0), np.float32)

    def compare(self, contender: Contender, model: Path, photos: Path, count: int) -> Agreement:
        """The guest's answers with this machine's."""
        here = self._kept(contender, model, photos, "here.npy")
        words = (sys.executable, SCRIPT, "answer", contender.opener, model, photos, here, count)
        environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
        subprocess.run([str(word) for word in words], check=True, stderr=subprocess.DEVNULL, env=environment)
        return agreement(self.answers(contender, model, photos, count), np.load(here)[:count])

    def _answer_executorch(self, model: Path, photos: Path, count: int, kept: Path) -> None:
        asked = np.load(photos, mmap_mode="r")[:count]
        told = list(np.load(kept)) if kept.exists() else []
        while len(told) < len(asked):
            answered = self._run_executorch(model, asked[len(told) : len(told) + SLICE], photos, None)
            told.extend(answered)
            np.save(kept, np.stack(told))

    def _run_executorch(self, model: Path, asked: NDArray[np.uint8], photos: Path, blocks: Path | None) -> Answers:
        """The runner in C++; without photos it is still asked about the first, between the marks."""
        runner, libraries = make_runner(self.folder, EXECUTORCH)
        images, out = self.folder / "images.raw", self.folder / "answers.raw"
        given = asked if len(asked) else np.load(photos, mmap_mode="r")[:1]
        np.concatenate([as_planes(photo) for photo in given]).tofile(images)
        guest = Guest(self._main.root, self._main.plugin, {"LD_LIBRARY_PATH": str(libraries)})
        guest.run([runner, model, images, str(given.shape[1]), out], blocks)
        return np.fromfile(out, np.float32).reshape(len(given), -1)

    def _guest(self, contender: Contender) -> Guest:
        """With the wheels of its runtime, and the sources of this project."""
        package = contender.wheels[0].partition("==")[0] if contender.wheels else "numpy"
        guest = make_guest(self.folder, contender.wheels, f"site-{package}", contender.python)
        paths = f"{guest.variables['PYTHONPATH']}:{ROOT}"
        return Guest(guest.root, guest.plugin, {**guest.variables, "PYTHONPATH": paths})

    def _kept(self, contender: Contender, model: Path, photos: Path, ending: str) -> Path:
        """Where something is kept; of other photos, another model or other wheels it is another file."""
        weights = model.with_suffix(".bin")  # some formats keep them beside the graph
        files = [file for file in (model, weights, photos) if file.exists()]
        digest = hashlib.sha256(b"".join(file.read_bytes() for file in files))
        digest.update(repr((contender.wheels, contender.opener, contender.python)).encode())
        return self.folder / "kept" / f"{model.stem}-{digest.hexdigest()[:16]}.{ending}"
