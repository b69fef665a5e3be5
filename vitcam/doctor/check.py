"""What a check of `vitcam doctor` gets and returns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from vitcam.config.settings import Settings
from vitcam.machine import Machine

Grade = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found."""

    status: Grade
    found: str
    """One line."""
    fix: str = ""
    """What to do or type; empty if all is well."""


@dataclass(frozen=True, slots=True)
class Check:
    """A result under the name of its check."""

    name: str
    status: Grade
    found: str
    fix: str


@dataclass(frozen=True, slots=True)
class CheckContext:
    """The machine and the settings that are checked."""

    settings: Settings
    machine: Machine


CheckFunction = Callable[[CheckContext], CheckResult]
