"""The progress of a loop: a bar where stderr is a terminal, else nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import track

T = TypeVar("T")


def with_progress(items: Iterable[T], what: str, total: int | None = None) -> Iterable[T]:
    """The items, while a bar says how many of them are done.

    total  how many there are, where `items` cannot tell
    """
    console = Console(stderr=True)
    count = len(items) if total is None and isinstance(items, Sequence) else total
    return track(items, what, count, console=console, transient=True, disable=not console.is_terminal)
