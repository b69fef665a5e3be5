"""The places that settings are given in. In: paths, variables, options. Out: unchecked values and origins."""

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vitcam.config.lines import lines_of
from vitcam.config.open_sections import OPEN_SECTIONS
from vitcam.config.settings import options, sections
from vitcam.config.tables import TABLES
from vitcam.errors import ConfigError, UsageError, VitcamError
from vitcam.folders import config_folder
from vitcam.look.areas import ZONE_NAME
from vitcam.redaction import redacted
from vitcam.storage.reading import read_given, text_of
from vitcam.text import shortened

COMMAND_LINE = "command line"
"""Where a setting came from that an option of its own gave."""
_SET = re.compile(r"\s*([\w-]+)\.([\w-]+)\s*=(.*)", re.DOTALL)
_SET_NAME = re.compile(r"\s*(names)\.\s*\"?([^=\"]+?)\"?\s*=(.*)", re.DOTALL)
_MOST_BYTES = 65_536  # ten times the file with every setting: the parser takes minutes for hostile megabytes
MOST_TABLES = 64
NOT_SETTINGS = frozenset({"VITCAM_CONFIG", "VITCAM_DATA", "VITCAM_REQUIRE", "VITCAM_WEB_PASSWORD"})


@dataclass(frozen=True, slots=True)
class RawSetting:
    """A value as it was given, before it is checked."""

    section: str
    key: str
    value: object
    origin: str
    """The file, variable or option that it comes from."""
    is_text: bool = False
    """True: the place knows only text, so that "8421" may mean a number."""
    error_class: type[VitcamError] = ConfigError
    """What is raised if the value is invalid."""
    line: int = 0
    """Of the file; 0: it is no file, or nobody knows."""


@dataclass(frozen=True, slots=True)
class RawTable:
    """One of several tables as it was given, before it is checked: a `[zones.NAME]` or an `[[on]]`."""

    key: str
    """Of `TABLES`."""
    name: str
    """Its own, or its number from 1."""
    values: Mapping[str, object]
    origin: str
    """The file that it comes from."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """Of its keys, where they are known."""


@dataclass(frozen=True, slots=True)
class PageLayer:
    """What was set on the page. It lies below all other places, and what is wrong in it is left out."""

    origin: str = ""
    """The file that keeps it."""
    values: Mapping[str, object] = field(default_factory=dict)
    """`section.key` -> value, as TOML gives it."""
    unread: str = ""
    """Why nobody knows what was set there, as the end of a sentence; empty where that is known."""

    def __iter__(self) -> Iterator[RawSetting]:
        for name, value in self.values.items():
            section, _, key = name.partition(".")
            yield RawSetting(section, key, value, self.origin)


NO_PAGE: PageLayer = PageLayer()


def from_files(config: Path | None, environ: Mapping[str, str], system_file: Path) -> Iterator[RawSetting | RawTable]:
    """The system's file and the user's, where they exist; then the named file, which must exist."""
    folder = config_folder(environ)
    for path in (system_file, folder / "config.toml" if folder else None):
        if path is not None and _visible(path):
            yield from _from_file(path, str(path))
    if config is not None:
        yield from _from_file(config, str(config))
    elif named := environ.get("VITCAM_CONFIG"):
        yield from _from_file(Path(named), f"{named} (VITCAM_CONFIG)")


def from_environ(environ: Mapping[str, str], warnings: list[str]) -> Iterator[RawSetting]:
    """`VITCAM_<SECTION>_<KEY>`; appends a warning for a variable that looks like a setting and is none."""
    for variable in sorted(environ):
        if not variable.startswith("VITCAM_") or variable in NOT_SETTINGS:
            continue
        section, _, key = variable.removeprefix("VITCAM_").lower().partition("_")
        if section in OPEN_SECTIONS and f"{section}.{key}" not in options():
            raise ConfigError(f"{variable}: its keys can only be given in a file, below [{section}], or with --set")
        if section in sections():
            yield RawSetting(section, key, environ[variable], variable, is_text=True)
        elif section in TABLES:
            raise ConfigError(f"{variable}: {section} can only be given in a file, as {TABLES[section].heading}")
        elif near := nearest(section, sections()):
            raise ConfigError(f"{variable}: no section is called {section!r}; did you mean VITCAM_{near.upper()}_…?")
        else:  # may belong to another program, such as a container's image tag
            warnings.append(f"{variable} is not a setting and was ignored; the sections are {', '.join(sections())}")


def from_sets(sets: Iterable[str]) -> Iterator[RawSetting]:
    """`section.key=value`, each."""
    for text in sets:
        found = _SET.fullmatch(text) or _SET_NAME.fullmatch(text)
        if (key := text.split(".", 1)[0].strip()) in TABLES:
            raise ConfigError(f"--set {key}: {key} can only be given in a file, as {TABLES[key].heading}")
        if not found:
            raise ConfigError(f"--set {shortened(redacted(text))}: is not section.key=value, such as web.port=8421")
        section, key, value = found.groups()
        yield RawSetting(section, key, value.strip(), f"--set {section}.{key}", is_text=True)


def from_flags(flags: Mapping[str, object]) -> Iterator[RawSetting]:
    """`section.key` -> value; None: the option was not given."""
    for name, value in flags.items():
        if value is not None:
            section, _, key = name.partition(".")
            yield RawSetting(section, key, value, COMMAND_LINE, error_class=UsageError)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like it; None if none is."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return found[0] if found else None


def _visible(path: Path) -> bool:
    try:
        path.stat()
    except OSError:  # not there, or in a folder that this user may not read (ProtectHome=): not meant for this process
        return False
    return True


def _from_file(path: Path, origin: str) -> Iterator[RawSetting | RawTable]:
    try:
        content = read_given(path, _MOST_BYTES)
    except OSError as error:
        raise ConfigError(f"{origin}: cannot be read: {error.strerror}; name a TOML file that can") from error
    try:
        text = text_of(content)
    except ValueError as error:
        raise ConfigError(f"{origin}: {error}") from error
    try:
        given = tomllib.loads(text)
    except ValueError as error:
        raise ConfigError(f"{origin}: is not TOML: {error}") from error
    except RecursionError:
        raise ConfigError(
            f"{origin}: its brackets are nested too deeply; no setting needs more than one list"
        ) from None
    lines = lines_of(text)
    for section, table in given.items():
        if section in TABLES:
            yield from _tables(section, table, origin, lines)
            continue
        if not isinstance(table, dict):
            raise ConfigError(f"{origin}: {shortened(section)!r} is not a section; {_remedy(section)}")
        for key, value in table.items():
            line = lines.get(f"{section}.{key}", 0)
            key = key if section in OPEN_SECTIONS else shortened(key)
            yield RawSetting(shortened(section), key, value, origin, line=line)


def _tables(key: str, found: object, origin: str, lines: Mapping[str, int]) -> Iterator[RawTable]:
    """Raises ConfigError where these are not several tables."""
    named = TABLES[key].named
    several = isinstance(found, dict if named else list)
    pairs = list(found.items() if isinstance(found, dict) else enumerate(found, 1) if isinstance(found, list) else ())
    if not several or not all(isinstance(table, dict) for _, table in pairs):
        raise ConfigError(
            f"{origin}: {key!r} is not a list of tables; write {TABLES[key].heading} above the keys of each"
        )
    if len(pairs) > MOST_TABLES:
        raise ConfigError(f"{origin}: there are {len(pairs):,} × {TABLES[key].heading}; allowed are {MOST_TABLES}")
    for name, table in pairs:
        if named and not ZONE_NAME.fullmatch(name):
            raise ConfigError(
                f"{origin}: {shortened(name)!r} cannot be the name of a zone; use up to 32 letters, digits, - and _"
            )
        known = {each: lines.get(f"{key}.{name}.{each}", 0) for each in table}
        yield RawTable(key, str(name), table, origin, known)


def _remedy(word: str) -> str:
    if word in sections():
        return f"write [{word}] on a line of its own, its keys below"
    homes = [option.section for option in options().values() if option.key == word]
    return f"write it below [{homes[0]}]" if homes else f"the sections are {', '.join(sections())}"
