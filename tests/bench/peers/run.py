"""One run: material, models, answers, turns. What a peer cannot do becomes the reason in its row."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from tests.bench.peers.catalogue import PEERS
from tests.bench.peers.install import requirements
from tests.bench.peers.material import Material
from tests.bench.peers.measure import measure
from tests.bench.peers.prepare import find_data
from tests.bench.peers.process import ROOT, PeerFailed, PeerProcess
from tests.bench.peers.report import Conditions, Row
from tests.bench.peers.verdict import judge
from vitcam.errors import VitcamError

BUILD_S, LOAD_S, ANSWER_S, TURN_S = 1200.0, 300.0, 600.0, 300.0  # time-outs, generous: compilers are at work
WARM_UP = 10  # inferences before those that count, in every turn
GIVEN = ("tests/bench/peers/material.py", "tests/bench/peers/runners/network.py")  # what every model is built from
OWN = {"litert": ("tests/bench/peers/runners/textbook.py", "training/*.py", "vitcam/model/*.py")}


class Run:
    """Peers and how they are to be measured.

    network  another one than DeiT-Tiny, see `prepare`
    """

    def __init__(self, folder: Path, names: Sequence[str], conditions: Conditions, network: str = "") -> None:
        self._material = Material(folder.resolve())
        self._names = names
        self._conditions, self._network = conditions, network
        self._rows = {name: Row(name) for name in names}
        self._serving: dict[str, PeerProcess] = {}

    def rows(self) -> list[Row]:
        """Do all of it. Raises UsageError if weights or photos are missing."""
        self._prepare()
        for threads in self._conditions.threads:
            self._measure(threads)
        return list(self._rows.values())

    def _measure(self, threads: int) -> None:
        """All that have not failed yet, each in a process of its own."""
        self._serving = {}
        with ExitStack() as stack:
            for name in [name for name, row in self._rows.items() if not row.reason]:
                _tell(f"{name}, threads {threads}: build, load, compare")
                try:
                    self._start(name, threads, stack)
                except (PeerFailed, ValueError) as error:
                    self._fail(name, str(error))
            for name, timing in measure(list(self._serving), self._conditions.rounds, self._turn).items():
                if timing.rounds_ms:
                    timings = {**self._rows[name].timings, threads: timing}
                    self._rows[name] = replace(self._rows[name], timings=timings)

    def _prepare(self) -> None:
        find_data()  # says here what is missing, before a process is started for it
        arguments = [str(self._material.folder), str(self._conditions.photos), *filter(None, [self._network])]
        done = subprocess.run([sys.executable, "-m", "tests.bench.peers.prepare", *arguments], cwd=ROOT, check=False)
        if done.returncode:
            raise VitcamError("the photos and the float network's answers could not be made; the reason stands above")

    def _start(self, name: str, threads: int, stack: ExitStack) -> None:
        model = self._build(name, threads)
        process = PeerProcess(name, "serve", self._material, model, threads)
        stack.callback(process.close)
        row = replace(self._rows[name], version=process.answer(LOAD_S)["version"])
        answers = self._material.folder / f"{name}.npy"
        process.ask(ANSWER_S, do="answer", to=str(answers))
        verdict = judge(PEERS[name].kind, np.load(answers), np.load(self._material.reference))
        self._rows[name] = replace(row, verdict=verdict)
        if not verdict.is_right:
            process.close()
            raise PeerFailed(f"wrong: {verdict} with the float network")
        self._serving[name] = process

    def _build(self, name: str, threads: int) -> Path:
        """The model, made unless it was made before of the same sources, weights and packages."""
        model = self._material.folder / f"{name}{PEERS[name].suffix}"
        stamp, wanted = self._material.folder / f"{name}.stamp", self._fingerprint(PEERS[name].runner)
        if model.exists() and stamp.exists() and stamp.read_text() == wanted:
            return model
        builder = PeerProcess(name, "build", self._material, model, threads)
        builder.answer(BUILD_S)
        builder.close()
        stamp.write_text(wanted)
        return model

    def _fingerprint(self, runner: str) -> str:
        """Of all that a model is built from; another fingerprint, and it is built anew."""
        patterns = (f"tests/bench/peers/runners/{runner}.py", *GIVEN, *OWN.get(runner, ()))
        digest = hashlib.sha256(self._material.checkpoint.read_bytes() + self._material.calibration.read_bytes())
        for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
            digest.update(path.read_bytes())
        packages = (requirement.partition("==")[0] for requirement in ["ai-edge-quantizer", *requirements()])
        digest.update(repr([(package, _installed(package)) for package in packages]).encode())
        return digest.hexdigest()

    def _turn(self, name: str) -> list[float] | None:
        try:
            answer = self._serving[name].ask(TURN_S, do="time", warm_up=WARM_UP, count=self._conditions.count)
        except PeerFailed as error:
            self._fail(name, str(error))
            return None
        return [float(ms) for ms in answer["ms"]]

    def _fail(self, name: str, reason: str) -> None:
        self._rows[name] = replace(self._rows[name], reason=reason)
        _tell(f"{name}: {reason}")


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
