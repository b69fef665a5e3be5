"""Settings from every layer. Later wins: system file, user's file, named file, environment, `--set`, flags.

Nothing here reads the process's own environment or arguments: they are handed in.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitcam.config import layers
from vitcam.config.check import checked
from vitcam.config.found_tables import FoundTables, table_values
from vitcam.config.layers import COMMAND_LINE, RawSetting, RawTable
from vitcam.config.option import Option
from vitcam.config.settings import Settings, options, sections
from vitcam.errors import ConfigError

__all__ = ["EffectiveSettings", "Settings", "load", "merge_layers"]

log = logging.getLogger(__name__)

DEFAULT = "default"
"""Origin of a setting that was not given."""
SYSTEM_FILE = Path("/etc/vitcam/config.toml")


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """The settings in force, and where each came from."""

    settings: Settings
    origins: dict[str, str]
    """`section.key` -> the file, variable or option it came from; `default` otherwise."""
    warnings: tuple[str, ...]
    """Sentences about what was given and is not used."""

    def configured(self, name: str) -> str:
        """Where a setting came from; empty for the default and for an option of the command line."""
        origin = self.origins[name]
        return "" if origin in (DEFAULT, COMMAND_LINE) else origin

    def rows(self) -> list[tuple[str, Any, str]]:
        """Name, value and origin of every setting, in the order of the file."""
        plain = [
            (name, getattr(getattr(self.settings, option.section), option.key), self.origins[name])
            for name, option in options().items()
        ]
        tables = table_values(self.settings.zones, self.settings.on)
        return plain + [(name, value, self.origins[name]) for name, value in tables if name in self.origins]


def load(
    config: Path | None, sets: Iterable[str], flags: Mapping[str, object], environ: Mapping[str, str]
) -> EffectiveSettings:
    """The settings in force; warnings go to the log. Arguments and errors as in `merge_layers`."""
    effective = merge_layers(config, sets, flags, environ)
    for warning in effective.warnings:
        log.warning("%s", warning)
    return effective


def merge_layers(
    config: Path | None,
    sets: Iterable[str],
    flags: Mapping[str, object],
    environ: Mapping[str, str],
    system_file: Path = SYSTEM_FILE,
) -> EffectiveSettings:
    """Fold every layer into one `Settings`.

    config   file named on the command line; None: the one that VITCAM_CONFIG names, if any
    sets     `section.key=value`, each
    flags    `section.key` -> value of its own option; None: not given
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
    origins = dict.fromkeys(values, DEFAULT)
    tables = FoundTables()
    for raw in raw_settings:
        if isinstance(raw, RawTable):
            tables.add(raw)
            continue
        option = _find(raw)
        values[option.name] = checked(option, raw)
        origins[option.name] = raw.origin
    _check_together(values, origins)
    return EffectiveSettings(_build(values, tables), origins | tables.origins, tuple(warnings))


def _find(raw: RawSetting) -> Option:
    """Raises its `error_class` when no setting has that name."""
    if option := options().get(f"{raw.section}.{raw.key}"):
        return option
    if raw.section not in sections():
        known, what = list(sections()), f"no section is called {raw.section!r}"
    else:
        known = [option.key for option in options().values() if option.section == raw.section]
        what = f"[{raw.section}] has no key {raw.key!r}"
    near = layers.nearest(raw.key if raw.section in sections() else raw.section, known)
    hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
    raise raw.error_class(f"{raw.origin}: {what}; {hint}")


def _check_together(values: Mapping[str, Any], origins: Mapping[str, str]) -> None:
    if values["events.leave"] > values["events.enter"]:
        raise ConfigError(
            f"events.leave is {values['events.leave']:g} ({origins['events.leave']}) and events.enter is "
            f"{values['events.enter']:g} ({origins['events.enter']}); leave may be at most enter"
        )


def _build(values: Mapping[str, Any], tables: FoundTables) -> Settings:
    section_values = {
        section: section_class(**{o.key: values[o.name] for o in options().values() if o.section == section})
        for section, section_class in sections().items()
    }
    return Settings(**section_values, zones=tables.zones(), on=tables.on())
