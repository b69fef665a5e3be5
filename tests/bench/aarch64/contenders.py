"""Every runtime that the emulated processor runs, each as a Pi's owner would install it. The first is ours."""

from dataclasses import dataclass
from pathlib import Path

from tests.bench.peers.catalogue import PEERS

EXECUTORCH = "executorch==1.5.1"


@dataclass(frozen=True)
class Contender:
    """One way to run the network on the Pi's processor."""

    title: str
    """The row's name in the table."""
    peer: str
    """In the catalogue of bench-peers: whose model file is run, by whose runner."""
    wheels: tuple[str, ...]
    """From PyPI, for aarch64; numpy is added."""
    open: str = ""
    """The runner's function that loads the model; empty: the peer's own."""
    python: str = "3.13"
    """Of Raspberry Pi OS: 3.13 since trixie, 3.11 on bookworm."""

    @property
    def runs_without_python(self) -> bool:
        """ExecuTorch's Python needs PyTorch, its C++ nothing."""
        return PEERS[self.peer].runner == "executorch"

    @property
    def opener(self) -> str:
        """As `pkgutil.resolve_name` takes it."""
        peer = PEERS[self.peer]
        return f"tests.bench.peers.runners.{peer.runner}:{self.open or peer.open}"

    def model(self, folder: Path) -> Path:
        """The file that bench-peers built in its folder."""
        return folder / f"{self.peer}{PEERS[self.peer].suffix}"


_LITERT = ("ai-edge-litert==2.3.0",)
_OPENVINO = ("openvino==2026.4.1",)
_MNN = ("MNN==3.6.1",)
_TFLITE = ("tflite-runtime==2.14.0", "numpy==1.26.4")
# newer ones for aarch64 are built for CUDA and bring gigabytes of it along
_TORCH = ("torch==2.10.0", "safetensors>=0.5")

OURS, BASELINE = "vitcam", "executorch-int8"

CONTENDERS: dict[str, Contender] = {
    OURS: Contender("**vitcam**: our file on LiteRT 2.3.0", "vitcam", _LITERT),
    "onnxruntime-int8": Contender("ONNX Runtime 1.31.1 dynamic int8", "onnxruntime-int8", ("onnxruntime==1.31.1",)),
    BASELINE: Contender("ExecuTorch 1.5.1 XNNPACK static int8", "executorch-int8", ()),
    "mnn-int8": Contender("MNN 3.6.1 int8 weights, computed in float16", "mnn-int8", _MNN),
    "ncnn": Contender("ncnn 1.0.20261020, float16", "ncnn", ("ncnn==1.0.20261020",)),
    "openvino-float16": Contender("OpenVINO 2026.4.1 float16", "openvino", _OPENVINO, "open_default"),
    "openvino-int8": Contender(
        "OpenVINO 2026.4.1 int8 (NNCF, transformer preset), the rest float16",
        "openvino-int8", _OPENVINO, "open_default",
    ),
    "openvino-weights": Contender(
        "OpenVINO 2026.4.1 int8 weights, computed in float16", "openvino-dynamic", _OPENVINO, "open_default"
    ),
    "litert-full-int8": Contender(
        "textbook graph, TFLiteConverter full-integer int8, LiteRT 2.3.0", "litert-full-int8", _LITERT
    ),
    "litert-textbook": Contender(
        "textbook graph, TFLiteConverter dynamic int8, LiteRT 2.3.0", "litert-textbook", _LITERT
    ),
    "tflite-runtime-full-int8": Contender(
        "textbook graph, TFLiteConverter full-integer int8, tflite-runtime 2.14.0",
        "litert-full-int8", _TFLITE, python="3.11",
    ),
    "tflite-runtime": Contender(
        "vitcam's file on tflite-runtime 2.14.0, in float32", "vitcam", _TFLITE, python="3.11"
    ),
    "pytorch-dynamic": Contender("PyTorch 2.10.0 dynamic int8 (QNNPACK)", "pytorch", _TORCH, "open_dynamic"),
    "pytorch": Contender("PyTorch 2.10.0 eager float32", "pytorch", _TORCH),
    "executorch-dynamic": Contender("ExecuTorch 1.5.1 XNNPACK dynamic int8", "executorch-dynamic", ()),
    "mnn-float16": Contender("MNN 3.6.1 float16", "mnn", _MNN, "open_half"),
}  # fmt: skip
