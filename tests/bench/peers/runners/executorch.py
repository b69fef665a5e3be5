"""ExecuTorch on XNNPACK, quantised by the recipe that Arm publishes for DeiT-Tiny: PT2E with `XNNPACKQuantizer`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.peers.material import Answers, Material, Photos, as_planes


def build_static(material: Material, out: Path) -> None:
    """Activations and weights int8, symmetric, weights per channel; ranges from the calibration photos."""
    _build(material, out, is_dynamic=False)


def build_dynamic(material: Material, out: Path) -> None:
    """Weights int8 per channel, activations of the linear layers quantised as the model runs."""
    _build(material, out, is_dynamic=True)


def _build(material: Material, out: Path, is_dynamic: bool) -> None:
    import torch
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import (
        XNNPACKQuantizer,
        get_symmetric_quantization_config,
    )
    from executorch.exir import to_edge_transform_and_lower
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    from tests.bench.peers.runners.network import load_network

    photos = [torch.from_numpy(as_planes(photo)) for photo in material.calibration_photos()]
    rules = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=is_dynamic)
    with torch.no_grad():
        network = torch.export.export(load_network(material.checkpoint), (photos[0],)).module()
        prepared = prepare_pt2e(network, XNNPACKQuantizer().set_global(rules))
        for photo in photos:
            prepared(photo)
        program = torch.export.export(convert_pt2e(prepared), (photos[0],))
    lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()]).to_executorch()
    out.write_bytes(lowered.buffer)


class Session:
    """The runtime's own thread pool, set to `threads`."""

    def __init__(self, model: Path, threads: int) -> None:
        import torch
        from executorch.extension.pybindings import portable_lib
        from executorch.runtime import Runtime

        portable_lib._unsafe_reset_threadpool(threads)  # the only way that its Python interface has
        self._from_numpy = torch.from_numpy
        self._program = Runtime.get().load_program(model)
        self._forward = self._program.load_method("forward")

    def prepare(self, photo: Photos) -> Any:
        return self._from_numpy(as_planes(photo))

    def run(self, planes: Any) -> Answers:
        return np.asarray(self._forward.execute([planes])[0][0].numpy())


open_session = Session
