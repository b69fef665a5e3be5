"""A thread with a guard and a beat, and the same for a thread that does what others hand to it."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from vitcam.threads.kinds import KINDS, ThreadKind

log = logging.getLogger(__name__)

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 60.0
_GOOD_S = 60.0  # a loop that ran this long has recovered


class Watched(Protocol):
    """What the supervisor looks at every second."""

    def revive(self) -> None:
        """Start a thread that should run and does not."""
        ...

    def trouble(self) -> str:
        """What does not happen because a thread has failed or stands still, as one sentence; empty: all is well."""
        ...

    def faults(self) -> Mapping[str, int]:
        """How often its thread failed since the start and began again, by the name of the thread."""
        ...

    def join(self, timeout_s: float) -> bool:
        """Wait for the end of a thread that the interpreter does not wait for; False where it still runs."""
        ...


class Worker:
    """Runs a loop in a thread, and again after an error, with growing pauses.

    name  of the thread
    run   the loop: it calls `beat` in each turn, and returns once there is nothing more to do
    kind  says how long it may stand still; None: the row of that name in `KINDS` does
    """

    def __init__(self, name: str, run: Callable[[], None], kind: ThreadKind | None = None) -> None:
        self.name = name
        self._kind = kind or KINDS[name]
        self._run = run
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self._moves_until_s = 0.0
        self._failed_s = self._logged_s = float("-inf")
        self._error = ""
        self._faults = 0

    @property
    def started(self) -> bool:
        """Whether it was asked to run."""
        return self._thread is not None

    def start(self) -> None:
        """Begin; nothing if it has begun. Where the system gives no thread, `revive` tries again."""
        with self._lock:
            if self._thread is None:
                self._begin()

    def revive(self) -> None:
        """Start the thread where it should run and does not."""
        with self._lock:
            if self._thread is not None and not self._thread.is_alive() and not self._over.is_set():
                self._begin()

    def beat(self, allow_s: float = 0.0) -> None:
        """It moves. Called by the loop, in each turn.

        allow_s  the next beat may take longer by this
        """
        if self._kind.bound_s is not None:
            self._moves_until_s = time.monotonic() + self._kind.bound_s + allow_s

    def stop(self) -> None:
        """Do not begin again. The loop itself is ended by its owner."""
        self._over.set()

    def join(self, timeout_s: float) -> bool:
        """Wait for the end; False where it still runs."""
        thread = self._thread
        if thread is None or thread is threading.current_thread():
            return True
        if thread.ident is not None:
            thread.join(max(0.0, timeout_s))
        return not thread.is_alive()

    def trouble(self) -> str:
        now_s = time.monotonic()
        if self._thread is None or self._over.is_set():
            return ""
        if now_s - self._failed_s < _GOOD_S:
            return f"{self._lost}: its thread failed ({self._error}) and begins again; the log says more"
        if self._kind.bound_s is not None and now_s > self._moves_until_s:
            still_s = self._kind.bound_s + now_s - self._moves_until_s
            return f"{self._lost}: its thread has not moved for {still_s:.0f} s; it waits for {self._kind.waits_for}"
        return ""

    def faults(self) -> Mapping[str, int]:
        return {self.name: self._faults}

    @property
    def _lost(self) -> str:
        return self._kind.lost or f"the thread {self.name} stands still"

    def _begin(self) -> None:
        self.beat()
        self._thread = threading.Thread(target=self._guard, name=self.name, daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:  # "can't start new thread": a limit of the system, or no memory
            self._note(error)

    def _guard(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while not self._over.is_set():
            began_s = time.monotonic()
            try:
                self._run()
            except BaseException as error:  # noqa: BLE001 - the outermost function: a library may even call sys.exit
                self._note(error)
            else:
                self._over.set()
                return
            if time.monotonic() - began_s > _GOOD_S:
                pause_s = _FIRST_PAUSE_S
            self.beat(pause_s)
            self._over.wait(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _note(self, error: BaseException) -> None:
        before, self._error = self._error, str(error) or type(error).__name__
        self._failed_s = time.monotonic()
        self._faults += 1
        if self._error != before or self._failed_s - self._logged_s >= _GOOD_S:
            self._logged_s = self._failed_s
            log.error("%s: the thread %s failed and begins again", self._lost, self.name, exc_info=error)


class WatchedExecutor(ThreadPoolExecutor):
    """One thread that does what others hand to it; its errors go to the one who waits for the result.

    name, kind  as `Worker` takes them
    """

    def __init__(self, name: str, kind: ThreadKind | None = None) -> None:
        super().__init__(1, thread_name_prefix=name)
        self._kind = kind or KINDS[name]
        self._since_s: float | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """As the base class, and note since when it is being done."""
        return super().submit(self._timed, fn, *args, **kwargs)

    def revive(self) -> None:
        """Nothing: the base class starts its thread with the next task."""

    def join(self, timeout_s: float) -> bool:
        """Nothing: the interpreter waits for its thread."""
        return True

    def trouble(self) -> str:
        since_s, bound_s = self._since_s, self._kind.bound_s
        if since_s is None or bound_s is None or (for_s := time.monotonic() - since_s) <= bound_s:
            return ""
        return f"{self._kind.lost}: its thread has not moved for {for_s:.0f} s; it waits for {self._kind.waits_for}"

    def faults(self) -> Mapping[str, int]:
        """None: the one who waits gets the error."""
        return {}

    def _timed(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._since_s = time.monotonic()
        try:
            return fn(*args, **kwargs)
        finally:
            self._since_s = None
