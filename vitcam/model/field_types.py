"""Checks the types in a model file's description, which may be damaged or forged."""

import dataclasses
import math
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints


def check_field_types(value: Any) -> None:
    """Raise ValueError unless every field of a dataclass has the type of its annotation; nested ones, too."""
    for name, hint in get_type_hints(type(value)).items():
        if not _fits(getattr(value, name), hint):
            raise ValueError(f"its {name!r} is {str(getattr(value, name))[:60]!r}, which is no {_word(hint)}")


def _fits(value: Any, hint: Any) -> bool:
    kind, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is float:
        return type(value) in (int, float) and math.isfinite(value)
    if kind is UnionType:
        return any(_fits(value, each) for each in inner)
    if kind is Literal:
        return value in inner
    if kind is dict:
        return isinstance(value, dict) and all(_fits(k, inner[0]) and _fits(v, inner[1]) for k, v in value.items())
    if kind is tuple:
        hints = inner[:1] * len(value) if isinstance(value, tuple) and inner[-1] is ... else inner
        return isinstance(value, tuple) and len(value) == len(hints) and all(map(_fits, value, hints))
    if dataclasses.is_dataclass(hint):
        check_field_types(value)
        return True
    return value is None if hint is type(None) else type(value) is hint


def _word(hint: Any) -> str:
    return {int: "whole number", float: "number", str: "text"}.get(hint, "such value")
