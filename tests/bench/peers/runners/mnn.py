"""MNN: converted from ONNX; its int8 has int8 weights and quantises activations as it runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.peers.material import Answers, Material, Photos, as_planes
from tests.bench.peers.runners.session import Unavailable


def build_float(material: Material, out: Path) -> None:
    """Float32 in MNN's own format."""
    _convert(material, out)


def build_int8(material: Material, out: Path) -> None:
    """Weights of 8 bits, a scale for each output channel."""
    _convert(material, out, "--weightQuantBits", "8")


def _convert(material: Material, out: Path, *options: str) -> None:
    from tests.bench.peers.runners.onnx import export

    plain = out.with_suffix(".onnx")
    export(material, plain)
    tool = [sys.executable, "-m", "MNN.tools.mnnconvert", "-f", "ONNX", "--modelFile", str(plain)]
    command = [*tool, "--MNNModel", str(out), "--bizCode", "peers", *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if not out.is_file():
        raise Unavailable(f"mnnconvert wrote no model: {(done.stdout + done.stderr).strip().splitlines()[-1]}")


class Session:
    """Its CPU backend; with `memory` low, it works in int8 where weights are int8."""

    def __init__(self, model: Path, threads: int, precision: str, memory: str) -> None:
        import MNN

        settings = {"backend": "CPU", "numThread": threads, "precision": precision, "memory": memory}
        self._expr: Any = MNN.expr
        self._runtime = MNN.nn.create_runtime_manager((settings,))
        self._network = MNN.nn.load_module_from_file(str(model), [], [], runtime_manager=self._runtime)

    def prepare(self, photo: Photos) -> Any:
        return as_planes(photo)

    def run(self, planes: Answers) -> Answers:
        given = self._expr.const(planes, list(planes.shape), self._expr.NCHW)
        return np.asarray(self._network.forward([given])[0].read()[0], np.float32)


def open_float(model: Path, threads: int) -> Session:
    """Floats all the way."""
    return Session(model, threads, "high", "normal")


def open_half(model: Path, threads: int) -> Session:
    """The float network in float16, where the processor has that."""
    return Session(model, threads, "low", "normal")


def open_int8(model: Path, threads: int) -> Session:
    """Integers where it can, the least precise floats that it has elsewhere."""
    return Session(model, threads, "low", "low")
