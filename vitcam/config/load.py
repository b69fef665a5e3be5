"""Settings from every layer. Later wins: system file, user's file, named file, environment, `--set`, flags.

Nothing here reads the process's own environment or arguments: they are handed in.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vitcam.config import layers
from vitcam.config.layers import COMMAND_LINE, RawSetting
from vitcam.config.settings import Option, Settings, options, sections
from vitcam.errors import ConfigError
from vitcam.redaction import redacted

__all__ = ["EffectiveSettings", "Settings", "load", "merge_layers"]

log = logging.getLogger(__name__)

DEFAULT = "default"
"""Origin of a setting that was not given."""
SYSTEM_FILE = Path("/etc/vitcam/config.toml")
_YES = frozenset({"true", "yes", "on", "1"})
_NO = frozenset({"false", "no", "off", "0"})


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
        return [
            (name, getattr(getattr(self.settings, option.section), option.key), self.origins[name])
            for name, option in options().items()
        ]


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
    for raw in raw_settings:
        option = _find(raw)
        values[option.name] = _checked(option, raw)
        origins[option.name] = raw.origin
    _check_together(values, origins)
    return EffectiveSettings(_build(values), origins, tuple(warnings))


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


def _checked(option: Option, raw: RawSetting) -> bool | int | float | str | tuple[str, ...]:
    """The value as the setting's own type; raises its `error_class` when it has another type or is out of range."""
    value = raw.value
    if raw.is_text and option.kind is not str:
        value = _parsed(option.kind, str(value))
    if not _fits(option, value):
        raise raw.error_class(f"{raw.origin}: {option.name} is {_as_written(raw.value)}; allowed is {option.allowed}")
    # a float may be written as a whole number, and TOML has lists
    checked: bool | int | float | str | tuple[str, ...] = option.kind(value)
    return checked


def _parsed(kind: type[Any], text: str) -> object:
    """The environment and `--set` know only text; None when it does not say a value of this kind."""
    if kind is tuple:
        return [part.strip() for part in text.split(",") if part.strip()]
    if kind is bool:
        return text.lower() in _YES if text.lower() in _YES | _NO else None
    try:
        return kind(text)
    except ValueError:
        return None


def _fits(option: Option, value: object) -> bool:
    if option.choices:
        return type(value) is option.kind and value in option.choices  # True is 1, but no choice
    if option.kind is tuple:
        return isinstance(value, list) and all(
            isinstance(part, str) and part and _plain(option, part) for part in value
        )
    if option.kind is str:
        return isinstance(value, str) and _plain(option, value)
    if option.kind is bool or isinstance(value, bool):
        return option.kind is bool and isinstance(value, bool)
    if not isinstance(value, int if option.kind is int else (int, float)):
        return False
    low, high = option.rule.low, option.rule.high
    return (low is None or value >= low) and (high is None or value <= high)


def _plain(option: Option, text: str) -> bool:
    rule = option.rule
    if not text.strip():
        return not rule.filled and "\0" not in text
    return "\0" not in text and (rule.form is None or rule.form(text))


def _check_together(values: Mapping[str, Any], origins: Mapping[str, str]) -> None:
    if values["events.leave"] > values["events.enter"]:
        raise ConfigError(
            f"events.leave is {values['events.leave']:g} ({origins['events.leave']}) and events.enter is "
            f"{values['events.enter']:g} ({origins['events.enter']}); leave may be at most enter"
        )


def _build(values: Mapping[str, Any]) -> Settings:
    section_values = {
        section: section_class(**{o.key: values[o.name] for o in options().values() if o.section == section})
        for section, section_class in sections().items()
    }
    return Settings(**section_values)


def _as_written(value: object) -> str:
    """As it would be written in the file, without secrets; a long value is shortened."""
    text = str(value).lower() if isinstance(value, bool) else repr(redacted(value) if isinstance(value, str) else value)
    return text if len(text) <= 60 else text[:57] + "…"
