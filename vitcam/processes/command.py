"""Commands that may hang: each has a time limit, and is left behind when even SIGKILL does not end it."""

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended."""

    code: int | None
    """Exit status, negative for a signal; None: it did not end in time."""
    out: str
    err: str

    @property
    def last_words(self) -> str:
        """The last line of stderr: of a Python traceback, the error."""
        lines = self.err.strip().splitlines()
        return lines[-1] if lines else f"exit status {self.code}"


def run_with_timeout(command: Sequence[str], timeout_s: float) -> CommandResult:
    """Run a command that may hang, even unkillably in a driver; raises FileNotFoundError if there is none."""
    with _interrupt_deferred() as allow_interrupt:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            allow_interrupt()
            out, err = child.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            _abandon(child)
            return CommandResult(None, "", f"did not answer within {timeout_s:g} s")
        except KeyboardInterrupt:  # sent only to this process, it would leave the child behind
            _abandon(child)
            raise
    return CommandResult(child.returncode, out.decode(errors="replace"), err.decode(errors="replace"))


@contextmanager
def _interrupt_deferred() -> Iterator[Callable[[], None]]:
    """Ctrl-C raises KeyboardInterrupt only once the function that this gives is called.

    Within `Popen` it would come when the child runs already and nobody holds it yet.
    """
    interruptible = threading.current_thread() is threading.main_thread()  # no other thread is interrupted
    if not interruptible or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: None
        return
    waiting: list[int] = []

    def allow() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if waiting:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, lambda number, _: waiting.append(number))
    try:
        yield allow
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _abandon(child: "subprocess.Popen[bytes]") -> None:
    """Kill it, and leave it behind if that does not end it: subprocess.run would wait without end."""
    child.kill()
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
    with suppress(subprocess.TimeoutExpired):
        child.wait(1)
