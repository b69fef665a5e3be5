"""PyTorch itself, as it comes and compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.peers.material import Answers, Material, Photos, as_planes


def build(material: Material, out: Path) -> None:
    """Nothing to build: only the way to the weights."""
    out.write_text(str(material.checkpoint.resolve()), encoding="utf-8")


class Session:
    """Inference mode, `threads` threads within an operator, one operator at a time."""

    def __init__(self, network: Any, threads: int) -> None:
        import torch

        self._torch, self._network = torch, network
        torch.set_num_threads(threads)
        torch.set_num_interop_threads(1)

    def prepare(self, photo: Photos) -> Any:
        return self._torch.from_numpy(as_planes(photo))

    def run(self, planes: Any) -> Answers:
        with self._torch.inference_mode():
            return np.asarray(self._network(planes)[0].numpy())


def open_eager(model: Path, threads: int) -> Session:
    """The network as written."""
    from tests.bench.peers.runners.network import load_network

    return Session(load_network(Path(model.read_text(encoding="utf-8"))), threads)


def open_dynamic(model: Path, threads: int) -> Session:
    """Linear layers int8, their activations quantised as it runs, by PyTorch's own quantiser, as for phones."""
    import torch
    from torch.ao.quantization import quantize_dynamic

    from tests.bench.peers.runners.network import load_network

    torch.backends.quantized.engine = "qnnpack"
    network = load_network(Path(model.read_text(encoding="utf-8")))
    return Session(quantize_dynamic(network, {torch.nn.Linear}, torch.qint8), threads)


def open_torchao(model: Path, threads: int) -> Session:
    """Weights int8 per channel, activations per token as it runs, by torchao; then compiled as `open_compiled` does."""
    import torch
    from torch._inductor import config
    from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_

    from tests.bench.peers.runners.network import load_network

    config.freezing = True
    network = load_network(Path(model.read_text(encoding="utf-8"))).requires_grad_(False)
    quantize_(network, Int8DynamicActivationInt8WeightConfig())
    return Session(torch.compile(network, mode="max-autotune"), threads)


def open_compiled(model: Path, threads: int) -> Session:
    """`torch.compile` with the weights frozen into the code, and the fastest of its kernels searched for."""
    import torch
    from torch._inductor import config

    from tests.bench.peers.runners.network import load_network

    config.freezing = True
    network = load_network(Path(model.read_text(encoding="utf-8"))).requires_grad_(False)
    return Session(torch.compile(network, mode="max-autotune"), threads)
