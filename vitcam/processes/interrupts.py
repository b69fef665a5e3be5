"""Signals that end a command: it puts everything in order before it goes."""

import signal
from types import FrameType, TracebackType
from typing import NoReturn, Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Within the `with`, SIGTERM and SIGHUP end what runs there as Ctrl-C does, by KeyboardInterrupt, and only once:
    what is put in order then is not interrupted. At the end of the `with` the process ends by the same signal.

    What is ignored, as `nohup` has it, stays ignored. For the main thread.
    """

    def __init__(self) -> None:
        self._came = 0
        self._before: dict[int, object] = {}

    def __enter__(self) -> Self:
        asked = [number for number in _SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
        self._before = {number: signal.signal(number, self._interrupt) for number in asked}
        return self

    def hold_off(self) -> None:
        """From now on what is done is carried to its end. Raises KeyboardInterrupt for a signal that came before."""
        for number in self._before:
            signal.signal(number, signal.SIG_IGN)

    def _interrupt(self, number: int, _: FrameType | None) -> NoReturn:
        self.hold_off()
        self._came = number
        raise KeyboardInterrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in self._before:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        if self._came not in (0, signal.SIGINT):
            signal.raise_signal(self._came)
