"""Settings that were set on the page, kept in `settings.toml` of the state folder; the configuration comes before them.

They are the names of labels and groups, and the model. What else a newer version has written there stays.
"""

import threading
import tomllib
from pathlib import Path
from typing import Any

from vitcam.config.names import NameSettings
from vitcam.errors import UsageError
from vitcam.names.active import ActiveNames
from vitcam.names.wanted import NOTHING_WANTED, WantedNames, checked_language, names_in, own_names
from vitcam.storage.state_file import StateFile

_NAMES, _LANGUAGE = "names", "language"
_MODEL, _NAME = "model", "name"
_LONGEST_MODEL = 4096  # as a path may be
_HEAD = "# Set on the page of vitcam, which rewrites this file. What the configuration says comes before it.\n"


class PageSettings:
    """What was set on the page. Any thread may call it.

    Where nothing was set, or what is there cannot be read, there is nothing; the log says so.

    folder  the state folder; None: nothing is kept
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / "settings.toml") if folder else None
        self._writing = threading.Lock()

    @property
    def names(self) -> WantedNames:
        """The names of labels and groups."""
        found = self._file.read_if_good(_parsed) if self._file else None
        return found[1] if found else NOTHING_WANTED

    @property
    def model(self) -> str:
        """The name of the model; empty where none was chosen."""
        section = self._sections().get(_MODEL)
        name = section.get(_NAME) if isinstance(section, dict) else None
        return name if isinstance(name, str) and len(name) <= _LONGEST_MODEL else ""

    def save_names(self, names: WantedNames) -> str:
        """Save them; returns why that failed, "" if it did not."""
        return self._save(_NAMES, ({_LANGUAGE: names.language} if names.language else {}) | names_in(names.own))

    def save_model(self, name: str) -> str:
        """Save it, or delete it where it is empty; returns why that failed, "" if it did not."""
        return self._save(_MODEL, {_NAME: name} if name else {})

    def _sections(self) -> dict[str, Any]:
        found = self._file.read_if_good(_parsed) if self._file else None
        return dict(found[0]) if found else {}

    def _save(self, section: str, keys: dict[str, Any]) -> str:
        if self._file is None:
            return "there is no folder to keep it in"
        import tomli_w  # most runs never write

        with self._writing:
            sections = self._sections() | {section: keys}
            try:
                self._file.write(_HEAD + tomli_w.dumps(sections))
            except OSError as error:
                return f"{self._file.path} cannot be written: {error.strerror}"
        return ""


def initial_names(names: NameSettings, page: PageSettings) -> ActiveNames:
    """As the configuration says, and as they were set on the page where it says nothing."""
    return ActiveNames(names.wanted, page.names, page.save_names)


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
