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

    side = material.asked_photos().shape[1]
    traced, work = out.with_suffix(".pt"), out.parent / "pnnx"
    work.mkdir(exist_ok=True)
    with contextlib.chdir(work):  # it leaves files where it runs
        pnnx.export(
            _network(material), str(traced), (torch.zeros(1, 3, side, side),), ncnnparam=str(out),
            ncnnbin=str(out.with_suffix(".bin")), fp16=False,
        )  # fmt: skip
    layers = {line.split()[0] for line in out.read_text(encoding="utf-8").splitlines()[2:]}
    unknown = sorted(layer for layer in layers if "." in layer)  # ncnn's own layers have plain names
    if unknown:
        out.unlink()
        raise Unavailable(f"pnnx found no layer of ncnn for {', '.join(unknown)}, as the network is written")


def _network(material: Material) -> Any:
    """The network with PyTorch's own attention, which is a layer of ncnn, and for one photo: it has no batches."""
    import torch
    from torch import nn

    from tests.bench.peers.runners.network import load_network

    class _Attention(nn.Module):  # type: ignore[misc]
        def __init__(self, fused: Any, width: int) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(width, fused.heads, batch_first=True)
            self.attention.in_proj_weight, self.attention.in_proj_bias = fused.qkv.weight, fused.qkv.bias
            self.attention.out_proj.weight, self.attention.out_proj.bias = fused.proj.weight, fused.proj.bias

        def forward(self, x: Any) -> Any:
            return self.attention(x, x, x, need_weights=False)[0]

    class _OnePhoto(nn.Module):  # type: ignore[misc]
        def __init__(self, network: Any) -> None:
            super().__init__()
            self.network = network
            for block in network.blocks:
                block.attn = _Attention(block.attn, block.norm1.normalized_shape[0])

        def forward(self, images: Any) -> Any:
            network = self.network
            x = torch.cat([network.cls_token, network.patch_embed(images)], dim=1) + network.pos_embed
            return torch.softmax(network.head(network.norm(network.blocks(x))[:, 0]), dim=-1)

    return _OnePhoto(load_network(material.checkpoint)).eval()


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
