"""OpenVINO: converted from the PyTorch network, to int8 by NNCF, run for latency."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.peers.material import Answers, Material, Photos, as_planes
from tests.bench.peers.runners.session import Unavailable


def build_float(material: Material, out: Path) -> None:
    """Float32, in OpenVINO's own format."""
    import openvino

    openvino.save_model(_convert(material), out, compress_to_fp16=False)


def build_int8(material: Material, out: Path) -> None:
    """NNCF's post-training quantisation with its settings for transformers."""
    import nncf
    import openvino

    photos = [as_planes(photo) for photo in material.calibration_photos()]
    quantised = nncf.quantize(
        _convert(material), nncf.Dataset(photos), model_type=nncf.ModelType.TRANSFORMER, subset_size=len(photos)
    )
    openvino.save_model(quantised, out, compress_to_fp16=False)


def build_weights(material: Material, out: Path) -> None:
    """Weights int8 with a scale for each output channel; activations stay floats in the file."""
    import nncf
    import openvino

    compressed = nncf.compress_weights(_convert(material), mode=nncf.CompressWeightsMode.INT8_SYM)
    openvino.save_model(compressed, out, compress_to_fp16=False)


def _convert(material: Material) -> Any:
    import openvino
    import torch

    from tests.bench.peers.runners.network import load_network

    side = material.asked_photos().shape[1]
    example = torch.zeros(1, 3, side, side)
    return openvino.convert_model(load_network(material.checkpoint), example_input=example, input=[1, 3, side, side])


class Session:
    """The hint for latency: one request at a time on `threads` threads.

    precision  of what is not int8; "": as it chooses itself
    """

    def __init__(self, model: Path, threads: int, precision: str = "f32", **more: str) -> None:
        import openvino

        self._request = (
            openvino.Core()
            .compile_model(
                str(model),
                "CPU",
                {
                    "PERFORMANCE_HINT": "LATENCY",
                    "NUM_STREAMS": "1",
                    "INFERENCE_NUM_THREADS": str(threads),
                    **({"INFERENCE_PRECISION_HINT": precision} if precision else {}),
                    **more,
                },
            )
            .create_infer_request()
        )

    def prepare(self, photo: Photos) -> Answers:
        return as_planes(photo)

    def run(self, planes: Answers) -> Answers:
        return np.asarray(self._request.infer([planes], share_inputs=True)[0][0])


open_float = Session


def open_default(model: Path, threads: int) -> Session:
    """The precision that it chooses itself: on Arm float16."""
    return Session(model, threads, "")


def open_bfloat16(model: Path, threads: int) -> Session:
    """What is not int8 in the CPU's own bfloat16. Raises Unavailable if it has none."""
    _need_bfloat16()
    return Session(model, threads, "bf16")


def open_dynamic(model: Path, threads: int) -> Session:
    """Activations become int8 in groups of 192, the network's width. Raises Unavailable without bfloat16."""
    _need_bfloat16()
    return Session(model, threads, "bf16", DYNAMIC_QUANTIZATION_GROUP_SIZE="192")


def _need_bfloat16() -> None:
    import openvino

    if "BF16" not in openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES"):
        raise Unavailable("this CPU has no bfloat16")
