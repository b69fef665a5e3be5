"""Settings that were set on the page, kept in `settings.toml` of the state folder; the configuration comes before them.

The names of labels and groups are the only ones so far. What else a newer version has written there stays.
"""

import tomllib
from pathlib import Path
from typing import Any

from vitcam.config.names import NameSettings
from vitcam.errors import UsageError
from vitcam.names.active import ActiveNames
from vitcam.names.wanted import NOTHING_WANTED, WantedNames, checked_language, names_in, own_names
from vitcam.storage.state_file import StateFile

_NAMES, _LANGUAGE = "names", "language"
_HEAD = "# Set on the page of vitcam, which rewrites this file. What the configuration says comes before it.\n"


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
        import tomli_w  # most runs never write

        try:
            self._file.write(_HEAD + tomli_w.dumps(sections))
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
        raise ValueError("names is not a section")
    try:
        language = checked_language(given.get(_LANGUAGE))
        own = own_names({label: name for label, name in given.items() if label != _LANGUAGE})
    except UsageError as error:
        raise ValueError(str(error)) from None
    return sections, WantedNames(language, own)
