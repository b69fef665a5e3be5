"""Sentences with a key: programs read them in English, and the page has words for each in every language."""

import ast
import copy
import json
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import vitcam
from vitcam.errors import UsageError
from vitcam.names.languages import LANGUAGES
from vitcam.sentence import Sentence, with_keys
from vitcam.web.page_sources import page_files

FULL = Sentence("the disk is full, 12 kB are left", "disk.full", kb=12)


def made() -> Iterator[tuple[str, set[str]]]:
    """Key and values of each sentence of the daemon that has one; a key that is computed is left out."""
    for path in Path(vitcam.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _called(node.func) in ("Sentence", "cls") and len(node.args) == 2:
                key = node.args[1]
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, {each.arg for each in node.keywords if each.arg}


def _called(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else ""


def words(code: str) -> dict[str, str]:
    files = page_files()
    found = json.loads(files[f"language/{code}.json"]) | json.loads(files[f"said/{code}.json"])
    return {key.removeprefix("said."): text for key, text in found.items() if key.startswith("said.")}


def test_a_record_says_the_key_and_the_values_of_each_sentence_in_it_and_nothing_where_there_is_none() -> None:
    record = {"reasons": ("paused", FULL), "parts": {"disk": {"trouble": FULL}}}

    assert with_keys(record)["said"] == [{"text": FULL, "key": "disk.full", "values": {"kb": 12}}]
    assert with_keys({"reasons": ("paused",)}) == {"reasons": ("paused",)}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_copy_keeps_the_key(copied: Callable[[Sentence], Sentence]) -> None:
    assert (copied(FULL), copied(FULL).key, copied(FULL).values) == (FULL, "disk.full", {"kb": 12})


def test_an_error_gives_the_sentence_that_it_was_made_with() -> None:
    assert UsageError(FULL).sentence is FULL
    assert str(UsageError(FULL)) == FULL
    assert UsageError("plain").sentence == "plain"


def test_the_page_has_words_for_each_key_and_for_no_other() -> None:
    computed = {"camera.lost", "camera.unreachable", "camera.no_pictures"}  # of a camera of the network

    assert words("en").keys() == {key for key, _ in made()} | computed


@pytest.mark.parametrize("code", LANGUAGES)
def test_words_have_only_values_that_the_sentence_gives(code: str) -> None:
    given: dict[str, set[str]] = {"camera.no_pictures": {"camera"}}
    for key, values in made():
        given[key] = given.get(key, values) & values
    wanted = {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in words(code).items()}

    assert {key: values - given[key] for key, values in wanted.items() if values - given[key]} == {}
