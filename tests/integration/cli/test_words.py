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
    assert cross.out.splitlines()[0].startswith("a cross")
    assert vitcam("models", "verify", str(model)).code == 0


def test_scripts_get_the_words_as_json(model: Path) -> None:
    assert words(model, "--json").lines == [{"words": list(WORDS), "file": None}]
    assert words(model, "a cross", "--json").lines == [{"words": ["a cross"], "file": str(model)}]


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (["a cross", "A cross"], "'A cross' is given twice; leave out one of them"),
        ([""], "one of the words is empty"),
        (["red fox", "red wolf"], "'red fox' and 'red wolf' mean the same to this network; leave out one of them"),
        ([f"word {i}" for i in range(1000)], "1000 words are too many; the model has room for 255"),
        (["red " * 20], "is too long: 26 tokens, 16 are allowed; shorten it"),
    ],
)
def test_bad_words_get_one_sentence(model: Path, texts: list[str], complaint: str) -> None:
    content = model.read_bytes()
    result = words(model, *texts)

    assert result.code == 2
    assert complaint in " ".join(result.err.split())
    assert "Traceback" not in result.err
    assert model.read_bytes() == content
