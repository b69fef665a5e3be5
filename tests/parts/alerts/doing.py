"""What tests of actions share: a task to do, and who keeps the outcomes."""

import threading
from collections.abc import Callable

from tests.eventually import eventually
from tests.frames import SECOND
from vitcam.frames import Event
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import Outcome, Task
from vitcam.rules import Firing


def event(id_: str = "01A", label: str = "tabby", phase: str = "new") -> Event:
    """It began a second after the machine."""
    return Event(id_, phase, label, 0.9, SECOND, 9 * SECOND if phase == "end" else None, "test")  # type: ignore[arg-type]


def task(rule: OnSettings, id_: str = "01A", label: str = "tabby") -> Task:
    """The rule fired at `event`."""
    return Task.of(Firing(rule, event(id_, label)))


class Kept:
    """Keeps outcomes, from any thread."""

    def __init__(self) -> None:
        self.all: list[Outcome] = []
        self._lock = threading.Lock()

    def __call__(self, outcome: Outcome) -> None:
        with self._lock:
            self.all.append(outcome)

    def wait_for(self, fits: Callable[[list[Outcome]], bool]) -> list[Outcome]:
        """All outcomes once they fit. Raises AssertionError if that takes too long."""
        assert eventually(lambda: fits(self.all)), self.all
        return self.all

    def wait_for_count(self, count: int) -> list[Outcome]:
        """All outcomes once there are this many."""
        return self.wait_for(lambda found: len(found) >= count)
