"""Every way to quantise, on a small network with random weights."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter
from numpy.typing import NDArray

from tests.refusals import naming
from tests.training.unit.exported import answer, pieces
from tests.training.unit.nets import SMALL as ODD
from tests.training.unit.nets import photos, small_vit
from vitcam.errors import UsageError
from vitcam_training.export.folded import Rewrites
from vitcam_training.export.graph import to_float
from vitcam_training.export.layers import ALWAYS_FLOAT, blocks_of, kinds_of, layers_of, matching
from vitcam_training.export.network import to_tflite
from vitcam_training.export.quantise import SCHEMES, Quantisation
from vitcam_training.export.rewrites import fold
from vitcam_training.export.rounding import round_together
from vitcam_training.weights.checkpoints import Weights, to_timm

SMALL = replace(ODD, classes=6)  # XNNPACK takes 4-bit weights of an even number of inputs
Make = Callable[..., bytes]


@pytest.fixture(scope="module")
def weights() -> Weights:
    return to_timm(small_vit(SMALL))


@pytest.fixture(scope="module")
def make(weights: Weights) -> Make:
    @cache
    def make(scheme: str = "dynamic", floats: frozenset[str] = ALWAYS_FLOAT) -> bytes:
        shown = tuple(photos(6, seed=3)) if SCHEMES[scheme].needs_photos else ()
        return to_tflite(SMALL, weights, 1.0, Rewrites(), Quantisation(scheme, floats, shown))

    return make


@pytest.fixture(scope="module")
def exact(make: Make) -> NDArray[np.float32]:
    return probabilities(make("float"))


def probabilities(model: bytes) -> NDArray[np.float32]:
    return np.stack([answer(model, image)["probabilities"][0] for image in photos(3)])


@pytest.mark.parametrize(
    ("scheme", "furthest"), [("dynamic", 0.05), ("static", 0.3), ("int4", 0.5), ("float16", 0.01), ("converter", 0.1)]
)
def test_a_file_of_every_scheme_runs_and_answers_much_as_float_does(
    scheme: str, furthest: float, make: Make, exact: NDArray[np.float32]
) -> None:
    found = probabilities(make(scheme))

    assert 0 < np.abs(found - exact).max() < furthest
    np.testing.assert_allclose(found.sum(-1), 1, atol=0.02)


@pytest.mark.parametrize("scheme", ["dynamic", "int4", "float16", "float", "converter"])
def test_all_schemes_but_the_static_one_run_in_one_piece(scheme: str, make: Make) -> None:
    assert pieces(make(scheme)) == {"classify": (1, 0), "explain": (1, 0)}


def test_the_converter_chooses_its_layers_itself() -> None:
    with pytest.raises(UsageError, match="--keep"):
        Quantisation("converter", ALWAYS_FLOAT | {"block00/query"})


def test_a_static_file_needs_photos_and_says_so_in_one_sentence(weights: Weights) -> None:
    with pytest.raises(UsageError, match=naming("`static`", "photos", "none")):
        to_tflite(SMALL, weights, 1.0, Rewrites(), Quantisation("static"))


def test_an_unknown_scheme_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=naming("'int3'", "dynamic, static, int4, float16, float")):
        Quantisation("int3")


@pytest.mark.parametrize(
    "patterns", [("block01/down",), ("*/query",), ("block02/*", "head"), ("block00/value", "*/up")], ids=" ".join
)
def test_layers_that_are_kept_have_float_weights_in_one_piece(patterns: tuple[str, ...], make: Make) -> None:
    kept = matching(SMALL, patterns)
    usual, mixed = make(), make(floats=ALWAYS_FLOAT | kept)

    assert len(mixed) > len(usual) + 2.8 * sum(SIZES[layer.rpartition("/")[2]] for layer in kept)
    assert pieces(mixed) == {"classify": (1, 0), "explain": (1, 0)}


SIZES = {
    **dict.fromkeys(("query", "key", "value", "output"), SMALL.width**2),
    **dict.fromkeys(("up", "down"), SMALL.width * SMALL.hidden_width),
    "head": SMALL.width * SMALL.classes,
}
"""Weights of a layer, each of which takes three bytes more in float; the scales that are no longer needed, fewer."""


def test_a_network_that_keeps_every_layer_is_the_float_network(make: Make, exact: NDArray[np.float32]) -> None:
    whole = make(floats=frozenset(layers_of(SMALL)))

    np.testing.assert_allclose(probabilities(whole), exact, atol=1e-5)


def test_int8_patches_embed_every_byte_exactly_as_their_rounded_weights_say(weights: Weights) -> None:
    folded = fold(SMALL, weights)
    folded = replace(folded, patches=round_together(folded.patches))
    every_other = frozenset(layers_of(SMALL)) - {"patches"}
    rounded = to_float(folded, every_other)
    image = photos(1)[0] // 4 + 90  # neither black nor white: its own range would be another scale

    expected = answer(rounded, image)["probabilities"]

    found = answer(to_tflite(SMALL, weights, 1.0, Rewrites(), Quantisation(floats=every_other)), image)["probabilities"]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_int8_weights_have_a_scale_for_each_output_channel(make: Make) -> None:
    graph = Interpreter(model_content=make())
    scales = [len(detail["quantization_parameters"]["scales"]) for detail in graph.get_tensor_details()
              if detail["dtype"] == np.int8]  # fmt: skip

    assert set(scales) == {SMALL.width, 2 * SMALL.width, 3 * SMALL.width, SMALL.hidden_width, SMALL.classes}


def test_layers_are_named_by_patterns_and_a_misspelt_one_is_refused() -> None:
    assert matching(SMALL, ["head", "block02/u*"]) == {"head", "block02/up"}
    with pytest.raises(UsageError, match=naming("'block9/up'", "patches, block00/query … block02")):
        matching(SMALL, ["block9/up"])


def test_every_layer_is_of_one_kind_and_at_most_one_block() -> None:
    kinds, blocks = kinds_of(SMALL), blocks_of(SMALL)
    inner = [layer for layer in layers_of(SMALL) if "/" in layer]

    assert sorted(layer for group in kinds.values() for layer in group) == sorted([*inner, "patches", "head"])
    assert sorted(layer for group in blocks.values() for layer in group) == sorted(inner)
