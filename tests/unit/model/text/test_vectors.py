"""From words to the head of a model, and the words that are refused."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.refusals import naming
from tests.shapes import PAIRS
from tests.worded import MODEL
from vitcam.errors import ModelError, UsageError, VitcamError
from vitcam.model.text.text_file import TextFile, write_text_file
from vitcam.model.text.vectors import TEXTS_AT_ONCE, checked_words, vectors_of

ROOM = 8


@pytest.fixture
def file() -> TextFile:
    return TextFile(MODEL.with_suffix(".words"))


def with_tokenizer(file: TextFile, folder: Path, tokenizer: str) -> TextFile:
    path = folder / "other.words"
    write_text_file(path, file.about, dict(file.weights), tokenizer)
    return TextFile(path)


def test_each_word_gets_a_vector_of_the_length_of_the_logit_scale_and_none_of_them_gets_the_last(
    file: TextFile,
) -> None:
    words = vectors_of(file, ["a red thing", "a cross"], ROOM)

    assert words.vectors.shape == (3, file.weights["projection"].shape[0])
    np.testing.assert_allclose(np.linalg.norm(words.vectors, axis=-1), file.about.logit_scale, rtol=1e-5)


def test_many_words_get_the_same_vectors_as_few(file: TextFile) -> None:
    texts = [f"a {colour} {shape}" for colour, shape in PAIRS]
    many, few = vectors_of(file, texts, 256), vectors_of(file, texts[-2:], ROOM)

    assert len(texts) > TEXTS_AT_ONCE
    np.testing.assert_allclose(many.vectors[-3:], few.vectors, rtol=1e-4, atol=1e-4)


def test_the_vector_of_a_word_is_the_mean_over_the_templates(file: TextFile) -> None:
    about = file.about
    one, other = (vectors_of(file, [f"{word} thing"], ROOM).vectors[0] / about.logit_scale for word in ("red", "blue"))
    mean = (one + other) / np.linalg.norm(one + other)
    object.__setattr__(about, "templates", ("a photo of red {}.", "a photo of blue {}."))

    np.testing.assert_allclose(vectors_of(file, ["thing"], ROOM).vectors[0] / about.logit_scale, mean, atol=1e-5)


def test_words_lose_the_space_around_and_in_them() -> None:
    assert checked_words(["  a   cat ", "a dog"]) == ("a cat", "a dog")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "no words were given"),
        (["a cat", "  "], "one of the words is empty"),
        (["a cat", "A  cat"], "'A cat' is given twice"),
    ],
)
def test_no_words_empty_ones_and_the_same_twice_are_refused(words: list[str], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        checked_words(words)


def test_more_words_than_there_is_room_for_are_refused(file: TextFile) -> None:
    with pytest.raises(UsageError, match="1000 words are too many; the model has room for 255"):
        vectors_of(file, [f"word {i}" for i in range(1000)], 256)


def test_words_that_mean_the_same_to_the_network_are_refused(file: TextFile) -> None:
    with pytest.raises(UsageError, match="'red fox' and 'red wolf' mean the same to this network"):
        vectors_of(file, ["a cross", "red fox", "red wolf"], ROOM)


def test_a_text_that_is_too_long_is_refused(file: TextFile) -> None:
    with pytest.raises(UsageError, match="too long: 26 tokens, 16 are allowed"):
        vectors_of(file, ["red " * 20], ROOM)


def test_a_vocabulary_that_is_larger_than_the_towers_is_refused(file: TextFile, tmp_path: Path) -> None:
    tokenizer = json.loads(file.tokenizer)
    tokenizer["model"]["vocab"] |= {"elephant": 1000}
    strange = with_tokenizer(file, tmp_path, json.dumps(tokenizer))

    with pytest.raises(ModelError, match=naming("other.words", "tokenizer", "text tower")):
        vectors_of(strange, ["a cross"], ROOM)


@pytest.mark.parametrize("tokenizer", ["", "{}", '{"model": 1}'])
def test_a_tokenizer_that_is_none_is_refused(file: TextFile, tmp_path: Path, tokenizer: str) -> None:
    with pytest.raises(ModelError, match="its tokenizer cannot be read"):
        vectors_of(with_tokenizer(file, tmp_path, tokenizer), ["a cross"], ROOM)


def test_tensors_that_do_not_fit_each_other_are_refused(file: TextFile, tmp_path: Path) -> None:
    path = tmp_path / "other.words"
    narrow = dict(file.weights) | {"blocks.0.fc1.bias": np.zeros(3, np.float16)}
    write_text_file(path, file.about, narrow, file.tokenizer)

    with pytest.raises(ModelError, match="the tensors of its text tower do not fit"):
        vectors_of(TextFile(path), ["a cross"], ROOM)


def test_without_the_package_for_tokenizers_one_sentence_says_how_to_install_it(
    file: TextFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)

    with pytest.raises(VitcamError, match=r"pip install 'vitcam\[words\]'"):
        vectors_of(file, ["a cross"], ROOM)
