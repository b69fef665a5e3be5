"""A number or a switch of a part that a household's system may show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Entity:
    """One of them, which reads a field of the state."""

    key: str
    """Its own, among all of a camera."""
    shows: str
    """The field of `/api/state`, such as `heat.celsius`."""
    platform: str
    """As Home Assistant has it, such as `sensor`."""
    name: str
    """For people."""
    more: Mapping[str, Any]
    """Further fields of its discovery message, such as the unit."""
