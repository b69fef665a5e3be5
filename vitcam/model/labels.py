"""A model's labels: as many as it gives probabilities, and whether those that others ask for are among them.

One with a typing error would never begin an event. And which of them are the most probable ones.
"""

import difflib
import math
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from vitcam.errors import ModelError, UsageError
from vitcam.frames import UNKNOWN
from vitcam.names.wanted import key_of
from vitcam.storage.reading import read_given, text_of
from vitcam.text import shortened

_MOST_BYTES = 2**20
_LINE_ENDS = re.compile(r"\r\n|\r|\n")
_NUMBERED = re.compile(r"(\d{1,6})\s*[\s:,;]\s*(\S.*)")


def read_labels(path: Path) -> tuple[str, ...]:
    """The labels in a text file, one a line.

    raises  UsageError if it cannot be read, is not in UTF-8, or gives a label twice
    """
    lines = label_lines(path)
    first: dict[str, int] = {}
    for number, label in lines:
        if (before := first.setdefault(label, number)) != number:
            raise UsageError(
                f"the labels {path} give {shortened(label)!r} twice, on the lines {before} and {number}; give each "
                "label a name of its own"
            )
    return tuple(first)


def label_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a file of labels, with their numbers from 1, in the order of the model's outputs.

    Where each line begins with a number of its own from 0 on, as `0 Cat`, that says the order and belongs to no label.

    raises  UsageError if it cannot be read, or is not in UTF-8
    """
    try:
        lines = _LINE_ENDS.split(text_of(read_given(path, _MOST_BYTES)))
    except OSError as error:
        raise UsageError(f"the labels {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"the labels {path} cannot be read: {error}") from error
    return _without_numbers([(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()])


def _without_numbers(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    found = [(number, _NUMBERED.fullmatch(line)) for number, line in lines]
    ordered = sorted((int(each[1]), number, each[2]) for number, each in found if each)
    if not lines or [place for place, _, _ in ordered] != list(range(len(lines))):
        return list(lines)
    return [(number, label) for _, number, label in ordered]


def check_labels(path: Path, labels: tuple[str, ...], probabilities: int) -> None:
    """Raise ModelError unless there is one label for each probability."""
    if not labels:
        raise ModelError(f"{path} carries no labels; give a text file with one label a line by --labels")
    if len(labels) != probabilities:
        raise ModelError(
            f"{path} gives {probabilities} probabilities, but there are {len(labels)} labels; they must match"
        )


def unknown_labels(asked_for: Iterable[tuple[str, str]], known: Collection[str]) -> list[str]:
    """A sentence for each label that somebody asks for and that is not known.

    asked_for  labels, and who asks for each: `("cat", "the zone door watches")`
    known      every name of a label or a group
    """
    keys = {UNKNOWN, *map(key_of, known)}
    return [
        f"the model knows no label or group {shortened(label)!r}, which {who}; {_hint(label, known)}"
        for label, who in asked_for
        if key_of(label) not in keys
    ]


def _hint(label: str, known: Collection[str]) -> str:
    """What may be meant: the same word in other case, before any other that looks like it."""
    by_case = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(label.casefold(), by_case, n=1)
    return f"did you mean {by_case[near[0]]!r}?" if near else "`vitcam models show NAME` lists what it knows"


def most_probable(probabilities: NDArray[Any], count: int) -> list[int]:
    """The indices of the `count` most probable labels, best first; of those that share a place, the first one.

    After an inference the caches are cold, so one call into NumPy and plain Python for the rest are fastest.

    probabilities  (C,)
    raises         ValueError where the best of them are not finite; NaN counts as the largest
    """
    more = count + 1  # with the next one, to see whether the last place is shared
    many = len(probabilities) > more
    places = probabilities.argpartition(-more)[-more:].tolist() if many else range(len(probabilities))
    ranked = sorted((-probabilities.item(place), place) for place in places)
    if not all(math.isfinite(p) for p, _ in ranked):
        raise ValueError("a probability is not a number")
    if many and ranked[-1][0] == ranked[-2][0]:
        p = probabilities.tolist()
        return sorted(range(len(p)), key=p.__getitem__, reverse=True)[:count]
    return [place for _, place in ranked[:count]]
