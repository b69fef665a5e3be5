"""Settings that were set on the page, kept in `settings.toml` of the state folder; the configuration comes before them.

They are the names of labels and groups, the model, and the settings of `vitcam.config.on_page`. What else a newer
version has written there stays. The address of a camera may hold a password, so only the owner may read the file.
"""

import fcntl
import os
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from vitcam.config.layers import PageLayer
from vitcam.config.names import NameSettings
from vitcam.config.on_page import ON_PAGE
from vitcam.errors import UsageError
from vitcam.names.active import ActiveNames
from vitcam.names.wanted import NOTHING_WANTED, WantedNames, checked_language, names_in, own_names
from vitcam.storage.state_file import StateFile
from vitcam.storage.unsaved import NotWritten, Unsaved

_NAMES, _LANGUAGE = "names", "language"
_MODEL, _NAME = "model", "name"
_LONGEST_MODEL = 4096  # as a path may be
_MOST_LETTERS = 1_000_000  # all names that may be set are a tenth of it
_OTHERS_S = 2.0
_HEAD = "# Set on the page of vitcam, which rewrites this file. What the configuration says comes before it.\n"


class PageSettings:
    """What was set on the page. Any thread may call it.

    Where nothing was set, or what is there cannot be read, there is nothing; the log says so.

    folder  the state folder; None: nothing is kept
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / "settings.toml", private=True) if folder else None
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

    @property
    def layer(self) -> PageLayer:
        """All settings but names and model, as a layer below the configuration."""
        given = {
            f"{section}.{key}": value
            for section, keys in self._sections().items()
            if section != _NAMES and isinstance(keys, dict)
            for key, value in keys.items()
            if (section, key) != (_MODEL, _NAME)
        }
        return PageLayer(str(self._file.path) if self._file else "", given)

    def save_names(self, names: WantedNames) -> str:
        """Save them; returns why that failed, "" if it did not."""
        given = ({_LANGUAGE: names.language} if names.language else {}) | names_in(names.own)
        return self._save(lambda sections: sections | {_NAMES: given})

    def save_model(self, name: str) -> str:
        """Save it, or delete it where it is empty; returns why that failed, "" if it did not."""

        def change(sections: dict[str, Any]) -> dict[str, Any]:
            kept = {key: value for key, value in _section(sections, _MODEL).items() if key != _NAME}
            return sections | {_MODEL: kept | ({_NAME: name} if name else {})}

        return self._save(change)

    def save_settings(self, values: Mapping[str, Any]) -> str:
        """Save these settings of `ON_PAGE` and delete the others; returns why that failed, "" if it did not."""

        def change(sections: dict[str, Any]) -> dict[str, Any]:
            changed = dict(sections)
            for name in sorted(ON_PAGE):
                section, _, key = name.partition(".")
                kept = {each: value for each, value in _section(changed, section).items() if each != key}
                changed[section] = kept | ({key: values[name]} if name in values else {})
            return {section: keys for section, keys in changed.items() if keys or section in sections}

        return self._save(change)

    def _sections(self) -> dict[str, Any]:
        found = self._file.read_if_good(_parsed) if self._file else None
        return dict(found[0]) if found else {}

    def _save(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> str:
        if self._file is None:
            return "there is no folder to keep it in"
        import tomli_w  # most runs never write

        with self._writing, _alone(self._file.path.parent):
            try:
                self._file.write(_HEAD + tomli_w.dumps(change(self._sections())))
            except OSError as error:
                return NotWritten.of(self._file.path, error)
        return ""


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep `vitcam models use` and a run from losing each other's changes. A process that hangs is not waited for.

    source  flock(2)
    """
    try:
        number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:  # it is made by what is written first
        yield
        return
    try:
        ends_s = time.monotonic() + _OTHERS_S
        while not _locked(number) and time.monotonic() < ends_s:
            time.sleep(0.02)
        yield
    finally:
        os.close(number)


def _locked(number: int) -> bool:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _section(sections: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = sections.get(name)
    return found if isinstance(found, dict) else {}


def initial_names(names: NameSettings, page: PageSettings, unsaved: Unsaved | None = None) -> ActiveNames:
    """As the configuration says, and as they were set on the page where it says nothing.

    unsaved  saves changes of them; None: nobody changes them
    """
    saving = unsaved or Unsaved()
    return ActiveNames(names.wanted, page.names, lambda wanted: saving.keep("names", partial(page.save_names, wanted)))


def _parsed(text: str) -> tuple[dict[str, Any], WantedNames]:
    """All sections of the file, and the names in it. Raises ValueError if it is damaged."""
    if len(text) > _MOST_LETTERS:
        raise ValueError("it is too large")
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
