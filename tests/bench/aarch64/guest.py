"""Asks a model about photos; runs in the guest and, for comparison, on this machine. NumPy and a runtime, no more.

python guest.py MODEL PHOTOS.npy ANSWERS.npy COUNT

One thread. The first photo is asked about once more between the marks that insn.c counts between.
"""

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

BEGIN, END = 0x7EA0000, 0x7EA0001  # as in insn.c
MEAN_RGB, STD_RGB = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def open_tflite(path: str) -> tuple[Callable[[Any], None], Callable[[], None], Callable[[], Any]]:
    """How to set the input, how to run, how to read the probabilities."""
    from ai_edge_litert.interpreter import Interpreter

    graph = Interpreter(model_path=path, num_threads=1)
    graph.allocate_tensors()
    image = graph.get_input_details()[0]["index"]
    outputs = graph.get_output_details()
    named = graph.get_signature_list()
    signature = graph.get_signature_runner("serving_default" if "serving_default" in named else next(iter(named)))
    wanted = signature.get_output_details()["probabilities"]["index"]
    answer = next(detail["index"] for detail in outputs if detail["index"] == wanted)

    def write(photo: Any) -> None:
        graph.tensor(image)()[0] = photo

    return write, graph.invoke, lambda: np.array(graph.get_tensor(answer)[0])


def open_onnx(path: str) -> tuple[Callable[[Any], None], Callable[[], None], Callable[[], Any]]:
    """The same of ONNX Runtime, whose model takes normalised planes."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    held: dict[str, Any] = {}

    def write(photo: Any) -> None:
        scaled = (photo.astype(np.float32) / 255 - np.array(MEAN_RGB, np.float32)) / np.array(STD_RGB, np.float32)
        held["planes"] = np.ascontiguousarray(scaled.transpose(2, 0, 1)[None], np.float32)

    def run() -> None:
        held["answer"] = session.run(None, {name: held["planes"]})[0][0]

    return write, run, lambda: held["answer"]


def mark(which: int) -> None:
    """A system call that does nothing: no process group has that number."""
    with contextlib.suppress(OSError):
        os.getpgid(which)


def main(model: str, photos: str, answers: str, count: int) -> None:
    """Ask, mark, write."""
    write, run, read = (open_onnx if model.endswith(".onnx") else open_tflite)(model)
    told = []
    for photo in np.load(photos, mmap_mode="r")[:count]:
        write(photo)
        run()
        told.append(read())
    write(np.load(photos, mmap_mode="r")[0])
    mark(BEGIN)
    run()
    mark(END)
    np.save(answers, np.stack(told))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
