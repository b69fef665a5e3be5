"""TensorFlow Lite, as it is maintained today (LiteRT) and as it was (tflite-runtime): our file and what others make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.bench.peers.material import Answers, Material, Photos, as_floats
from tests.bench.peers.runners.session import Unavailable


def build_ours(material: Material, out: Path) -> None:
    """The very file that a user gets."""
    command = [str(Path(sys.executable).with_name("vitcam-train")), "export", str(material.checkpoint), "-o", str(out)]
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Unavailable(f"vitcam-train export says: {done.stderr.strip().splitlines()[-1]}")


def build_ours_whole(material: Material, out: Path) -> None:
    """Our file, but the last block works on every token, as the other runtimes' do."""
    from dataclasses import replace

    from vitcam_training.export.folded import Rewrites
    from vitcam_training.export.network import to_tflite
    from vitcam_training.weights.checkpoints import read_network

    rewrites = replace(Rewrites(), last_row=False)
    out.write_bytes(to_tflite(*read_network(material.checkpoint), temperature=1.0, rewrites=rewrites))


def build_ours_float(material: Material, out: Path) -> None:
    """The same graph before its weights become int8."""
    from vitcam_training.export.graph import to_float
    from vitcam_training.export.quantise import delegate_input
    from vitcam_training.export.rewrites import fold
    from vitcam_training.weights.checkpoints import read_network

    out.write_bytes(delegate_input(to_float(fold(*read_network(material.checkpoint)))))


def build_dynamic(material: Material, out: Path) -> None:
    """TFLiteConverter with `Optimize.DEFAULT`: weights int8, activations quantised as the model runs."""
    import tensorflow as tf

    converter = _converter(material)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    out.write_bytes(converter.convert())


def build_full_integer(material: Material, out: Path) -> None:
    """TFLiteConverter with a representative dataset, integers only: the recipe of most tutorials."""
    import tensorflow as tf

    converter = _converter(material)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([as_floats(photo)] for photo in material.calibration_photos())
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    out.write_bytes(converter.convert())


def _converter(material: Material) -> Any:
    import tensorflow as tf
    from safetensors.numpy import load_file

    from tests.bench.peers.runners.textbook import TextbookViT

    network = TextbookViT(load_file(material.checkpoint))
    side = material.asked_photos().shape[1]
    traced = tf.function(network, input_signature=[tf.TensorSpec((1, side, side, 3), tf.float32)])
    return tf.lite.TFLiteConverter.from_concrete_functions([traced.get_concrete_function()], network)


class OurSession:
    """Camera bytes in, as the daemon hands them over; the conversion to floats is in the graph, and so timed."""

    def __init__(self, model: Path, threads: int) -> None:
        from vitcam.model.runtime import open_interpreter

        self._graph = open_interpreter(model, threads)
        self._graph.invoke()
        self._position = next(i for i in range(len(self._graph.outputs)) if _is_distribution(self._graph.get_output(i)))

    def prepare(self, photo: Photos) -> Photos:
        return photo

    def run(self, photo: Photos) -> Answers:
        self._graph.set_input(photo)
        self._graph.invoke()
        return self._graph.get_output(self._position)


def _is_distribution(values: NDArray[Any]) -> bool:
    """Of all that the graph gives, the probabilities are the one vector that sums to 1."""
    return values.ndim == 1 and abs(float(values.sum()) - 1) < 1e-2


class ConvertedSession:
    """A file of TFLiteConverter: normalised floats in, or the same as integers where it wants integers."""

    def __init__(self, model: Path, threads: int) -> None:
        from vitcam.model.runtime import open_interpreter

        self._graph = open_interpreter(model, threads)
        self._input = self._graph.inputs[0]

    def prepare(self, photo: Photos) -> NDArray[Any]:
        floats = as_floats(photo)[0]
        if not self._input.scale:
            return np.asarray(floats)
        limits = np.iinfo(self._input.dtype)
        stored = np.round(floats / self._input.scale) + self._input.zero_point
        return np.asarray(np.clip(stored, limits.min, limits.max), self._input.dtype)

    def run(self, pixels: NDArray[Any]) -> Answers:
        self._graph.set_input(pixels)
        self._graph.invoke()
        return self._graph.get_output(0)


open_session = OurSession
open_converted = ConvertedSession
