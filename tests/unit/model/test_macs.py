"""Multiply-adds, against graphs small enough for pencil and paper, and against the formula of a ViT."""

from pathlib import Path

import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

from tests.flatbuffer import Layer, write_graphs
from vitcam.errors import ModelError
from vitcam.model import bundle
from vitcam.model.files import find_model
from vitcam.model.macs import Macs, count_macs

INT8, INT4, FLOAT = schema.TensorType.INT8, schema.TensorType.INT4, schema.TensorType.FLOAT32
TWINS = 20
"""Rows of the head of `everyday` beyond one for each label: of ImageNet's classes some are the same to people, and
`person` has three."""
DENSE = Layer("FULLY_CONNECTED", x=(2, 3), weights=(5, 3), out=(2, 5))


@pytest.mark.parametrize(
    ("layer", "macs"),
    [
        (DENSE, 2 * 5 * 3),
        (Layer("BATCH_MATMUL", x=(3, 4, 6), weights=(3, 6, 5), out=(3, 4, 5)), 3 * 4 * 5 * 6),
        (Layer("BATCH_MATMUL", x=(3, 6, 4), weights=(3, 6, 5), out=(3, 4, 5)), 3 * 4 * 5 * 6),  # the first transposed
        (Layer("BATCH_MATMUL", x=(3, 4, 6), weights=(3, 5, 6), out=(3, 4, 5)), 3 * 4 * 5 * 6),  # the second
        (Layer("CONV_2D", x=(1, 8, 8, 2), weights=(7, 3, 5, 2), out=(1, 4, 4, 7)), 4 * 4 * 7 * (3 * 5 * 2)),
        (Layer("DEPTHWISE_CONV_2D", x=(1, 8, 8, 6), weights=(1, 3, 5, 6), out=(1, 4, 4, 6)), 4 * 4 * 6 * (3 * 5)),
        (Layer("ADD", x=(2, 3), weights=(2, 3), out=(2, 3)), 0),
    ],
)
def test_the_multiply_adds_of_an_operator_are_those_on_paper(tmp_path: Path, layer: Layer, macs: int) -> None:
    path = write_graphs(tmp_path / "one.tflite", [[layer]])

    assert count_macs(path) == Macs(int8=0, floating=macs)


@pytest.mark.parametrize(("kind", "macs"), [(INT8, Macs(30, 0)), (INT4, Macs(30, 0)), (FLOAT, Macs(0, 30))])
def test_the_type_of_the_weights_says_to_which_part_an_operator_belongs(tmp_path: Path, kind: int, macs: Macs) -> None:
    dense = Layer(DENSE.name, DENSE.x, DENSE.weights, DENSE.out, kind)

    assert count_macs(write_graphs(tmp_path / "one.tflite", [[dense]])) == macs


def test_operators_add_up_and_a_second_signature_does_not_count(tmp_path: Path) -> None:
    path = write_graphs(tmp_path / "two.tflite", [[DENSE, DENSE], [DENSE, DENSE, DENSE]])

    assert count_macs(path) == Macs(int8=0, floating=60)


def test_a_file_from_before_the_wider_operator_codes_is_counted_alike(tmp_path: Path) -> None:
    path = write_graphs(tmp_path / "old.tflite", [[DENSE]], deprecated_code_only=True)

    assert count_macs(path).floating == 30


def test_the_bundled_model_needs_what_the_formula_of_a_vit_says() -> None:
    path = find_model("everyday")
    described = bundle.read(path)
    assert described is not None
    card = described.card
    d, patches, side, classes = card.width, card.grid[0] * card.grid[1], card.patch_size, len(described.labels)
    t, full = patches + 1, card.layers - 1
    # a block: q, k, v, o, an MLP four times as wide; the last one works out the class row alone, from all k and v
    projections = full * t * 12 * d * d + 2 * t * d * d + 10 * d * d
    attention = full * 2 * t * t * d + 2 * t * d
    rows = classes + TWINS
    # patches are embedded with a row for the class token, which is replaced
    stem, embedding, head = t * side * side * 3 * d, d * d, d * rows
    # what the likely labels want of the stream and then of each block's values, and how much of it each token has; of
    # one block, which files without a margin have, both steps are one matrix
    blocks = 4 if "margin" in card.outputs else 1
    evidence = rows * d + blocks * t * d + (blocks * d * d if blocks > 1 else 0)
    # rows for labels that a device adds read three tokens, and say what they want of them; twins are added up
    spare = 2 * card.row_capacity * 3 * d + patches * d + d * d + TWINS * (classes + card.row_capacity)
    macs = count_macs(path)

    assert macs.int8 + macs.floating == projections + attention + stem + embedding + head + evidence + spare
    assert macs.int8 >= projections
    assert macs.floating >= attention


@pytest.mark.parametrize("kept", [9, 40, 200, 5000])
def test_a_file_that_was_cut_off_is_refused_and_never_crashes(tmp_path: Path, kept: int) -> None:
    content = find_model("everyday").read_bytes()
    root = int(np.frombuffer(content, "<u4", 1)[0])  # the table lies at the end: the cut is made inside it
    cut = tmp_path / "cut.tflite"
    cut.write_bytes(content[: root + kept] if kept > 9 else content[:kept])

    with pytest.raises(ModelError, match="damaged"):
        count_macs(cut)
