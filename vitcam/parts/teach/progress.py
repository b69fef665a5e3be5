"""How far a teaching is."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Step = Literal["reading photos", "learning", "checking", "writing"]


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of a teaching: `done` of `total` parts of it."""

    step: Step
    done: int
    total: int

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


OnProgress = Callable[[Progress], None]
"""Called in the thread that teaches. What it raises ends the teaching; nothing is written then."""


def silent(_: Progress) -> None:
    """For those who do not watch."""
