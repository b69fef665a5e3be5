"""The parts of a data set, by the names that people and programs give them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_KINDS = {
    "train": ("train", "training"),
    "calibration": ("calibration", "calib"),
    "heldout": ("heldout", "holdout", "test", "testing", "eval", "evaluation"),
    "validation": ("val", "valid", "validation", "validate", "dev", "development"),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}
_ENDING = re.compile(r"(set|data|split|images?|photos?)?([12]\d{3})?$")  # `testing_set`, `Train Data`, `val2017`
USUAL = tuple(name for names in _KINDS.values() for name in names)


def parts_of(names: Iterable[str]) -> dict[str, str]:
    """Name -> part, `train`, `calibration` or `heldout`, of those that are usual names of parts, in any case.

    What validates is held out, unless something else is: then it calibrates.
    """
    kinds = {name: kind for name in names if (kind := _kind(name))}
    validating = "calibration" if "heldout" in kinds.values() else "heldout"
    return {name: validating if kind == "validation" else kind for name, kind in kinds.items()}


def _kind(name: str) -> str | None:
    plain = re.sub(r"[\W_]", "", name.casefold())
    return _KIND_OF.get(plain) or _KIND_OF.get(_ENDING.sub("", plain))
