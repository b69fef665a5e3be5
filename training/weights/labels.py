"""The labels of a network's outputs: each one printable line, and no two alike."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from vitcam.model.labels import label_lines
from vitcam_training.data.published.imagenet import synsets

NAMED = 5
"""Most labels in a warning."""

log = logging.getLogger(__name__)


def own_names(given: Sequence[str]) -> tuple[str, ...]:
    """A name for every output: `crane` and `crane (2)` for two that are called `crane`, `label 7` for one without.

    What cannot be printed, such as the end of a line, becomes a space.

    given  in the order of the outputs
    """
    plain = [_printable(name) or f"label {i}" for i, name in enumerate(given)]
    taken, names = set(plain), []
    seen: set[str] = set()
    for name in plain:
        own, count = name, 1
        while own in seen or (count > 1 and own in taken):
            count += 1
            own = f"{name} ({count})"
        seen.add(own)
        names.append(own)
    return tuple(names)


def named(source: object, given: Sequence[str]) -> tuple[str, ...]:
    """The same, and a warning that says which outputs got other names than the source gives them."""
    names = own_names(given)
    renamed = [
        f"{old!r} (output {i}) is called {new!r}" for i, (old, new) in enumerate(zip(given, names, strict=True)) if
        unicodedata.normalize("NFC", old).strip() != new
    ]  # fmt: skip
    if renamed:
        more = f" and {len(renamed) - NAMED} more" if len(renamed) > NAMED else ""
        log.warning("%s: %s%s; --labels gives other names", source, ", ".join(renamed[:NAMED]), more)
    return names


def read_labels(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One label a line, and the WordNet id of each where all lines have one.

    A line such as `n01440764 tench, Tinca tinca` is shortened to `tench`, and its id is kept.
    """
    lines = [label for _, label in label_lines(path)]
    if not all(re.match(r"n\d{8} ", line) for line in lines):
        return named(path, lines), ()
    found = synsets(path)
    return named(path, tuple(found.values())), tuple(found)


def _printable(name: str) -> str:
    text = unicodedata.normalize("NFC", name)
    return "".join(each if each.isprintable() else " " for each in text).strip()
