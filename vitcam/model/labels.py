"""A model's labels: as many as it gives probabilities, and whether those that others ask for are among them.

One with a typing error would never begin an event.
"""

import difflib
from collections.abc import Collection, Iterable
from pathlib import Path

from vitcam.errors import ModelError, UsageError
from vitcam.frames import UNKNOWN
from vitcam.names.wanted import key_of
from vitcam.text import shortened


def read_labels(path: Path) -> tuple[str, ...]:
    """The labels in a text file, one a line. Raises UsageError if it cannot be read."""
    try:
        return tuple(line.strip() for line in path.read_text("utf-8").splitlines() if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the labels {path} cannot be read as text: {error}") from error


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
