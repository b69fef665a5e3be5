"""IREE: compiled from ONNX for the processor that it runs on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.peers.material import Answers, Material, Photos, as_planes
from tests.bench.peers.runners.session import Unavailable


def build(material: Material, out: Path) -> None:
    """Float32, for this processor, with layouts of data that suit it."""
    from tests.bench.peers.runners.onnx import export

    plain, imported = out.with_suffix(".onnx"), out.with_suffix(".mlir")
    export(material, plain)
    _tool("iree-import-onnx", str(plain), "-o", str(imported), "--opset-version", "20")
    _tool(
        "iree-compile", str(imported), "-o", str(out), "--iree-hal-target-device=local",
        "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O3",
    )  # fmt: skip


def _tool(name: str, *arguments: str) -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name(name), *arguments], check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise Unavailable(f"{name} says: {(done.stderr.strip() or 'nothing').splitlines()[0]}")


class Session:
    """Its pool of `threads` workers; one runs in place."""

    def __init__(self, model: Path, threads: int) -> None:
        from iree import runtime

        runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
        device = runtime.get_device("local-task" if threads > 1 else "local-sync")
        config = runtime.Config(device=device)
        module = runtime.VmModule.mmap(config.vm_instance, str(model))
        self._main: Any = runtime.load_vm_module(module, config)["main_graph"]

    def prepare(self, photo: Photos) -> Any:
        return as_planes(photo)

    def run(self, planes: Answers) -> Answers:
        return np.asarray(self._main(planes).to_host()[0], np.float32)


open_session = Session
