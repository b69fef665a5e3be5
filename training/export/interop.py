"""A model file for other programs: one graph, an image in, probabilities out, and TFLite's own metadata.

MediaPipe's ImageClassifier reads the labels in it. The classify stage of rpicam-apps reads them in a file beside it.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from vitcam.errors import UsageError
from vitcam.model.card import ModelCard
from vitcam.storage.files import atomic_write, write_atomically
from vitcam_training.export.export import resized
from vitcam_training.export.flatbuffer import only, pack, parse
from vitcam_training.export.graph import OUTPUTS, SIGNATURES
from vitcam_training.export.network import TrainedNetwork
from vitcam_training.export.quantise import Quantisation
from vitcam_training.export.tflite_metadata import LABELS, image_metadata
from vitcam_training.weights.checkpoints import read_network

_FIELD = b"TFLITE_METADATA"
_WHEN = (1980, 1, 1, 0, 0, 0)  # the same model makes the same bytes


def write_interop(checkpoint: Path, out: Path, how: Quantisation, side_px: int | None = None) -> tuple[Path, Path]:
    """Make the file `out` of a network, and its labels as a text beside it.

    side_px  height and width of the input; None: as it was trained
    returns  both paths
    raises   UsageError if the file is not a checkpoint of vitcam-train, the network cannot have this size, or another
             text has the name of that of the labels; OSError
    """
    about = resized(checkpoint, side_px)
    labels, text = out.with_suffix(".txt"), "".join(f"{label}\n" for label in about.labels)
    if labels.exists() and labels.read_bytes() != text.encode():
        raise UsageError(f"{labels} exists, and holds other labels: name another file with -o, or move it away")
    config, weights = read_network(checkpoint, (about.input.height, about.input.width))
    network = TrainedNetwork(about, config, weights, about.temperature)
    model = network.tflite(how)
    graph = plain_graph(model, network.card(model, how))
    write_atomically(labels, text)
    with atomic_write(out) as partial:
        partial.write_bytes(graph + _labels(text))
    return out, labels


def plain_graph(model: bytes, card: ModelCard) -> bytes:
    """The graph of `classify` with no output but the probabilities, and with metadata. Answers stay the same."""
    parsed = parse(only(SIGNATURES[0], model))
    graph, signature = parsed.subgraphs[0], parsed.signatureDefs[0]
    kept = [each for each in signature.outputs if each.name.decode() == OUTPUTS[0]]
    signature.outputs = kept
    graph.outputs = np.array([each.tensorIndex for each in kept], np.int32)
    graph.operators = _needed(graph.operators, graph.outputs)
    _drop_unused(parsed, graph, signature)
    height, width = card.input.height, card.input.width
    about = image_metadata(card.name, card.description, card.licence, height, width)
    entry = schema.MetadataT()
    entry.name, entry.buffer = _FIELD, len(parsed.buffers)
    held = schema.BufferT()
    held.data = np.frombuffer(about, np.uint8)
    parsed.buffers.append(held)
    parsed.metadata = [*(parsed.metadata or []), entry]
    return pack(parsed)


def _needed(operators: Sequence[schema.OperatorT], outputs: Sequence[int]) -> list[schema.OperatorT]:
    """Those that the outputs depend on, in order."""
    wanted, kept = {int(tensor) for tensor in outputs}, []
    for operator in reversed(operators):
        if wanted.intersection(operator.outputs):
            kept.append(operator)
            wanted.update(int(tensor) for tensor in operator.inputs if tensor >= 0)
    return kept[::-1]


def _drop_unused(parsed: schema.ModelT, graph: schema.SubGraphT, signature: schema.SignatureDefT) -> None:
    """Tensors that no operator uses go, and so does what buffers hold for nothing but them."""
    named = [*graph.inputs, *graph.outputs]
    for operator in graph.operators:
        named += [*operator.inputs, *operator.outputs]
    used = sorted({int(tensor) for tensor in named if tensor >= 0})
    place = {tensor: i for i, tensor in enumerate(used)} | {-1: -1}

    def moved(tensors: Sequence[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return np.array([place[int(tensor)] for tensor in tensors], np.int32)

    graph.tensors = [graph.tensors[tensor] for tensor in used]
    graph.inputs, graph.outputs = moved(graph.inputs), moved(graph.outputs)
    for operator in graph.operators:
        operator.inputs, operator.outputs = moved(operator.inputs), moved(operator.outputs)
    for each in (*signature.inputs, *signature.outputs):
        each.tensorIndex = place[int(each.tensorIndex)]
    held = {tensor.buffer for tensor in graph.tensors} | {entry.buffer for entry in parsed.metadata or []}
    for index, buffer in enumerate(parsed.buffers):
        if index not in held:
            buffer.data = None


def _labels(text: str) -> bytes:
    """A zip with the labels, to be put behind the graph: readers of the metadata look for them there."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(LABELS, _WHEN), text)
    return file.getvalue()
