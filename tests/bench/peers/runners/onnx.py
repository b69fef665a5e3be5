"""ONNX Runtime: exported by PyTorch, fused by ONNX Runtime's own tool for transformers, weights to int8 by its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.peers.material import Answers, Material, Photos, as_planes


def build_float(material: Material, out: Path) -> None:
    """Float32, with what ONNX Runtime's tool for transformers can fuse."""
    from onnxruntime.transformers import optimizer

    plain = out.with_suffix(".plain.onnx")
    export(material, plain)
    heads, width = _sizes(material)
    optimizer.optimize_model(str(plain), "vit", heads, width).save_model_to_file(str(out))


def build_dynamic(material: Material, out: Path) -> None:
    """Weights int8 per channel, activations quantised as the model runs. Fused beforehand, it is slower."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    plain = out.with_suffix(".plain.onnx")
    export(material, plain)
    model = onnx.load(plain)
    del model.graph.value_info[:]  # shapes as the exporter saw them, which the quantiser's rewriting contradicts
    quantize_dynamic(model, out, per_channel=True, weight_type=QuantType.QInt8)


def build_static(material: Material, out: Path) -> None:
    """Weights and activations int8, symmetric, weights per channel; ranges from the calibration photos."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class _CalibrationPhotos(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self, name: str) -> None:
            self._rest = iter([{name: as_planes(photo)} for photo in material.calibration_photos()])

        def get_next(self) -> Any:
            return next(self._rest, None)

    plain, prepared = out.with_suffix(".plain.onnx"), out.with_suffix(".prepared.onnx")
    export(material, plain)
    quant_pre_process(str(plain), str(prepared), skip_symbolic_shape=True)
    name = Session(prepared, 1).input
    quantize_static(
        str(prepared), str(out), _CalibrationPhotos(name),
        quant_format=QuantFormat.QDQ, per_channel=True, activation_type=QuantType.QInt8, weight_type=QuantType.QInt8,
        extra_options={"ActivationSymmetric": True, "WeightSymmetric": True},
    )  # fmt: skip


def export(material: Material, out: Path) -> None:
    """The network in ONNX, float32, as PyTorch writes it."""
    import torch

    from tests.bench.peers.runners.network import load_network

    side = material.asked_photos().shape[1]
    example = (torch.zeros(1, 3, side, side),)
    network = load_network(material.checkpoint)
    torch.onnx.export(network, example, str(out), dynamo=True, external_data=False, opset_version=20)


def _sizes(material: Material) -> tuple[int, int]:
    """Heads and width."""
    from safetensors import safe_open

    with safe_open(material.checkpoint, framework="numpy") as weights:
        width = int(weights.get_slice("cls_token").get_shape()[-1])
    return width // 64, width


class Session:
    """All optimisations, one stream of operators, `threads` within each."""

    def __init__(self, model: Path, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self._session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.input = self._session.get_inputs()[0].name

    def prepare(self, photo: Photos) -> Answers:
        return as_planes(photo)

    def run(self, planes: Answers) -> Answers:
        return np.asarray(self._session.run(None, {self.input: planes})[0][0])


open_session = Session
