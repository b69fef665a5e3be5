"""Every peer in one table. The first is ours; all others are compared with it."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["float32", "bfloat16", "int8"]
Home = Literal["peers", "peers-tflite"]


@dataclass(frozen=True)
class Peer:
    """One way to run the network."""

    title: str
    """The row's name in the table; `{version}` is that of `package`."""
    kind: Kind
    """float32 must give the float network's probabilities; the others are judged by its top label."""
    runner: str
    """File in `runners/`."""
    build: str
    """The function that writes the model."""
    package: str
    """Whose version the table gives."""
    suffix: str
    """Of the model file."""
    open: str = "open_session"
    """The function that loads it."""
    home: Home = "peers"
    """The virtual environment, below `.venv/`, that has its packages."""


OURS = "vitcam"
_LITERT = "ai-edge-litert"

PEERS: dict[str, Peer] = {
    OURS: Peer("**vitcam**: int8 on LiteRT {version}", "int8", "litert", "build_ours", _LITERT, ".tflite"),
    "vitcam-whole": Peer(
        "vitcam, int8, with all tokens in the last block, LiteRT {version}",
        "int8", "litert", "build_ours_whole", _LITERT, ".tflite",
    ),
    "vitcam-float": Peer(
        "vitcam's graph in float32, LiteRT {version}", "float32", "litert", "build_ours_float", _LITERT, ".tflite"
    ),
    "litert-textbook": Peer(
        "textbook graph, TFLiteConverter dynamic int8, LiteRT {version}",
        "int8", "litert", "build_dynamic", _LITERT, ".tflite", "open_converted",
    ),
    "litert-full-int8": Peer(
        "textbook graph, TFLiteConverter full-integer int8, LiteRT {version}",
        "int8", "litert", "build_full_integer", _LITERT, ".tflite", "open_converted",
    ),
    "tflite-runtime": Peer(
        "vitcam's int8 file on tflite-runtime {version}",
        "int8", "litert", "build_ours", "tflite-runtime", ".tflite", home="peers-tflite",
    ),
    "tflite-runtime-float": Peer(
        "vitcam's graph in float32 on tflite-runtime {version}",
        "float32", "litert", "build_ours_float", "tflite-runtime", ".tflite", home="peers-tflite",
    ),
    "onnxruntime": Peer("ONNX Runtime {version} float32", "float32", "onnx", "build_float", "onnxruntime", ".onnx"),
    "onnxruntime-int8": Peer(
        "ONNX Runtime {version} dynamic int8", "int8", "onnx", "build_dynamic", "onnxruntime", ".onnx"
    ),
    "onnxruntime-static": Peer(
        "ONNX Runtime {version} static int8 (QDQ)", "int8", "onnx", "build_static", "onnxruntime", ".onnx"
    ),
    "openvino": Peer(
        "OpenVINO {version} float32", "float32", "openvino", "build_float", "openvino", ".xml", "open_float"
    ),
    "openvino-bf16": Peer(
        "OpenVINO {version} bfloat16", "bfloat16", "openvino", "build_float", "openvino", ".xml", "open_bfloat16"
    ),
    "openvino-int8": Peer(
        "OpenVINO {version} int8 (NNCF, transformer preset), the rest bfloat16",
        "int8", "openvino", "build_int8", "openvino", ".xml", "open_bfloat16",
    ),
    "openvino-int8-f32": Peer(
        "OpenVINO {version} int8 (NNCF, transformer preset), the rest float32",
        "int8", "openvino", "build_int8", "openvino", ".xml", "open_float",
    ),
    "openvino-dynamic": Peer(
        "OpenVINO {version} int8 weights, activations quantised as it runs, the rest bfloat16",
        "int8", "openvino", "build_weights", "openvino", ".xml", "open_dynamic",
    ),
    "pytorch": Peer("PyTorch {version} eager float32", "float32", "pytorch", "build", "torch", ".txt", "open_eager"),
    "pytorch-compiled": Peer(
        "PyTorch {version} compiled (inductor) float32",
        "float32", "pytorch", "build", "torch", ".txt", "open_compiled",
    ),
    "torchao": Peer(
        "PyTorch compiled, torchao {version} dynamic int8",
        "int8", "pytorch", "build", "torchao", ".txt", "open_torchao",
    ),
    "executorch-int8": Peer(
        "ExecuTorch {version} XNNPACK static int8", "int8", "executorch", "build_static", "executorch", ".pte"
    ),
    "executorch-dynamic": Peer(
        "ExecuTorch {version} XNNPACK dynamic int8", "int8", "executorch", "build_dynamic", "executorch", ".pte"
    ),
    "mnn": Peer("MNN {version} float32", "float32", "mnn", "build_float", "MNN", ".mnn", "open_float"),
    "mnn-int8": Peer("MNN {version} dynamic int8", "int8", "mnn", "build_int8", "MNN", ".mnn", "open_int8"),
    "ncnn": Peer("ncnn {version}", "bfloat16", "ncnn", "build", "ncnn", ".param"),
    "iree": Peer("IREE {version} float32", "float32", "iree", "build", "iree-base-runtime", ".vmfb"),
}  # fmt: skip
