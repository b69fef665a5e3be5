"""Zones and rules from every file. A zone of a later file changes the keys it gives; its rules replace those before."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from vitcam.config import layers
from vitcam.config.check import Checked, checked
from vitcam.config.layers import RawSetting, RawTable
from vitcam.config.option import Option
from vitcam.config.tables import ACTIONS, TABLES, OnSettings, ZoneSettings, table_options
from vitcam.errors import ConfigError


class FoundTables:
    """Takes tables in the order of their files, and makes settings of them."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, dict[str, Checked]]] = {key: {} for key in TABLES}
        self._rules_from = ""
        self.origins: dict[str, str] = {}
        """`zones.NAME.key` or `on.NUMBER.key` -> the file that it came from."""

    def add(self, raw: RawTable) -> None:
        """Raises ConfigError for a key that is unknown, and for a value that is not allowed."""
        if not TABLES[raw.key].named and raw.origin != self._rules_from:
            self._forget(raw.key)
            self._rules_from = raw.origin
        table = self._values[raw.key].setdefault(raw.name, {})
        for key, value in raw.values.items():
            option = replace(_find(raw, key), section=f"{raw.key}.{raw.name}")
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

    def on(self) -> tuple[OnSettings, ...]:
        """The rules, in their order, each with a name. Raises ConfigError for one that does nothing."""
        found: list[OnSettings] = []
        for number, values in self._values["on"].items():
            rule = OnSettings(**{"name": number, **values})  # type: ignore[arg-type]
            if not rule.kinds:
                raise ConfigError(f"[[on]] number {number} does nothing; give it one of {', '.join(ACTIONS)}")
            if any(rule.name == other.name for other in found):
                raise ConfigError(f"two [[on]] are called {rule.name!r}; give each a name of its own")
            found.append(rule)
        return tuple(found)

    def _forget(self, key: str) -> None:
        self._values[key] = {}
        self.origins = {name: origin for name, origin in self.origins.items() if not name.startswith(f"{key}.")}


def table_values(zones: Iterable[ZoneSettings], on: Iterable[OnSettings]) -> Iterator[tuple[str, object]]:
    """Name, as in `FoundTables.origins`, and value of everything in zones and rules."""
    named = [(f"zones.{zone.name}", "zones", zone) for zone in zones]
    numbered = [(f"on.{number}", "on", rule) for number, rule in enumerate(on, 1)]
    for prefix, key, table in (*named, *numbered):
        for option in table_options(key):
            yield f"{prefix}.{option}", getattr(table, option)


def _find(raw: RawTable, key: str) -> Option:
    """Raises ConfigError when tables of this kind have no such key."""
    known = table_options(raw.key)
    if key in known:
        return known[key]
    near = layers.nearest(key, known)
    hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
    raise ConfigError(f"{raw.origin}: {TABLES[raw.key].heading} has no key {layers.shortened(key)!r}; {hint}")
