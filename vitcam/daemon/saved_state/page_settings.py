"""Settings that were set on the page, kept in `settings.toml` of the state folder; the configuration comes before them.

They are the names of labels and groups, the model, and the settings of `vitcam.config.on_page`. What else a newer
version has written there stays, and so does what cannot be read: it costs itself, and no other setting. The address of
a camera may hold a password, so only the owner may read the file.

The names of labels stand below `[names]`, where `language` is no label. A label that is called so stands below
`[labels]`, which has no keys but labels.
"""

import fcntl
import logging
import os
import re
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from vitcam.config.layers import PageLayer
from vitcam.config.names import NameSettings
from vitcam.config.on_page import ON_PAGE
from vitcam.errors import UsageError
from vitcam.names.active import ActiveNames
from vitcam.names.wanted import (
    MOST,
    OwnName,
    WantedNames,
    checked_label,
    checked_language,
    checked_name,
    key_of,
    names_in,
)
from vitcam.storage.entries import Entries
from vitcam.storage.state_file import StateFile
from vitcam.storage.unsaved import NotWritten, Unsaved

log = logging.getLogger(__name__)

_NAMES, _LANGUAGE, _LABELS = "names", "language", "labels"
_CODE = re.compile(r"[a-z]{2,3}([-_]\w+)?")
"""A language, also one that this version does not know."""
_MODEL, _NAME = "model", "name"
_LONGEST_MODEL = 4096  # as a path may be
_MOST_LETTERS = 1_000_000  # all names that may be set are a tenth of it
_OTHERS_S = 2.0
_STORE = "store"
_DAMAGE, _SENTENCE = "damage", "sentence"
"""Where a file that was damaged is remembered until somebody says how long events are to be kept."""
_HEAD = "# Set on the page of vitcam, which rewrites this file. What the configuration says comes before it.\n"


class PageSettings:
    """What was set on the page. Any thread may call it.

    Where nothing was set there is nothing. What cannot be read counts as not set, and the log says so.

    folder  the state folder; None: nothing is kept
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = StateFile(folder / "settings.toml", private=True) if folder else None
        self._writing = threading.Lock()
        self._unread = ""
        """Why the file could not be read the last time; empty if it could."""

    @property
    def names(self) -> WantedNames:
        """The names of labels and groups."""
        found = _Names.of(self._sections())
        if left_out := [*found.labels.unread, *found.own.unread]:
            path, first = self._file and self._file.path, left_out[0]
            log.warning("%s: %d names are left out; the first one: %s", path, len(left_out), first.reason)
        return WantedNames(found.language, (*found.own, *found.labels))

    @property
    def model(self) -> str:
        """The name of the model; empty where none was chosen."""
        name = _section(self._sections(), _MODEL).get(_NAME)
        return name if isinstance(name, str) and len(name) <= _LONGEST_MODEL else ""

    @property
    def layer(self) -> PageLayer:
        """All settings but names and model, as a layer below the configuration."""
        sections = self._sections()
        given = {
            f"{section}.{key}": value
            for section, keys in sections.items()
            if section not in (_NAMES, _LABELS, _DAMAGE) and isinstance(keys, dict)
            for key, value in keys.items()
            if (section, key) != (_MODEL, _NAME)
        }
        damage = _section(sections, _DAMAGE).get(_SENTENCE)
        unread = self._unread or (damage if isinstance(damage, str) else "")
        if not isinstance(sections.get(_STORE, {}), dict):
            unread = unread or f"{_STORE} is no table in {self._file and self._file.path}"
        return PageLayer(str(self._file.path) if self._file else "", given, unread)

    def save_names(self, names: WantedNames) -> str:
        """Save them; returns why that failed, "" if it did not."""
        return self._save(lambda sections: _Names.of(sections).written(sections, names))

    def save_model(self, name: str) -> str:
        """Save it, or delete it where it is empty; returns why that failed, "" if it did not."""

        def change(sections: dict[str, Any]) -> dict[str, Any]:
            kept = {key: value for key, value in _section(sections, _MODEL).items() if key != _NAME}
            return sections | {_MODEL: kept | ({_NAME: name} if name else {})}

        return self._save(change)

    def save_settings(self, layer: PageLayer) -> str:
        """Save the settings of `ON_PAGE` in a layer and delete the others; returns why that failed, "" if it did not.

        That the file was damaged is forgotten where the layer does not know it any more.
        """

        def change(sections: dict[str, Any]) -> dict[str, Any]:
            is_over = not layer.unread and _SENTENCE in _section(sections, _DAMAGE)
            changed = {section: keys for section, keys in sections.items() if section != _DAMAGE or not is_over}
            for name in sorted(ON_PAGE):
                section, _, key = name.partition(".")
                if name in layer.values:
                    changed[section] = _section(changed, section) | {key: layer.values[name]}
                elif isinstance(found := changed.get(section), dict):
                    changed[section] = {each: value for each, value in found.items() if each != key}
            return changed

        return self._save(change)

    def _sections(self) -> dict[str, Any]:
        """All that stands in the file. One that is damaged is set aside, and the next one remembers that."""
        self._unread = ""
        if self._file is None:
            return {}
        path = self._file.path
        try:
            return self._file.read(_parsed) or {}
        except OSError as error:
            self._unread = f"{path} cannot be read: {error.strerror}"
            log.warning("%s; vitcam runs without it", self._unread)
            return {}
        except ValueError as error:
            day = datetime.now(UTC).date().isoformat()
            sentence = f"{path} was found damaged on {day}, and what was set on the page is lost"
            found = {_DAMAGE: {_SENTENCE: sentence}}
            aside = self._file.begin_again(_written(found))
            log.warning("%s is damaged (%s) and there is no good copy of it; %s", path, error, aside)
            return found

    def _save(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> str:
        if self._file is None:
            return "there is no folder to keep it in"
        with self._writing, _alone(self._file.path.parent):
            try:
                self._file.write(_written(change(self._sections())))
            except OSError as error:
                return NotWritten.of(self._file.path, error)
        return ""


def _written(sections: Mapping[str, Any]) -> str:
    import tomli_w  # most runs never write

    return _HEAD + tomli_w.dumps(sections)


@dataclass(frozen=True, slots=True)
class _Names:
    """What a file says of names."""

    language: str
    own: Entries[OwnName]
    """Below `[names]`."""
    labels: Entries[OwnName]
    """Below `[labels]`."""
    unread_language: Mapping[str, Any] = field(default_factory=dict)
    """`language` as it stands there, where this version does not know it."""

    @classmethod
    def of(cls, sections: Mapping[str, Any]) -> "_Names":
        """What cannot be read of it is left out."""
        names, labels = dict(_section(sections, _NAMES)), dict(_section(sections, _LABELS))
        language, unread = names.pop(_LANGUAGE, None), dict[str, Any]()
        try:
            known = checked_language(language)
        except UsageError:
            known = ""
            if isinstance(language, str) and not _CODE.fullmatch(language):
                labels.setdefault(_LANGUAGE, language)  # before 0.3 the name of a label that is called so stood there
            else:
                unread = {_LANGUAGE: language}
        keys: set[str] = set()

        def read(label: str, name: Any) -> OwnName:
            own = OwnName(checked_label(label), checked_name(label, name))
            if (key := key_of(own.label)) in keys:
                raise UsageError(f"{label!r} is named twice")
            keys.add(key)
            return own

        return cls(known, Entries.of_table(names, read, MOST), Entries.of_table(labels, read, MOST), unread)

    def written(self, sections: Mapping[str, Any], names: WantedNames) -> dict[str, Any]:
        """All sections with these names in place of those."""
        own = names_in(names.own)
        language = {_LANGUAGE: names.language} if names.language else self.unread_language
        apart = {label: own.pop(label) for label in [*own] if label == _LANGUAGE or label in self.labels.values}
        labels = self.labels.table(apart)
        is_table = isinstance(sections.get(_LABELS), dict)
        kept = {section: keys for section, keys in sections.items() if section != _LABELS or not is_table}
        return kept | {_NAMES: {**language, **self.own.table(own)}} | ({_LABELS: labels} if labels else {})


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


def _parsed(text: str) -> dict[str, Any]:
    """All sections of the file. Raises ValueError if it is damaged."""
    if len(text) > _MOST_LETTERS:
        raise ValueError("it is too large")
    if not text.strip():  # as a disk leaves it that lost power; vitcam writes a first line
        raise ValueError("it is empty")
    return tomllib.loads(text)
