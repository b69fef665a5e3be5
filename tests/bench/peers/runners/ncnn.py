"""ncnn: converted by its own pnnx from the PyTorch network, run with the precision that it chooses itself."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.peers.material import Answers, Material, Photos, as_planes
from tests.bench.peers.runners.session import Unavailable


def build(material: Material, out: Path) -> None:
    """pnnx writes `.param` and `.bin` side by side."""
    import pnnx
    import torch

    from tests.bench.peers.runners.network import load_network

    side = material.asked_photos().shape[1]
    traced, work = out.with_suffix(".pt"), out.parent / "pnnx"
    work.mkdir(exist_ok=True)
    with contextlib.chdir(work):  # it leaves files where it runs
        pnnx.export(
            load_network(material.checkpoint), str(traced), (torch.zeros(1, 3, side, side),), ncnnparam=str(out),
            ncnnbin=str(out.with_suffix(".bin")),
        )  # fmt: skip
    layers = {line.split()[0] for line in out.read_text(encoding="utf-8").splitlines()[2:]}
    unknown = sorted(layer for layer in layers if "." in layer)  # ncnn's own layers have plain names
    if unknown:
        out.unlink()
        raise Unavailable(f"pnnx found no layer of ncnn for {', '.join(unknown)}, as the network is written")


class Session:
    """An extractor for each inference, as its examples do; the network is loaded once."""

    def __init__(self, model: Path, threads: int) -> None:
        import ncnn

        self._ncnn: Any = ncnn
        self._network = ncnn.Net()
        self._network.opt.num_threads = threads
        self._network.load_param(str(model))
        self._network.load_model(str(model.with_suffix(".bin")))

    def prepare(self, photo: Photos) -> Any:
        return as_planes(photo)[0]

    def run(self, planes: Answers) -> Answers:
        with self._network.create_extractor() as extractor:
            extractor.input("in0", self._ncnn.Mat(planes))
            return np.array(extractor.extract("out0")[1], np.float32).reshape(-1)


open_session = Session
