"""The way from one stage to the next: a slot that live frames replace and files wait for."""

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from vitcam.slot import Slot

T = TypeVar("T")

_TICK_S = 0.25  # how soon a waiting stage sees that it should stop


class Handover(Generic[T]):
    """Room for one value between two threads.

    stopping  once it is set nothing waits any more, and iteration ends
    """

    def __init__(self, stopping: threading.Event) -> None:
        self._slot: Slot[T] = Slot()
        self._stopping = stopping

    @property
    def dropped(self) -> int:
        """Values that were replaced before they were read."""
        return self._slot.dropped

    @property
    def closed(self) -> bool:
        return self._slot.closed

    def put(self, value: T, live: bool, waiting: Callable[[], None] = lambda: None) -> bool:
        """Pass a value on; False once the pipeline is stopping.

        live     replace a value that was not read yet; else wait until it was
        waiting  called again and again while it waits
        """
        if live:
            self._slot.put(value)
            return not self._stopping.is_set()
        while not self._stopping.is_set():
            if self._slot.put_when_taken(value, _TICK_S):
                return True
            waiting()
        return False

    def __iter__(self) -> Iterator[T]:
        """What comes, until it is closed and read."""
        version = 0
        while not self._stopping.is_set():
            found = self._slot.get(version, _TICK_S)
            if found is not None:
                version, value = found
                yield value
            elif self._slot.closed:
                return

    def close(self) -> None:
        """No more values will come."""
        self._slot.close()
