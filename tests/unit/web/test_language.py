"""The catalogues of the page's words: complete, used, and short enough for their places."""

import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

import pytest

from vitcam.config.load import merge_layers
from vitcam.model import bundle
from vitcam.names.languages import LANGUAGES, ORIGINAL
from vitcam.pictures.overlay_kinds import OVERLAYS
from vitcam.web.page_sources import page_files

PAGE = {PurePosixPath(address): data for address, data in page_files().items()}
CODES = sorted(path.stem for path in PAGE if path.match("language/*.json"))
OTHERS = [code for code in CODES if code != ORIGINAL]
MARKS = {"data-t": "", "data-t-label": "aria-label", "data-t-title": "title", "data-t-placeholder": "placeholder"}
MARKS |= {"data-t-alt": "alt"}
BUTTON = 34
"""Characters of a button or a tab at most: more would not fit beside another one on a phone."""
KEY = r"\"([a-z_]+(?:\.[a-z0-9_]+)+)\""
WORDLESS = frozenset(["vitcam", "CSV"])


@cache
def catalogue(code: str) -> dict[str, str | dict[str, str]]:
    """With the words that come with a view."""
    words: dict[str, str | dict[str, str]] = {}
    for path in sorted(PAGE):
        if path.name == f"{code}.json":
            words |= json.loads(PAGE[path])
    return words


def forms(code: str, key: str) -> dict[str, str]:
    text = catalogue(code)[key]
    return text if isinstance(text, dict) else {"other": text}


class Markup(HTMLParser):
    """The keys of a page, those on buttons, and the words that stand in it without a key."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.keys: set[str] = set()
        self.buttons: set[str] = set()
        self.literal: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.keys |= {found[mark] or "" for mark in MARKS if mark in found}
        self.literal += [found[name] or "" for name in MARKS.values() if name and found.get(name)]
        is_pressed = tag == "button" or (tag == "a" and "button" in (found.get("class") or "").split())
        if "data-t" in found and (is_pressed or "button" in self._open):
            self.buttons.add(found["data-t"] or "")
        if tag not in ("img", "input", "link", "meta", "br", "path", "circle"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if "code" not in self._open:  # what is typed on a terminal
            self.literal += re.findall(r"[A-Za-z]{2,}", data)


def inside(text: str) -> str:
    """What stands before the bracket that closes the one before the text."""
    depth = 1
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return text[:at]
    return text


@cache
def pages() -> tuple[Markup, ...]:
    return tuple(Markup(PAGE[path].decode()) for path in sorted(PAGE) if path.suffix == ".html")


def named_in_scripts() -> tuple[set[str], set[str]]:
    """Keys, and beginnings of keys whose rest is computed."""
    keys = set()
    text = "\n".join(data.decode() for path, data in PAGE.items() if path.suffix == ".js")
    for call in re.finditer(r"\b(?:t|knows)\(", text):
        keys |= set(re.findall(KEY, inside(text[call.end() :])))
    keys |= {key for key in re.findall(KEY, text) if key in catalogue(ORIGINAL)}  # chosen before the call
    areas = "|".join({key.partition(".")[0] for key in catalogue(ORIGINAL)})
    return keys, set(re.findall(rf"`((?:{areas})\.[a-z0-9_.]*)\$\{{", text))


def test_every_key_that_is_used_exists_and_every_key_that_exists_is_used() -> None:
    keys, beginnings = named_in_scripts()
    used = keys.union(*(page.keys for page in pages()))
    begun = {key for key in catalogue(ORIGINAL) if key.startswith(tuple(beginnings))}

    assert used - catalogue(ORIGINAL).keys() == set()
    assert catalogue(ORIGINAL).keys() - used - begun == set()
    assert [each for each in beginnings if not any(key.startswith(each) for key in catalogue(ORIGINAL))] == []


def test_no_word_stands_in_a_page_without_a_key() -> None:
    assert [word for page in pages() for word in page.literal if word not in WORDLESS] == []


@pytest.mark.parametrize("code", OTHERS)
def test_a_language_has_every_key_and_no_other(code: str) -> None:
    assert catalogue(code).keys() ^ catalogue(ORIGINAL).keys() == set()


@pytest.mark.parametrize("code", CODES)
def test_a_text_has_the_values_and_the_forms_of_the_original(code: str) -> None:
    def values(text: str) -> set[str]:
        return set(re.findall(r"\{(\w+)\}", text))

    for key in catalogue(ORIGINAL).keys() & catalogue(code).keys():
        own, original = forms(code, key), forms(ORIGINAL, key)
        assert own.keys() == original.keys(), key
        assert {"other"} <= own.keys() <= {"one", "other"}, key
        assert values(own["other"]) == values(original["other"]), key
        for text in own.values():
            assert text.strip() == text != "", key
            assert values(text) <= {each for form in original.values() for each in values(form)}, key


def links(text: str) -> list[str]:
    """The addresses to which words of a text lead, such as `#settings`."""
    return sorted(re.findall(r"\]\((#[^)]+)\)", text))


@pytest.mark.parametrize("code", CODES)
def test_words_of_a_text_lead_to_views_and_panels_that_there_are(code: str) -> None:
    views = {f"#{path.parent.name}" for path in PAGE if path.stem == path.parent.name and path.suffix == ".html"}
    places = {"#live", "#events", *views, *(f"#{panel}" for panel in ("zones", "crop", "names", "models"))}
    found = {key: links(each) for key in catalogue(code) for each in forms(code, key).values()}

    assert {key: each for key, each in found.items() if not places.issuperset(each)} == {}
    assert {key: each for key, each in found.items() if each != links(forms(ORIGINAL, key)["other"])} == {}


@pytest.mark.parametrize("code", CODES)
def test_a_text_fits_its_place(code: str) -> None:
    buttons = {key for page in pages() for key in page.buttons}
    for key in catalogue(code).keys() & catalogue(ORIGINAL).keys():
        longest = max(map(len, forms(code, key).values()))
        original = max(map(len, forms(ORIGINAL, key).values()))
        assert longest <= 1.6 * original + 12, key
        assert longest <= BUTTON or key not in buttons, key


UNTYPESET = {
    "de": r"[\"“']\w|\w[\"']",
    "en": r"[\"']",
    "es": r"[\"'“”]| …|\d %|^[^¿]*\?|^[^¡]*!",
    "fr": r"[\"'“”]| …| [:;!?%»]|« |(?<![\u00a0\u202f])[:;!?](?!\S)",
    "pt": r"[\"'«»]| …|\d %",
}
"""What each language writes otherwise: its quotation marks, and the spaces that must not break."""
OF_PORTUGAL = r"(?i)câmara|ficheiro|ecrã|palavra-passe|telemóvel|definições|chávena|\b(?:largu|arranqu)e"


@pytest.mark.parametrize("code", UNTYPESET)
def test_a_language_is_set_as_its_readers_are_used_to(code: str) -> None:
    texts = {key: text for key in catalogue(code) for text in forms(code, key).values()}

    assert {key: text for key, text in texts.items() if re.search(UNTYPESET[code], text)} == {}


@pytest.mark.parametrize("code", OTHERS)
def test_what_a_shipped_model_knows_is_said_in_each_language(code: str) -> None:
    names = json.loads(PAGE[PurePosixPath(f"labels/names.{code}.json")])
    described = {path.stem: bundle.read(path) for path in Path("models").glob("*.tflite")}

    assert described
    assert [name for name, each in described.items() if each is None or each.card.description not in names] == []


def test_portuguese_is_that_of_brazil_as_in_the_names_of_labels() -> None:
    assert [key for key in catalogue("pt") if re.search(OF_PORTUGAL, " ".join(forms("pt", key).values()))] == []


def test_overlays_are_called_as_the_daemon_calls_them() -> None:
    words = catalogue(ORIGINAL)

    assert {mode: words[f"overlay.kind.{mode}"] for mode in OVERLAYS} == {
        mode: kind.label for mode, kind in OVERLAYS.items()
    }
    assert {mode: words[f"overlay.kind.{mode}.what"] for mode in OVERLAYS} == {
        mode: kind.sentence for mode, kind in OVERLAYS.items()
    }


def test_a_place_of_the_daemon_is_found_by_the_words_that_it_says(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[model]\ntop_k = 3\n")
    found = merge_layers(file, [], {"camera.fps": 5}, {}, tmp_path / "none")
    words = catalogue(ORIGINAL)

    assert found.given("camera.fps") == words["place.command_line"]
    assert found.given("model.top_k") == str(words["place.line"]).format(line=2, file=file)


def test_the_page_offers_the_languages_of_which_there_are_words() -> None:
    offered = re.search(r"LANGUAGES = \{(.*)\}", PAGE[PurePosixPath("language/language.js")].decode())

    assert offered
    assert dict(re.findall(r"(\w+): \"([^\"]+)\"", offered[1])) == {code: LANGUAGES[code] for code in CODES}
