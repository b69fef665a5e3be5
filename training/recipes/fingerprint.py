"""Which settings a recipe has, in a few digits: two runs of a name may differ in what the name does not say."""

from __future__ import annotations

import hashlib
import json
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import Any

from vitcam_training.recipes.recipe import AboutRecipe, Recipe


def fingerprint(recipe: Recipe) -> str:
    """Of all that decides how a network is trained; an option that is added later and left alone does not change it."""
    return digits(chosen(replace(recipe, about=AboutRecipe())))


def digits(settings: Any) -> str:
    """Eight digits for anything that JSON can write."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:8]


def chosen(value: Any) -> Any:
    """A recipe, or a part of one, as nested dicts of the fields that are not at their defaults."""
    if isinstance(value, tuple):
        return [chosen(part) for part in value]
    if not is_dataclass(value):
        return value
    return {f.name: chosen(v) for f in fields(value) if (v := getattr(value, f.name)) != _default(f)}


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default
