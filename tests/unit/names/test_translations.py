"""The files of names: for the labels of the shipped model, each once, and none that would make two labels one."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from vitcam.names import languages
from vitcam.names.languages import LANGUAGES, ORIGINAL, translations
from vitcam.names.wanted import checked_name, key_of

ROOT = Path(__file__).parents[3]
PUBLISHED = ROOT / "training" / "data" / "published"
FOLDER = Path(languages.__file__).parent
CODES = [code for code in LANGUAGES if code != ORIGINAL]
LEAST_LABELS = 200


def column(file: str, name: str) -> list[str]:
    with (PUBLISHED / file).open(encoding="utf-8", newline="") as rows:
        return [row[name] for row in csv.DictReader(rows)]


@pytest.fixture(scope="module")
def labels() -> list[str]:
    return column("things.csv", "label")


@pytest.fixture(scope="module")
def groups() -> list[str]:
    return column("groups.csv", "group")


def test_there_is_a_file_for_each_language_and_no_other() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.csv")) == sorted([*CODES, "everyday"])


@pytest.mark.parametrize("code", CODES)
def test_every_group_and_the_labels_that_people_meet_most_have_a_translation(
    code: str, labels: list[str], groups: list[str]
) -> None:
    found = translations(code)

    assert set(groups) <= found.keys()
    assert len(found.keys() & set(labels)) >= LEAST_LABELS


@pytest.mark.parametrize("code", CODES)
def test_each_name_is_one_of_the_shipped_model_and_stands_there_once(
    code: str, labels: list[str], groups: list[str]
) -> None:
    with (FOLDER / f"{code}.csv").open(encoding="utf-8", newline="") as rows:
        names = [row["name"] for row in csv.DictReader(rows)]

    assert set(names) - {*labels, *groups} == set()
    assert [name for name, count in Counter(names).items() if count > 1] == []


@pytest.mark.parametrize("code", CODES)
def test_no_two_names_get_the_same_translation(code: str, labels: list[str], groups: list[str]) -> None:
    found = translations(code)
    called: dict[str, set[str]] = {}
    for name in {*labels, *groups}:
        called.setdefault(key_of(found.get(name, name)), set()).add(name)

    assert {text: names for text, names in called.items() if len(names) > 1} == {}


@pytest.mark.parametrize("code", CODES)
def test_a_translation_could_be_a_name_of_ones_own(code: str) -> None:
    assert {name: text for name, text in translations(code).items() if checked_name(name, text) != text} == {}
    assert not any(text == "" for text in translations(code).values())


def test_german_nouns_are_written_with_a_capital() -> None:
    for text in translations("de").values():
        assert any(word.strip("()")[0].isupper() for word in text.split()), text
