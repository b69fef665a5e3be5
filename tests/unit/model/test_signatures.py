"""A model file's second signature is loaded when it is asked for, and says the same as before."""

import weakref
from pathlib import Path

import numpy as np
import pytest

from tests.flatbuffer import Layer, write_graphs
from vitcam.model import bundle
from vitcam.model.classifier import EXPLAIN, Classifier
from vitcam.model.files import content_of, find_model
from vitcam.model.flatbuffer import SIGNATURES, model_of
from vitcam.model.runtime import Interpreter, open_interpreter
from vitcam.model.signatures import two_signatures

MODEL = find_model("mnist")
CONTENT = bundle.flatbuffer(MODEL)
PICTURE = np.random.default_rng(5).integers(0, 256, (28, 28, 3), np.uint8)


@pytest.fixture
def whole() -> Interpreter:
    return open_interpreter(MODEL, 1, CONTENT)


@pytest.fixture
def apart() -> Interpreter:
    return open_interpreter(MODEL, 1, CONTENT, apart=True)


def explanation(graph: Interpreter) -> dict[str, bytes]:
    height, width, _ = graph.inputs[0].shape[1:]
    picture = np.resize(PICTURE, (1, height, width, 3))
    return {name: value.tobytes() for name, value in graph.run_signature(EXPLAIN, {"image": picture}).items()}


def answer(graph: Interpreter) -> list[bytes]:
    graph.set_input(np.resize(PICTURE, graph.inputs[0].shape[1:]))
    graph.invoke()
    return [graph.get_output(place).tobytes() for place in range(len(graph.outputs))]


def test_both_signatures_answer_as_in_the_whole_file(whole: Interpreter, apart: Interpreter) -> None:
    assert apart.signatures == whole.signatures == ("classify", EXPLAIN)
    assert explanation(apart) == explanation(whole)
    assert answer(apart) == answer(whole)
    assert explanation(apart.clone(2)) == explanation(whole)


def test_the_second_one_is_loaded_once_and_given_back(whole: Interpreter, apart: Interpreter) -> None:
    assert apart._second is None
    said = explanation(apart)
    loaded = weakref.ref(apart._second)
    assert explanation(apart) == said
    assert apart._second is loaded()

    apart.give_back()

    assert loaded() is None
    assert explanation(apart) == said
    assert answer(apart) == answer(whole)


def test_a_classifier_says_what_it_can_explain_before_that_is_loaded() -> None:
    classifier = Classifier("mnist", threads=1)

    assert classifier.explains
    assert classifier.graph._second is None
    assert classifier.classify_image(PICTURE, explain=True).rollout is not None
    assert classifier.graph._second is not None


def test_nothing_is_moved_in_the_file_so_each_signature_can_be_made_of_the_other() -> None:
    two = two_signatures(CONTENT)
    assert two is not None
    first = two.alone(CONTENT, "classify")
    second = two.alone(first, EXPLAIN)

    assert len(first) == len(second) == len(CONTENT)
    assert sum(a != b for a, b in zip(first, CONTENT, strict=True)) <= 16
    assert two.alone(second, "classify") == two.alone(bytes(second), "classify")
    assert open_interpreter(MODEL, 1, second).signatures == (EXPLAIN,)
    assert two_signatures(first) is None


@pytest.mark.parametrize("kind", ["IF", "WHILE", "CALL_ONCE", "CUSTOM", "STABLEHLO_COMPOSITE"])
def test_graphs_that_may_run_one_another_stay_together(kind: str) -> None:
    from ai_edge_litert import schema_py_generated as schema

    parsed = schema.ModelT.InitFromObj(schema.Model.GetRootAs(bytearray(CONTENT), 0))
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, kind)
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    parsed.operatorCodes.append(code)

    import flatbuffers  # type: ignore[import-untyped]

    builder = flatbuffers.Builder(1024)
    builder.Finish(parsed.Pack(builder), b"TFL3")

    assert two_signatures(CONTENT) is not None
    assert two_signatures(bytes(builder.Output())) is None


def test_a_file_without_signatures_or_a_damaged_one_is_left_to_the_runtime(tmp_path: Path) -> None:
    layer = Layer("FULLY_CONNECTED", (1, 4), (2, 4), (1, 2))

    assert two_signatures(content_of(write_graphs(tmp_path / "plain.tflite", [[layer], [layer]]))) is None
    for length in (0, 4, 8, 60, 100, 400, 20_000):
        assert two_signatures(CONTENT[:length]) is None
    far = bytearray(CONTENT)
    at = model_of(CONTENT).follow(CONTENT, SIGNATURES)
    far[at : at + 4] = b"\xff\xff\xff\x7f"
    assert two_signatures(bytes(far)) is None
