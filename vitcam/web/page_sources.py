"""Where the files of the page lie, by their addresses below `/page/`, and what is made of them before they are served.

Those of the base lie in `vitcam/web/page/` and its folders, those of a part in its folder `page/`. Phrases of a part,
in `page/language/`, go into the catalogues of the base: a viewer loads one file of words. So do its words for sentences
of the daemon, in `page/said/`, which are loaded once there is such a sentence, and the names of its labels, in
`page/labels/`. Those of a view alone lie in a folder `words/` beside its files: they are loaded with the view.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict
from importlib.resources import files
from importlib.resources.abc import Traversable

from vitcam.names.languages import LANGUAGES, ORIGINAL, translations
from vitcam.parts import PARTS

LANGUAGE = "language/"
SAID = "said/"
LABELS = "labels/"
WORDS = "words"
_ENGLISH = "en.json"
SETTINGS = "settings.js"
"""Of a part: its group in the view of settings."""
OFFER = "offer.js"
"""Of a part: something beside the live picture, such as a button. It is loaded with the page.

`new Offer(page)` gets `{isSimple(), strip}`. As far as it wants to know, it is told by `setState(state)`,
`setModel(model)`, and `setLook(look, kind)` of the overlay."""
VIEWS = "part_views.js"
"""The module that tells the page what parts have: views, something beside the live picture, and settings."""


def page_sources() -> dict[str, Traversable]:
    """Every file as it lies, such as `learn/learn.js` -> the file; not the phrases of parts."""
    return {
        prefix + entry.name: entry for prefix, folder in _folders() for entry in folder.iterdir() if entry.is_file()
    }


def page_files() -> dict[str, bytes]:
    """What is served: every file, the catalogues with the phrases of the parts, and the module `VIEWS`."""
    found = {address: entry.read_bytes() for address, entry in page_sources().items()}
    catalogues = {address: json.loads(data) for address, data in found.items() if address.startswith(LABELS)}
    for code in LANGUAGES.keys() - {ORIGINAL}:
        catalogues[f"{LABELS}names.{code}.json"] |= translations(code)
    for address, phrases in _phrases():
        catalogues[address] = catalogues.get(address) or json.loads(found[address])
        catalogues[address] |= phrases
    found |= {
        address: json.dumps(words, ensure_ascii=False, separators=(",", ":")).encode()
        for address, words in catalogues.items()
    }
    tables = {
        "PART_VIEWS": _views(),
        "OFFERS": _parts_with(OFFER),
        "SETTINGS": _parts_with(SETTINGS),
        "WORDS": _worded(),
    }
    found[VIEWS] = "".join(f"export const {name} = {json.dumps(rows)};\n" for name, rows in tables.items()).encode()
    return found


def _folders() -> Iterator[tuple[str, Traversable]]:
    """Beginning of an address, and the folder. The words of a view are served beside its other files."""
    page = files("vitcam.web") / "page"
    yield "", page
    for name, folder in (*((each.name, each) for each in page.iterdir() if each.is_dir()), *_of_parts()):
        yield f"{name}/", folder
        if (words := folder / WORDS).is_dir():
            yield f"{name}/", words


def _of_parts() -> Iterator[tuple[str, Traversable]]:
    """Of each part that has files: its name on the page, and their folder."""
    for part in PARTS:
        folder = files(f"vitcam.parts.{part.name}") / "page"
        if folder.is_dir():
            yield part.page or part.name, folder


def _phrases() -> Iterator[tuple[str, dict[str, object]]]:
    """Address of a catalogue -> what a part adds to it."""
    for _, folder in _of_parts():
        for name in (LANGUAGE, SAID, LABELS):
            phrases = folder / name
            for entry in phrases.iterdir() if phrases.is_dir() else ():
                yield name + entry.name, json.loads(entry.read_bytes())


def _views() -> list[dict[str, object]]:
    """Those of parts, in the order of their links."""
    found = [(part.page or part.name, part.view) for part in PARTS if part.view is not None]
    return [
        {"name": name, "link": f"{name}.link", **asdict(view)}
        for name, view in sorted(found, key=lambda each: each[1].order)
    ]


def _worded() -> list[str]:
    """What has words of its own, by its folder of the page."""
    names = (address.partition("/") for address in page_sources() if address.endswith("/" + _ENGLISH))
    return sorted(name for name, _, file in names if file == _ENGLISH and f"{name}/" not in (LANGUAGE, SAID))


def _parts_with(file: str) -> list[str]:
    """The parts that have such a file, by their names on the page."""
    return [name for name, folder in _of_parts() if (folder / file).is_file()]
