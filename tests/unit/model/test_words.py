"""The words in a model file."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.shapes import draw
from tests.worded import MODEL, WORDS
from vitcam.errors import ModelError
from vitcam.model import bundle
from vitcam.model.classifier import Classifier
from vitcam.model.words import Words

RED_CROSS = draw("red", "cross", np.random.default_rng(1))


def with_words(folder: Path, content: bytes, **card: Any) -> Path:
    """The model with this in place of its words, and another description."""
    path = folder / "changed.tflite"
    path.write_bytes(bundle.flatbuffer(MODEL))
    with zipfile.ZipFile(MODEL) as old, zipfile.ZipFile(path, "a") as new:
        for name in old.namelist():
            part = content if name == "words.npy" else old.read(name)
            new.writestr(name, json.dumps(json.loads(part) | card) if name == "vitcam.json" else part)
    return path


def array(*shape: int, kind: type = np.float32) -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros(shape, kind))
    return file.getvalue()


def test_the_probabilities_of_words_are_those_of_their_cosines() -> None:
    classifier, described = Classifier(MODEL, threads=1, top_k=3), bundle.read(MODEL)
    assert described is not None
    assert described.words is not None
    prediction = classifier.classify_image(RED_CROSS)
    logits = described.words.vectors @ prediction.embedding if prediction.embedding is not None else None
    assert logits is not None
    powers = np.exp(logits - logits.max())

    expected = dict(zip(WORDS, (powers / powers.sum())[: len(WORDS)], strict=True))
    assert {guess.label: guess.p for guess in prediction.top} == pytest.approx(expected, abs=0.02)


def test_places_without_a_word_take_no_part() -> None:
    vectors = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    inputs = Words(vectors).inputs(8)

    assert inputs["words"].shape == (1, 8, 4)
    np.testing.assert_allclose(inputs["words"][0, :3].mean(axis=0), 0, atol=1e-6)
    assert inputs["offsets"].tolist() == [[0, 0, 0, *[-1e4] * 5]]


def test_more_words_than_there_is_room_for_are_refused() -> None:
    with pytest.raises(ValueError, match="8 words are too many; there is room for 7"):
        Words(np.zeros((9, 4), np.float32)).inputs(8)


def test_a_clone_has_the_words_of_its_model() -> None:
    classifier = Classifier(MODEL, threads=1)
    other = classifier.clone(1)

    assert other.classify_image(RED_CROSS).top == classifier.classify_image(RED_CROSS).top


@pytest.mark.parametrize(
    "content",
    [b"", b"nonsense", array(3, 32), array(5, 32), array(4, 32, kind=np.float64), array(4), array(4, 32)[:-9]],
    ids=["empty", "nonsense", "too few", "too many", "float64", "a vector", "cut off"],
)
def test_damaged_words_are_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ModelError, match=r"changed\.tflite"):
        Classifier(with_words(tmp_path, content), threads=1)


@pytest.mark.parametrize(
    "card", [{"word_capacity": 9}, {"word_capacity": 0}, {"inputs": {"image": 0}}, {"inputs": {"image": 0, "words": 1}}]
)
def test_a_description_that_is_not_of_this_graph_is_refused(tmp_path: Path, card: dict[str, Any]) -> None:
    with zipfile.ZipFile(MODEL) as archive:
        words = archive.read("words.npy")

    with pytest.raises(ModelError, match=r"changed\.tflite"):
        Classifier(with_words(tmp_path, words, **card), threads=1)


def test_words_of_another_space_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="its description says"):
        Classifier(with_words(tmp_path, array(4, 31)), threads=1)
