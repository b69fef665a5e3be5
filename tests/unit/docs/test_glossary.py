"""The page calls one thing by one word: the list of docs/use/words.md, in every language."""

import json
import re
import unicodedata

import pytest

from tests.unit.docs.pages import ROOT

LANGUAGES = ("de", "fr", "es", "pt")
LEAST_SHARE = 0.8
"""A sentence may do without the word, where a language says it otherwise."""


def glossary() -> dict[str, dict[str, str]]:
    """English word -> language -> its word."""
    rows = re.findall(r"^\| (.+) \|$", (ROOT / "docs" / "use" / "words.md").read_text("utf-8"), re.MULTILINE)[1:]
    cells = [row.split(" | ") for row in rows]
    return {word: dict(zip(LANGUAGES, others, strict=True)) for word, _, *others in cells}


def phrases(language: str) -> dict[str, str]:
    """Every phrase of the page, without what is put into it."""
    found: dict[str, str] = {}
    for folder in ("language", "said", "words"):
        for path in sorted((ROOT / "vitcam").rglob(f"page/**/{folder}/{language}.json")):
            for key, value in json.loads(path.read_text("utf-8")).items():
                found[key] = re.sub(r"\{\w+\}", "", " ".join(value.values()) if isinstance(value, dict) else value)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("word", glossary())
def test_a_word_of_the_page_is_the_same_word_wherever_it_stands(word: str, language: str) -> None:
    stem = _plain(glossary()[word][language])[:-1]  # the plural may end otherwise
    english, other = phrases("en"), phrases(language)
    keys = [key for key, text in english.items() if re.search(rf"\b{word}(?:e?s)?\b", text, re.IGNORECASE)]
    without = {key: other[key] for key in keys if stem not in _plain(other[key])}

    assert keys, f"no phrase of the page has {word!r}"
    assert 1 - len(without) / len(keys) >= LEAST_SHARE, without


def _plain(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(each))
