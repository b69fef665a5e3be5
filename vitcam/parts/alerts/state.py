"""What rules say of themselves."""

from collections.abc import Iterator
from dataclasses import dataclass

from vitcam.run.figures import Figure


@dataclass(frozen=True, slots=True)
class Actions:
    """What came of the rules since the start."""

    rules: int = 0
    """How many there are."""
    ok: int = 0
    """Actions that worked."""
    failed: int = 0
    waiting: int = 0
    """Actions that run, have to wait for others, or are tried again later."""
    dropped: int = 0
    """Reports of events that no rule saw, because too many came at once."""
    trouble: str = ""
    """The last action that failed, as one sentence; empty if all worked."""


def figures_of(actions: Actions) -> Iterator[Figure]:
    """The same for who collects numbers."""
    ended: dict[tuple[str, ...], float] = {(key,): getattr(actions, key) for key in ("ok", "failed", "dropped")}
    yield Figure("vitcam_actions", "Actions of rules that ended.", ended, labels=("result",), counts=True)
    yield Figure.of("vitcam_actions_waiting", "Actions that are not over.", actions.waiting)
