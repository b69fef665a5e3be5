"""What differs between the settings of a run and new ones: what the run can take over, and what needs a restart."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

from vitcam.config.names import OWN_NAME
from vitcam.config.open_sections import OPEN_SECTIONS
from vitcam.config.settings import Settings, options
from vitcam.config.tables import TABLES


@dataclass(frozen=True, slots=True)
class Changes:
    """Names of settings whose value is another one, in the order of the file: `section.key`, or a key of a table."""

    live: tuple[str, ...]
    """The run can take these over."""
    restart: tuple[str, ...]
    """These need a restart."""

    @classmethod
    def between(cls, running: Settings, wanted: Settings) -> Self:
        """From the settings of a run to new ones."""
        changed = [
            name
            for name, option in options().items()
            if option.section not in OPEN_SECTIONS and _value(running, name) != _value(wanted, name)
        ]
        live, restart = (tuple(name for name in changed if options()[name].rule.live is kind) for kind in (True, False))
        tables = tuple(key for key in (*TABLES, *OPEN_SECTIONS) if _whole(running, key) != _whole(wanted, key))
        return cls(live + tables, restart)

    def touch(self, section: str) -> bool:
        """Whether the run takes over a setting of this section."""
        return any(name.partition(".")[0] == section for name in self.live)

    def __str__(self) -> str:
        """One sentence."""
        if not (self.live or self.restart):
            return "no setting has changed"
        used = f"new values are used for {_listed(self.live)}" if self.live else ""
        return "; ".join(filter(None, (used, self.restart_sentence)))

    @property
    def restart_sentence(self) -> str:
        """What needs a restart; empty if nothing does."""
        return f"a restart is needed for {_listed(self.restart)}" if self.restart else ""


def with_changes(running: Settings, wanted: Settings, names: Iterable[str]) -> Settings:
    """The settings of a run with the new values of these settings."""
    for name in names:
        section, _, key = name.partition(".")
        changed = replace(running.section(section), **{key: _value(wanted, name)}) if key else wanted.table(section)
        running = running.with_section(section, changed)
    store = replace(running.store, unread=wanted.store.unread)
    return replace(running, store=store, look=replace(running.look, given=wanted.look.given))


def _value(settings: Settings, name: str) -> Any:
    section, _, key = name.partition(".")
    return getattr(settings.section(section), key)


def _whole(settings: Settings, key: str) -> Any:
    """Of a language also where it is set: one that is set is in force, and one of the page is not any more."""
    value = settings.table(key)
    return (value, value.language_place) if key == OWN_NAME.section else value


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
