"""Settings that were set on the page, kept in `settings.toml` of the state folder; the configuration comes before them.

The names of labels and groups are the only ones so far. What else a newer version has written there stays.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vitcam.config.names import NameSettings
from vitcam.errors import UsageError
from vitcam.names.active import ActiveNames
from vitcam.names.wanted import NOTHING_WANTED, WantedNames, checked_language, names_in, own_names
from vitcam.storage.state_file import StateFile

_NAMES, _LANGUAGE = "names", "language"
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class SavedNames:
    """The names that were set on the page.

    folder  the state folder; None: nothing is kept
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / "settings.toml") if folder else None

    def load(self) -> WantedNames:
        """None where nothing was set, or what is there cannot be read: the log says so then."""
        found = self._file.read_if_good(_parsed) if self._file else None
        return found[1] if found else NOTHING_WANTED

    def save(self, names: WantedNames) -> str:
        """Save them; returns why that failed, "" if it did not."""
        if self._file is None:
            return "there is no folder to keep them in"
        found = self._file.read_if_good(_parsed)
        sections = dict(found[0]) if found else {}
        sections[_NAMES] = ({_LANGUAGE: names.language} if names.language else {}) | names_in(names.own)
        try:
            self._file.write(_as_toml(sections))
        except OSError as error:
            return f"{self._file.path} cannot be written: {error.strerror}"
        return ""


def initial_names(names: NameSettings, folder: Path | None) -> ActiveNames:
    """As the configuration says, and as they were set on the page where it says nothing.

    folder  the state folder; None: nothing was kept, and nothing will be
    """
    saved = SavedNames(folder)
    return ActiveNames(names.wanted, saved.load(), saved.save)


def _parsed(text: str) -> tuple[dict[str, Any], WantedNames]:
    """All sections of the file, and the names in it. Raises ValueError if it is damaged."""
    sections = tomllib.loads(text)
    given = sections.get(_NAMES, {})
    if not isinstance(given, dict):
        raise ValueError("names is no section")
    try:
        language = checked_language(given.get(_LANGUAGE))
        own = own_names({label: name for label, name in given.items() if label != _LANGUAGE})
    except UsageError as error:
        raise ValueError(str(error)) from None
    return sections, WantedNames(language, own)


def _as_toml(sections: Mapping[str, Any]) -> str:
    lines = ["# Set on the page of vitcam, which writes this file anew. What the configuration says comes before it."]
    lines += [_line(key, value) for key, value in sections.items() if not isinstance(value, dict)]
    for section, values in sections.items():
        if isinstance(values, dict):
            lines += ["", f"[{_key(section)}]", *(_line(key, value) for key, value in values.items())]
    return "\n".join(lines) + "\n"


def _line(key: str, value: Any) -> str:
    return f"{_key(key)} = {_value(value)}"


def _key(text: str) -> str:
    return text if _BARE_KEY.fullmatch(text) else _text(text)


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(_line(key, each) for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return _text(value) if isinstance(value, str) else json.dumps(value, default=str)


def _text(text: str) -> str:
    """A basic string of TOML, which is one of JSON but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
