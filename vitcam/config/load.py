"""Settings from every layer. Later wins: page, system file, user's file, named file, environment, `--set`, flags.

Nothing here reads the process's own environment or arguments: they are handed in.
"""

import json
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import Any

from vitcam.config import layers
from vitcam.config.check import Checked, checked
from vitcam.config.layers import COMMAND_LINE, NO_PAGE, PageLayer, RawSetting, RawTable
from vitcam.config.names import OWN_NAME
from vitcam.config.old_motion import OldMotion
from vitcam.config.open_sections import OF_PARTS, OPEN_SECTIONS
from vitcam.config.option import OpenSection, Option
from vitcam.config.page_layer import DEFAULT, settle_page, take_page, unread_of
from vitcam.config.removed import removal_of
from vitcam.config.rules import OrderedRule
from vitcam.config.settings import Settings, options, sections
from vitcam.config.tables import RULES, TABLES, ZoneSettings, table_options
from vitcam.errors import ConfigError, UsageError
from vitcam.names.wanted import MOST, OwnName, checked_label, checked_name, key_of
from vitcam.text import shortened

log = logging.getLogger(__name__)

SYSTEM_FILE = Path("/etc/vitcam/config.toml")
_OF_CAMERAS = ("follow", "rest")  # of `look`; their defaults hold for cameras only


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """The settings in force, and where each came from."""

    settings: Settings
    origins: dict[str, str]
    """`section.key` -> the file, variable or option it came from; `default` otherwise."""
    warnings: tuple[str, ...]
    """Sentences about what was given and is not used."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """`section.key` -> line of the file that it came from, where it is known."""
    page: frozenset[str] = frozenset()
    """Names of the settings that the page set."""
    unread: frozenset[str] = frozenset()
    """Names of those that it set and that cannot be read, so that their defaults are in force."""

    @classmethod
    def of(cls, settings: Settings) -> "EffectiveSettings":
        """Of settings from nowhere."""
        return cls(settings, dict.fromkeys(options(), DEFAULT), ())

    def given(self, name: str) -> str:
        """Where the configuration says it, for people, so that the page cannot change it; empty where it does not.

        name  `section.key`, or `zones`, `on` and the like for the first of several
        """
        found = name if name in self.origins else self._first(name)
        origin = self.origins.get(found, DEFAULT)
        if origin == DEFAULT or found in self.page:
            return ""
        if origin == COMMAND_LINE:
            return f"the {origin}"
        return f"line {self.lines[found]} of {origin}" if self.lines.get(found) else origin

    def configured(self, name: str) -> str:
        """The same; empty also for an option of the command line."""
        return "" if self.origins[name] == COMMAND_LINE else self.given(name)

    def _first(self, prefix: str) -> str:
        return next((name for name in self.origins if name.startswith(f"{prefix}.")), prefix)

    def rows(self) -> list[tuple[str, Any, str]]:
        """Name, value and origin of every setting, in the order of the file."""
        plain = [
            (name, getattr(self.settings.section(option.section), option.key), self.origins[name])
            for name, option in options().items()
        ]
        tables = table_values(self.settings)
        own = [
            (f"{OWN_NAME.section}.{json.dumps(each.label, ensure_ascii=False)}", each.name, each.place)
            for each in self.settings.names.own
        ]
        of_parts = [
            (f"{section}.{key}", value, place)
            for section in OF_PARTS
            for key, value, place in map(astuple, self.settings.section(section).own)
        ]
        return [
            *plain,
            *own,
            *of_parts,
            *((name, value, self.origins[name]) for name, value in tables if name in self.origins),
        ]


def load(
    config: Path | None,
    sets: Iterable[str],
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    page: PageLayer = NO_PAGE,
) -> EffectiveSettings:
    """The settings in force; warnings go to the log. Arguments and errors as in `merge_layers`."""
    effective = merge_layers(config, sets, flags, environ, page=page)
    for warning in effective.warnings:
        log.warning("%s", warning)
    return effective


def merge_layers(
    config: Path | None,
    sets: Iterable[str],
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    system_file: Path = SYSTEM_FILE,
    page: PageLayer = NO_PAGE,
) -> EffectiveSettings:
    """Fold every layer into one `Settings`.

    config   file named on the command line; None: the one that VITCAM_CONFIG names, if any
    sets     `section.key=value`, each
    flags    `section.key` -> value of its own option; None: not given
    page     what was set on the page; what is wrong in it is left out with a warning
    raises   ConfigError for an invalid value in a file, the environment or `sets`; UsageError for one in `flags`
    """
    warnings: list[str] = []
    raw_settings = [
        *layers.from_files(config, environ, system_file),
        *layers.from_environ(environ, warnings),
        *layers.from_sets(sets),
        *layers.from_flags(flags),
    ]
    values = {name: option.default for name, option in options().items()}
    origins, lines = dict.fromkeys(values, DEFAULT), dict[str, int]()
    tables, names = FoundTables(), FoundNames()
    keys = {name: FoundKeys(section) for name, section in OF_PARTS.items()}
    old_motion = OldMotion()
    of_page = take_page(page, values, warnings, old_motion)
    origins |= dict.fromkeys(of_page, page.origin)
    for raw in raw_settings:
        if isinstance(raw, RawTable):
            tables.add(raw)
            continue
        if raw.section in OPEN_SECTIONS and f"{raw.section}.{raw.key}" not in options():
            (names if raw.section == OWN_NAME.section else keys[raw.section]).add(raw)
            continue
        if removal := removal_of(f"{raw.section}.{raw.key}"):
            warnings.append(f"{raw.origin}: {removal}")
            continue
        meant = old_motion.meaning(raw)
        if meant is None:
            continue
        raw = meant
        option = _option_of(raw)
        values[option.name] = checked(option, raw)
        origins[option.name], lines[option.name] = raw.origin, raw.line
        of_page.discard(option.name)
    warnings.extend(old_motion.warnings)
    settle_page(of_page, values, origins, warnings)
    _check_together(values, origins)
    language_place = origins["names.language"].replace(DEFAULT, "")
    settings = _build(values, tables)
    own_names = replace(settings.names, own=names.own(), language_place=language_place)
    unread, why = unread_of(page, origins)
    store = replace(settings.store, unread=why)
    look = replace(settings.look, given=frozenset(key for key in _OF_CAMERAS if origins[f"look.{key}"] != DEFAULT))
    settings = replace(settings, names=own_names, store=store, look=look)
    for name, found in keys.items():
        settings = settings.with_section(name, replace(settings.section(name), own=found.own()))
    return EffectiveSettings(
        settings,
        origins | tables.origins,
        (*tables.warnings, *warnings),
        lines | tables.lines,
        frozenset(of_page),
        unread,
    )


def _option_of(raw: RawSetting) -> Option:
    """Raises its `error_class` when no setting has that name."""
    if option := options().get(f"{raw.section}.{raw.key}"):
        return option
    if raw.section not in sections():
        known, what = list(sections()), f"no section is called {raw.section!r}"
    else:
        known = [option.key for option in options().values() if option.section == raw.section]
        what = f"[{raw.section}] has no key {raw.key!r}"
    hint = _hint(raw.key if raw.section in sections() else raw.section, known)
    raise raw.error_class(f"{raw.origin}: {what}; {hint}")


def _check_together(values: Mapping[str, Any], origins: Mapping[str, str]) -> None:
    if values["events.leave"] > values["events.enter"]:
        raise ConfigError(
            f"events.leave is {values['events.leave']:g} ({origins['events.leave']}) and events.enter is "
            f"{values['events.enter']:g} ({origins['events.enter']}); leave may be at most enter"
        )


def _build(values: Mapping[str, Any], tables: "FoundTables") -> Settings:
    settings = Settings(zones=tables.zones(), rules={key: tables.rules(key) for key in RULES})
    for section, section_class in sections().items():
        given = {option.key: values[option.name] for option in options().values() if option.section == section}
        settings = settings.with_section(section, section_class(**given))
    return settings


class FoundTables:
    """Takes tables in the order of their files, and makes settings of them.

    A zone of a later file changes the keys that it gives. The rules of a later file replace those before.
    """

    def __init__(self) -> None:
        self._values: dict[str, dict[str, dict[str, Checked]]] = {key: {} for key in TABLES}
        self._rules_from: dict[str, str] = {}
        """Key of `RULES` -> the file that its rules come from."""
        self.origins: dict[str, str] = {}
        """`zones.NAME.key` or `on.NUMBER.key` -> the file that it came from."""
        self.lines: dict[str, int] = {}
        """The same -> the line of that file."""
        self.warnings: list[str] = []
        """What is said of keys that are not there any more, once `rules` was called."""
        self._removed: dict[str, dict[str, list[str]]] = {key: {} for key in TABLES}
        """Key of `TABLES` -> name of a table -> keys that it has and that are not there any more."""

    def add(self, raw: RawTable) -> None:
        """Raises ConfigError for a key that is unknown, and for a value that is not allowed."""
        if raw.key in RULES and raw.origin != self._rules_from.get(raw.key):
            self._forget(raw.key)
            self._rules_from[raw.key] = raw.origin
        table = self._values[raw.key].setdefault(raw.name, {})
        for key, value in raw.values.items():
            self.lines[f"{raw.key}.{raw.name}.{key}"] = raw.lines.get(key, 0)
            if removal_of(f"{raw.key}.{key}"):
                self._removed[raw.key].setdefault(raw.name, []).append(key)
                continue
            option = replace(_option_of_table(raw, key), section=f"{raw.key}.{raw.name}")
            table[key] = checked(option, RawSetting(option.section, key, value, raw.origin))
            self.origins[option.name] = raw.origin

    def zones(self) -> tuple[ZoneSettings, ...]:
        """Raises ConfigError where a zone is incomplete or contradicts itself."""
        found = []
        for name, values in self._values["zones"].items():
            zone = ZoneSettings(name, **values)  # type: ignore[arg-type]  # checked by `checked`
            if not zone.rect:
                raise ConfigError(f"[zones.{name}] has no rect; say which part of the picture it is")
            if zone.enter is not None and zone.leave is not None and zone.leave > zone.enter:
                raise ConfigError(
                    f"[zones.{name}]: leave is {zone.leave:g} and enter {zone.enter:g}; leave may be at most enter"
                )
            found.append(zone)
        return tuple(found)

    def rules(self, key: str) -> tuple[OrderedRule, ...]:
        """Those under a key of `RULES`, in their order, each with a name.

        raises  ConfigError for one that does nothing
        """
        found: list[OrderedRule] = []
        for number, values in self._values[key].items():
            removed = self._removed[key].get(number, [])
            place = self._place_of(f"{key}.{number}", self._rules_from[key], (*values, *removed))
            rule = RULES[key](**{"name": number, **values, "place": place})  # type: ignore[arg-type]
            if removed:
                rule = self._without(rule, f"{key}.{removed[0]}")
            elif rule.lacks:
                raise ConfigError(f"[[{key}]] number {number} {rule.lacks}")
            if any(rule.name == other.name for other in found):
                raise ConfigError(f"two [[{key}]] are called {rule.name!r}; give each a name of its own")
            found.append(rule)
        return tuple(found)

    def _without(self, rule: OrderedRule, name: str) -> OrderedRule:
        """A rule without a key that is not there any more, which is said. name: `on.file`"""
        does = "less than it says" if rule.kinds else "nothing"
        said = f"the rule {rule.name} ({rule.place}) does {does}: {removal_of(name)}"
        self.warnings.append(said)
        return rule if rule.kinds else replace(rule, idle=said)

    def _place_of(self, rule: str, file: str, keys: Iterable[str]) -> str:
        """The file of a rule such as `on.2`, and the line of its first key where that is known."""
        lines = [line for key in keys if (line := self.lines.get(f"{rule}.{key}"))]
        return f"line {min(lines)} of {file}" if lines else file

    def _forget(self, key: str) -> None:
        self._values[key], self._removed[key] = {}, {}
        self.origins = {name: origin for name, origin in self.origins.items() if not name.startswith(f"{key}.")}


class FoundNames:
    """Takes names of your own in the order of their places; a later one changes what it names again."""

    def __init__(self) -> None:
        self._found: dict[str, OwnName] = {}

    def add(self, raw: RawSetting) -> None:
        """Raises the error class of `raw` for a label or a name that is not allowed, and for one that comes twice."""
        try:
            own = OwnName(checked_label(raw.key), checked_name(raw.key, raw.value), raw.origin)
        except UsageError as error:
            raise raw.error_class(f"{raw.origin}: {error}") from error
        before = self._found.pop(key_of(own.label), None)
        if before is not None and before.place == raw.origin:
            raise raw.error_class(f"{raw.origin}: [names] names {before.label!r} twice; leave out one of the two")
        if len(self._found) >= MOST:
            raise raw.error_class(f"{raw.origin}: there are more than {MOST:,} names of your own; leave some out")
        self._found[key_of(own.label)] = own

    def own(self) -> tuple[OwnName, ...]:
        """All of them."""
        return tuple(self._found.values())


class FoundKeys:
    """Takes the keys of an open section in the order of their places; a later one changes what the same key says."""

    def __init__(self, section: OpenSection) -> None:
        self._section = section
        self._found: dict[str, Any] = {}

    def add(self, raw: RawSetting) -> None:
        """Raises the error class of `raw` for a key or a value that is not allowed."""
        its = self._section
        if not its.key.fullmatch(raw.key):
            said = f"{shortened(raw.key)!r} cannot name a {its.names}; use {its.key_words}"
            raise raw.error_class(f"{raw.origin}: {said}")
        value = str(checked(replace(its.each, key=raw.key), raw)).strip()
        self._found[raw.key] = its.entry(raw.key, value, raw.origin)
        if len(self._found) > its.most:
            said = f"there are more than {its.most} {its.names}s in [{raw.section}]; leave some out"
            raise raw.error_class(f"{raw.origin}: {said}")

    def own(self) -> tuple[Any, ...]:
        """All of them."""
        return tuple(self._found.values())


def table_values(settings: Settings) -> Iterator[tuple[str, object]]:
    """Name, as in `FoundTables.origins`, and value of everything in zones and rules."""
    named = [(f"zones.{zone.name}", "zones", zone) for zone in settings.zones]
    numbered = [
        (f"{key}.{number}", key, rule) for key, rules in settings.rules.items() for number, rule in enumerate(rules, 1)
    ]
    for prefix, key, table in (*named, *numbered):
        for option in table_options(key):
            yield f"{prefix}.{option}", getattr(table, option)


def _option_of_table(raw: RawTable, key: str) -> Option:
    """Raises ConfigError when tables of this kind have no such key."""
    known = table_options(raw.key)
    if key in known:
        return known[key]
    what = f"{TABLES[raw.key].heading} has no key {shortened(key)!r}"
    raise ConfigError(f"{raw.origin}: {what}; {_hint(key, known)}")


def _hint(word: str, known: Collection[str]) -> str:
    """What may be meant by a word that is not known."""
    near = layers.nearest(word, known)
    return f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
