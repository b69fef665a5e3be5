"""Hands values from one thread to another: it holds one, and the newest wins unless the reader must see every one."""

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

_TICK_S = 0.25  # how soon a waiting stage sees that it should stop


class Current(Generic[T]):
    """A value that is there from the start and is replaced as a whole: reading it needs no lock, in any thread."""

    def __init__(self, value: T) -> None:
        self.value = value


class Slot(Generic[T]):
    """Room for one value. Live sources replace it and count what was never read; files wait until it was taken.

    Subscribers are called in the putting thread: they may only hand over, as asyncio's call_soon_threadsafe does.
    """

    def __init__(self) -> None:
        self._ready = threading.Condition()
        self._value: T | None = None
        self._version = 0
        self._taken = 0
        self._closed = False
        self._callbacks: tuple[Callable[[], None], ...] = ()
        self.dropped = 0
        """Values that were replaced before anybody read them."""

    @property
    def version(self) -> int:
        """How many values were put so far."""
        return self._version

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def unread(self) -> bool:
        """Whether there is a value that nobody has read yet."""
        return self._taken < self._version

    def has(self, after: int) -> bool:
        """Whether there is a value newer than version `after`: one may have been cleared."""
        return self._version > after and self._value is not None

    @property
    def awaited(self) -> bool:
        """Whether a subscriber waits for the next value."""
        return bool(self._callbacks)

    def put(self, value: T) -> None:
        """Replace what is there; never waits. A closed slot stays as it is."""
        self.revise(lambda _: value)

    def revise(self, make: Callable[[T | None], T | None]) -> None:
        """Replace what is there by what `make` makes of it, in one step; never waits, and nor may `make`.

        make  its None leaves everything as it is
        """
        with self._ready:
            value = None if self._closed else make(self._value)
            if value is None:
                return
            self._store(value)
        self._tell()

    def put_when_taken(self, value: T, timeout_s: float) -> bool:
        """Put once the last value was read; False if that took longer than `timeout_s` or the slot was closed."""
        with self._ready:
            free = self._ready.wait_for(lambda: self._closed or self._taken == self._version, timeout_s)
            if not free or self._closed:
                return False
            self._store(value)
        self._tell()
        return True

    def get(self, after: int, timeout_s: float) -> tuple[int, T] | None:
        """Wait for a value newer than version `after`; None after `timeout_s` or when the slot is closed and read."""
        with self._ready:
            self._ready.wait_for(lambda: self._closed or self.has(after), timeout_s)
            if self._version <= after or self._value is None:
                return None
            self._taken = self._version
            self._ready.notify_all()
            return self._version, self._value

    def clear(self, *, taken: bool = False) -> None:
        """Forget the value.

        taken  only if somebody has read it
        """
        with self._ready:
            if not (taken and self.unread):
                self._value = None

    def peek(self) -> T | None:
        """The newest value, without taking it."""
        return self._value

    def close(self) -> None:
        """Wake every reader; no more values are accepted."""
        with self._ready:
            self._closed = True
            self._ready.notify_all()
        self._tell()

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Call `changed` after every put and at the close; returns the function that ends it."""
        with self._ready:
            self._callbacks = (*self._callbacks, changed)

        def unsubscribe() -> None:
            with self._ready:
                self._callbacks = tuple(c for c in self._callbacks if c is not changed)

        return unsubscribe

    def _store(self, value: T) -> None:
        if self._taken < self._version:
            self.dropped += 1
        self._value = value
        self._version += 1
        self._ready.notify_all()

    def _tell(self) -> None:
        for changed in self._callbacks:
            changed()


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

    @property
    def waiting(self) -> bool:
        """Whether a value waits to be read."""
        return self._slot.unread

    def put(self, value: T, live: bool, waiting: Callable[[], None] = lambda: None) -> bool:
        """Pass a value on; False once the pipeline is stopping, or no more values are accepted.

        live     replace a value that was not read yet; else wait until it was
        waiting  called again and again while it waits
        """
        if live:
            self._slot.put(value)
            return not (self._stopping.is_set() or self._slot.closed)
        while not (self._stopping.is_set() or self._slot.closed):
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

    def forget(self) -> None:
        """Let go of a value that was read."""
        self._slot.clear(taken=True)

    def close(self) -> None:
        """No more values will come."""
        self._slot.close()
