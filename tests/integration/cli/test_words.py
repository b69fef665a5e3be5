"""`vitcam words`: the labels of a model in words, on the device."""

from pathlib import Path

import pytest

from tests.command import Result, vitcam
from tests.worded import WORDS, photo, worded_model


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return worded_model(tmp_path)


def words(model: Path | str, *texts: str) -> Result:
    return vitcam("words", *texts, "--model", str(model))


def test_without_texts_the_words_are_shown(model: Path) -> None:
    assert words(model).out.splitlines() == list(WORDS)


def test_other_words_are_used_from_then_on(model: Path, tmp_path: Path) -> None:
    result = words(model, "a cross", "a circle")
    cross = vitcam("classify", str(photo(tmp_path, "red", "cross")), "--model", str(model))

    assert result.code == 0
    assert result.out.splitlines() == [
        "a cross",
        "a circle",
        f"wrote {model}; a running vitcam takes it at its next start",
    ]
    assert "%  a cross  " in cross.out.splitlines()[0]
    assert vitcam("models", "verify", str(model)).code == 0


def test_scripts_get_the_words_as_json(model: Path) -> None:
    assert words(model, "--json").lines == [{"words": list(WORDS), "file": None}]
    assert words(model, "a cross", "--json").lines == [{"words": ["a cross"], "file": str(model)}]


def test_bad_words_get_one_sentence(model: Path) -> None:
    content = model.read_bytes()
    result = words(model, "a cross", "A cross")

    assert result.code == 2
    assert "'A cross' is given twice; leave out one of them" in result.sentence
    assert model.read_bytes() == content
