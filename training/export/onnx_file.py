"""A network as an ONNX file, in float32, for programs that read no TFLite: pictures in, probabilities out.

Any number of pictures at once: nothing here has to be as XNNPACK takes it, so that LayerNorm, GELU and softmax stay
ONNX's own operators, which its runtimes know how to join.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vitcam.storage.files import atomic_write
from vitcam_training.config import ViTConfig
from vitcam_training.export.export import resized
from vitcam_training.export.folded import Affine, Folded, FoldedBlock, Norm, Rewrites
from vitcam_training.export.network import TrainedNetwork
from vitcam_training.export.rewrites import fold
from vitcam_training.weights.checkpoints import read_network

_OPSET = 20  # the first that has Gelu
_IR = 9  # of the same year, so that older runtimes read it
NORMS_STAY = Rewrites.without("norms", "values", "last_row", "float16")


def write_onnx(checkpoint: Path, out: Path, side_px: int | None = None) -> Path:
    """Make the file `out` of a network.

    side_px  height and width of the input; None: as it was trained
    raises   UsageError if the file is not a checkpoint of vitcam-train, or the network cannot have this size;
             ModuleNotFoundError if the package onnx is missing; OSError
    """
    about = resized(checkpoint, side_px)
    config, weights = read_network(checkpoint, (about.input.height, about.input.width))
    network = TrainedNetwork(about, config, weights, about.temperature)
    folded = fold(config, weights, network.temperature, NORMS_STAY, about.rows)
    facts = {"labels": json.dumps(about.labels, ensure_ascii=False), "licence": about.licence}
    made = to_onnx(folded, about.name, about.description, facts)
    with atomic_write(out) as partial:
        partial.write_bytes(made)
    return out


def to_onnx(folded: Folded, name: str = "vit", description: str = "", facts: dict[str, str] | None = None) -> bytes:
    """The file: `image` (B, H, W, 3) uint8 RGB -> `probabilities` (B, C) and `embedding` (B, E), float32.

    folded  without the rewrites that change what is normalised
    facts   the metadata of the file
    raises  ModuleNotFoundError if the package onnx is missing
    """
    import onnx
    from onnx import helper

    graph, config = _Graph(), folded.config
    probabilities, embedding = _answer(graph, folded)
    height, width = config.image_size
    labels = config.classes - (len(folded.merge[0]) if folded.merge else 0)  # some have several rows
    floats, several = onnx.TensorProto.FLOAT, "batch"
    model = helper.make_model(
        helper.make_graph(
            [*graph.nodes, graph.last(probabilities, "probabilities"), graph.last(embedding, "embedding")],
            name,
            [helper.make_tensor_value_info("image", onnx.TensorProto.UINT8, (several, height, width, 3))],
            [
                helper.make_tensor_value_info("probabilities", floats, (several, labels)),
                helper.make_tensor_value_info("embedding", floats, (several, config.embedding_width)),
            ],
            graph.constants,
        ),
        producer_name="vitcam",
        doc_string=description,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR,
    )
    helper.set_model_props(model, facts or {})
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


class _Graph:
    """Operators one after the other; each value has the number of its operator as its name."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """The name of what the operator gives."""
        from onnx import helper

        made = f"{operator}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [made], name=made, **attributes))
        return made

    def number(self, values: ArrayLike, kind: type[np.generic] = np.float32) -> str:
        """The name of numbers that are in the file."""
        from onnx import numpy_helper

        made = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values, kind), made))
        return made

    def shaped(self, x: str, *shape: int) -> str:
        """0: as it is; -1: what is left."""
        return self.add("Reshape", x, self.number(shape, np.int64))

    def last(self, x: str, name: str) -> Any:
        """The operator that gives an output its name."""
        from onnx import helper

        return helper.make_node("Identity", [x], [name], name=name)

    def dense(self, x: str, affine: Affine) -> str:
        """(B, T, D) -> (B, T, M)."""
        return self.add("Add", self.add("MatMul", x, self.number(affine.kernel)), self.number(affine.bias))

    def norm(self, x: str, norm: Norm | None, width: int) -> str:
        """LayerNorm along the last axis, of that width; None: there is none."""
        if norm is None:
            return x
        scale = np.ones(width) if norm.scale is None else norm.scale
        shift = np.zeros(width) if norm.shift is None else norm.shift
        return self.add(
            "LayerNormalization", x, self.number(scale), self.number(shift), axis=-1, epsilon=float(norm.epsilon)
        )

    def times(self, x: str, factor: float) -> str:
        """A factor of 1 is left out."""
        return x if factor == 1.0 else self.add("Mul", x, self.number(factor))

    def first_of(self, x: str, count: int, axis: int) -> tuple[str, str]:
        """The first so many along an axis, and the others."""
        begin, cut, end, along = (self.number([at], np.int64) for at in (0, count, np.iinfo(np.int64).max, axis))
        return self.add("Slice", x, begin, cut, along), self.add("Slice", x, cut, end, along)


def _answer(graph: _Graph, folded: Folded) -> tuple[str, str]:
    """The names of the probabilities, (B, C), and of the embedding, (B, E)."""
    config = folded.config
    x = graph.norm(_tokens(graph, folded), folded.first_norm, config.width)  # (B, T, D)
    if folded.first is not None:
        x = graph.dense(x, folded.first)
    for block in folded.blocks:
        x = _block(graph, config, block, x)
    if config.pooling != "mean":
        x, _ = graph.first_of(x, config.rows_read, 1)  # (B, R, D)
    x = graph.norm(x, folded.norm, config.width)
    if config.pooling == "mean":
        x = graph.add("ReduceMean", x, graph.number([1], np.int64), keepdims=1)  # (B, 1, D)
    if folded.embedding is not None:
        x = graph.dense(x, folded.embedding)
    embedding = graph.shaped(x, 0, -1)  # (B, E)
    if config.shared_width:
        embedding = graph.add("LpNormalization", embedding, axis=-1, p=2)
    read = embedding if folded.pre_logits is None else graph.add("Tanh", graph.dense(embedding, folded.pre_logits))
    rows = graph.add("Softmax", graph.times(graph.dense(read, folded.head), folded.logit_factor), axis=-1)  # (B, R)
    return _of_labels(graph, folded.merge, rows), embedding


def _of_labels(graph: _Graph, merge: Sequence[np.ndarray[Any, Any]], rows: str) -> str:
    """The probabilities of the head's rows, (B, R) -> those of the labels, (B, C)."""
    if not merge:
        return rows
    more, own = graph.first_of(rows, len(merge[0]), 1)
    for product in merge:
        more = graph.add("MatMul", more, graph.number(product))
    return graph.add("Add", own, more)


def _tokens(graph: _Graph, folded: Folded) -> str:
    """The camera's bytes -> the tokens that enter the first block, (B, T, D)."""
    config, (factor, summand) = folded.config, folded.pixels
    (rows, columns), side = config.grid, config.patch_size
    x = graph.add("Cast", "image", to=1)  # float32
    x = graph.add("Add", graph.add("Mul", x, graph.number(factor)), graph.number(summand))
    x = graph.shaped(x, 0, rows, side, columns, side * 3)
    x = graph.add("Transpose", x, perm=(0, 1, 3, 2, 4))  # (B, gh, gw, P, P*3)
    x = graph.dense(graph.shaped(x, 0, rows * columns, side * side * 3), folded.patches)  # (B, N, D)
    if folded.position is not None:
        x = graph.add("Add", x, graph.number(folded.position))
    if folded.first_rows is None:
        return x
    batch = graph.add("Shape", "image", start=0, end=1)
    shape = graph.add("Concat", batch, graph.number(folded.first_rows.shape, np.int64), axis=0)
    return graph.add("Concat", graph.add("Expand", graph.number(folded.first_rows), shape), x, axis=1)


def _block(graph: _Graph, config: ViTConfig, block: FoldedBlock, x: str) -> str:
    """(B, T, D) -> same."""
    pre = config.norm == "pre"
    mixed = _attention(graph, config, block, graph.norm(x, block.norm1, config.width) if pre else x)
    x = graph.add("Add", x, mixed) if config.residual else mixed
    x = x if pre else graph.norm(x, block.norm1, config.width)
    hidden = graph.dense(graph.norm(x, block.norm2, config.width) if pre else x, block.up)
    hidden = graph.dense(_activation(graph, config, hidden), block.down)
    x = graph.add("Add", x, hidden) if config.residual else hidden
    return x if pre else graph.norm(x, block.norm2, config.width)


def _attention(graph: _Graph, config: ViTConfig, block: FoldedBlock, x: str) -> str:
    """What each token takes from all, (B, T, D) -> same."""

    def heads(affine: Affine, norm: Norm | None = None) -> str:
        split = graph.shaped(graph.dense(x, affine), 0, -1, config.heads, config.d_k)
        return graph.norm(graph.add("Transpose", split, perm=(0, 2, 1, 3)), norm, config.d_k)  # (B, h, T, d)

    query, key, value = heads(block.query, block.query_norm), heads(block.key, block.key_norm), heads(block.value)
    scores = graph.add("MatMul", query, graph.add("Transpose", key, perm=(0, 1, 3, 2)))  # (B, h, T, T)
    weights = graph.add("Softmax", graph.times(scores, block.score_factor), axis=-1)
    mixed = graph.add("Transpose", graph.add("MatMul", weights, value), perm=(0, 2, 1, 3))
    return graph.dense(graph.shaped(mixed, 0, -1, config.attention_width), block.output)


def _activation(graph: _Graph, config: ViTConfig, x: str) -> str:
    if config.activation == "gelu":
        return graph.add("Gelu", x, approximate="none")
    if config.activation == "relu":
        return graph.add("Relu", x)
    return graph.add("Mul", x, graph.add("Sigmoid", graph.times(x, 1.702)))
