"""Messages between the daemon and its children: a frozen dataclass is one packet of JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def pack(message: "DataclassInstance") -> bytes:
    """A message as one packet."""
    return json.dumps({"type": type(message).__name__.lower(), **asdict(message)}).encode()


def unpack(packet: bytes, kinds: Sequence[type[T]]) -> T:
    """The message of one of these kinds that a packet of `pack` holds; a tuple in it has become a list."""
    fields: dict[str, Any] = json.loads(packet)
    name = fields.pop("type")
    return next(kind for kind in kinds if kind.__name__.lower() == name)(**fields)
