"""Where the files of the page lie, and what parts add to it."""

import json
import re
from dataclasses import astuple
from importlib.resources import files
from importlib.resources.abc import Traversable

import pytest

from vitcam.parts import PARTS
from vitcam.run.part import Part, View
from vitcam.web.page_sources import LABELS, LANGUAGE, SAID, VIEWS, page_files, page_sources

WITH_VIEW = [(part, part.view) for part in PARTS if part.view is not None]


def test_two_files_never_have_one_address() -> None:
    with_files = [part for part in PARTS if (files(f"vitcam.parts.{part.name}") / "page").is_dir()]
    addresses = [part.page or part.name for part in with_files]
    base = {each.name for each in (files("vitcam.web") / "page").iterdir()}

    assert len(set(addresses)) == len(addresses)
    assert base & set(addresses) == set()


def test_what_is_served_is_what_lies_there_but_for_words_and_the_table_of_views() -> None:
    served, lying = page_files(), page_sources()
    made = {VIEWS} | {name for name in lying if name.startswith((LANGUAGE, SAID, LABELS)) and name.endswith(".json")}

    assert served.keys() - lying.keys() == {VIEWS}
    assert [name for name in lying.keys() - made if served[name] != lying[name].read_bytes()] == []


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_phrases_of_a_part_are_its_own_and_in_every_language(part: Part) -> None:
    page = files(f"vitcam.parts.{part.name}") / "page"
    catalogues, words = catalogues_in(page / "language"), catalogues_in(page / "words")
    base, served = catalogues_in(files("vitcam.web") / "page/language"), page_files()

    assert catalogues.keys() in (set(), base.keys())
    for name, phrases in catalogues.items():
        assert phrases.keys() & base[name].keys() == set()
        assert phrases.items() <= json.loads(served[f"language/{name}"]).items()
    assert words.keys() in (set(), base.keys())
    for name, phrases in words.items():
        assert phrases.keys() & json.loads(served[f"language/{name}"]).keys() == set()
        assert json.loads(served[f"{part.page or part.name}/{name}"]) == phrases


def catalogues_in(folder: Traversable) -> dict[str, dict[str, object]]:
    """The phrases in a folder, by the names of its files; nothing where it is not there."""
    entries = [*folder.iterdir()] if folder.is_dir() else []
    return {entry.name: json.loads(entry.read_bytes()) for entry in entries if entry.name.endswith(".json")}


@pytest.mark.parametrize(("part", "view"), WITH_VIEW, ids=lambda each: getattr(each, "name", ""))
def test_a_view_of_a_part_has_all_that_the_page_loads(part: Part, view: View) -> None:
    name = part.page or part.name
    served = page_files()
    words = json.loads(served["language/en.json"])

    assert {f"{name}/{name}.{kind}" for kind in ("html", "css", "js")} <= served.keys()
    assert not view.hears or f"{name}/heard.js" in served
    assert f'"name": "{name}"' in served[VIEWS].decode()
    phrases = {f"{name}.link", view.on_event, view.on_correction, *(astuple(view.step) if view.step else ())}
    assert phrases - {""} <= words.keys()
    assert re.fullmatch(r"[-MmLlHhVvAaCcZz0-9 .]+", view.icon)


def test_the_page_knows_which_parts_offer_something_and_which_have_settings() -> None:
    tables = dict(re.findall(r"^export const (\w+) = (.*);$", page_files()[VIEWS].decode(), re.MULTILINE))
    own = [part.page or part.name for part in PARTS]

    assert tables["OFFERS"] != tables["SETTINGS"] != "[]"
    assert json.loads(tables["OFFERS"]) == [name for name in own if f"{name}/offer.js" in page_sources()]
    assert json.loads(tables["SETTINGS"]) == [name for name in own if f"{name}/settings.js" in page_sources()]
