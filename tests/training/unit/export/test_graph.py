from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter

from tests.training.unit.exported import answer, expected_outputs, pieces
from tests.training.unit.nets import SMALL, photos, reference_vit, small_vit
from vitcam_training.export.folded import Rewrites
from vitcam_training.export.graph import to_float
from vitcam_training.export.quantise import allow_float16, delegate_input, quantise
from vitcam_training.export.rewrites import fold
from vitcam_training.weights.checkpoints import Weights, to_timm


@pytest.fixture(scope="module")
def weights() -> Weights:
    return to_timm(small_vit())


@pytest.fixture(scope="module")
def float_graph(weights: Weights) -> bytes:
    return to_float(fold(SMALL, weights))


@pytest.fixture(scope="module")
def int8_graph(float_graph: bytes) -> bytes:
    return quantise(delegate_input(float_graph))


NAMES = [field.name for field in fields(Rewrites)]


CHOICES = [
    pytest.param(Rewrites(), id="all"),
    pytest.param(Rewrites.without(*NAMES), id="none"),
    *(pytest.param(Rewrites.without(name), id=f"without {name}") for name in NAMES),
]


@pytest.mark.parametrize("rewrites", CHOICES)
def test_every_choice_of_rewrites_equals_the_network_to_a_ten_thousandth(rewrites: Rewrites, weights: Weights) -> None:
    images = photos(2)
    logits, attention, embedding = reference_vit(weights, images, SMALL.heads)
    odds = np.exp(logits / 1.3)
    graph = to_float(fold(SMALL, weights, 1.3, rewrites))

    for i, outputs in enumerate(answer(graph, image) for image in images):
        np.testing.assert_allclose(outputs["probabilities"][0], odds[i] / odds[i].sum(), atol=1e-4)
        np.testing.assert_allclose(outputs["attention"][0], attention[i, :, 0, 1:], atol=1e-4)
        np.testing.assert_allclose(outputs["embedding"][0], embedding[i], atol=1e-4)


def test_explain_gives_rollout_and_every_blocks_row_as_the_whole_matrices_do(float_graph: bytes) -> None:
    image = photos(1)[0]
    _, taps = small_vit()(image[None])
    attentions = [np.asarray(taps[f"block{i:02}/attention"])[0] for i in range(SMALL.depth)]  # (h, T, T)
    product = np.eye(attentions[0].shape[-1])
    for attention in attentions:
        product = (attention.mean(axis=0) + np.eye(len(product))) / 2 @ product
    found, plain = answer(float_graph, image, "explain"), answer(float_graph, image)

    np.testing.assert_allclose(found["rollout"][0], product[0, 1:], atol=1e-5)
    np.testing.assert_allclose(found["rows"][0], [a[:, 0, 1:] for a in attentions], atol=1e-4)
    for name in plain:
        np.testing.assert_allclose(found[name], plain[name], atol=1e-6)


@pytest.mark.parametrize("rows", [(0, 2, 1, 0, 2), (1, 1, 1, 0, 1), (4, 3, 2, 1, 0)], ids=["twins", "four", "turned"])
def test_rows_of_one_label_are_summed_and_the_evidence_is_for_all_of_them(rows: tuple[int, ...]) -> None:
    weights, image = to_timm(small_vit()), photos(1)[0]
    expected = expected_outputs(SMALL, weights, image)
    expected["probabilities"] = np.bincount(rows, expected["probabilities"])
    floats = to_float(fold(SMALL, weights, rows=rows))
    found = answer(floats, image, "explain")

    for name, values in expected.items():
        np.testing.assert_allclose(found[name][0], values, atol=1e-4, err_msg=name)
    assert pieces(quantise(allow_float16(delegate_input(floats)))) == {"classify": (1, 0), "explain": (1, 0)}


def test_bytes_go_through_dequantize_exactly_as_through_cast(float_graph: bytes) -> None:
    image = np.resize(np.arange(256, dtype=np.uint8), (*SMALL.image_size, 3))  # every byte there is
    before, after = answer(float_graph, image), answer(delegate_input(float_graph), image)

    for name in before:
        np.testing.assert_allclose(after[name], before[name], atol=1e-6)


def test_bytes_are_centred_so_that_float16_can_hold_their_sums(float_graph: bytes) -> None:
    graph = Interpreter(model_content=delegate_input(float_graph))

    assert graph.get_input_details()[0]["quantization"] == (1 / 64, 128)


def test_the_int8_graph_is_one_partition_with_nothing_outside(int8_graph: bytes) -> None:
    assert pieces(int8_graph) == {"classify": (1, 0), "explain": (1, 0)}


@pytest.mark.parametrize("pooling", ["cls_token", "mean"])
def test_explain_stays_one_partition_with_as_many_blocks_as_deit_has(pooling: Any) -> None:
    deep = replace(SMALL, width=64, depth=12, heads=1, pooling=pooling)
    graph = quantise(delegate_input(to_float(fold(deep, to_timm(small_vit(deep))))))

    assert pieces(graph)["explain"] == (1, 0)


def test_the_int8_graph_has_int8_weights_and_stays_close(int8_graph: bytes, float_graph: bytes) -> None:
    image = photos(1)[0]
    exact, found = answer(float_graph, image), answer(int8_graph, image)

    assert len(int8_graph) < 0.35 * len(float_graph)
    np.testing.assert_allclose(found["probabilities"], exact["probabilities"], atol=0.05)
    assert not np.array_equal(found["probabilities"], exact["probabilities"])


def test_what_is_in_the_float_scope_keeps_its_weights_and_nothing_else_does(int8_graph: bytes) -> None:
    graph = Interpreter(model_content=int8_graph)
    kinds = {detail["index"]: (tuple(detail["shape"]), detail["dtype"]) for detail in graph.get_tensor_details()}
    dense, convolutions = (
        [kinds[op["inputs"][1]] for op in graph._get_ops_details() if op["op_name"] == name]
        for name in ("FULLY_CONNECTED", "CONV_2D")
    )

    floats = [shape for shape, dtype in dense if dtype == np.float32]
    assert floats == [(128, 128)], "the embedding"
    assert [dtype for _, dtype in dense].count(np.int8) == 4 * SMALL.depth + 2, (
        "o, up, down, evidence; head, its directions"
    )
    assert convolutions[0] == ((128, 1, 1, 192), np.int8), "the patches, 8 x 8 x 3 bytes each"
    assert [dtype for _, dtype in convolutions[1:]] == [np.int8] * (SMALL.depth + 1), "qkv; of the last block q apart"
