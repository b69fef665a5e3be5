"""What the scripts inside the machine need: say what held."""

from collections.abc import Callable
from typing import TypeVar

Part = TypeVar("Part", bound=Callable[..., None])


class Report:
    """What held and what did not."""

    def __init__(self) -> None:
        self.failed = 0

    def check(self, name: str, holds: bool, *more: object) -> None:
        self.failed += not holds
        print("ok  " if holds else "FAIL", name, *more, flush=True)


def fault(happens: str, *, injected: str, observed: str) -> Callable[[Part], Part]:
    """Mark a part that injects a fault: `docs/generate_reliability.py` makes a row of it, as of a test's mark."""

    def mark(part: Part) -> Part:
        return part

    return mark
