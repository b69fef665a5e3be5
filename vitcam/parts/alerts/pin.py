"""Pins of a Raspberry Pi that are high for a while, through gpiozero."""

import logging
import os
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from vitcam.parts.alerts.task import ActionFailed, Task
from vitcam.parts.alerts.threads import PINS
from vitcam.threads.worker import Worker

log = logging.getLogger(__name__)

MISSING = "gpiozero is not installed, so no pin can be set; install python3-gpiozero, or vitcam[gpio]"

_AGAIN_S = 1.0
_LOOK_S = 5.0
_HANGS_S = 0.1

NO_PINS = "gpiozero finds no pins; a Raspberry Pi needs python3-lgpio, and a user in the group gpio"


class OutputPin(Protocol):
    """What is used of gpiozero's DigitalOutputDevice."""

    def on(self) -> None:
        """Set it high."""
        ...

    def off(self) -> None:
        """Set it low."""
        ...

    def close(self) -> None:
        """Let others use it."""
        ...


def open_pin(number: int) -> OutputPin:
    """An output, low at first. Raises ImportError, and what gpiozero raises where there are no pins."""
    # lgpio, below gpiozero, makes a pipe in its working directory, and that of a service cannot be written
    os.environ.setdefault("LG_WD", tempfile.gettempdir())
    from gpiozero import DigitalOutputDevice  # only on machines that use it

    with warnings.catch_warnings(action="ignore"):  # one for each library below it that is missing
        pin: OutputPin = DigitalOutputDevice(number)
    return pin


class Pins:
    """Sets the pin of a rule high, and low again when its time is over. A second action lengthens the time.

    A pin that cannot be set low is tried again every second.
    """

    def __init__(self, open_pin: Callable[[int], OutputPin] = open_pin) -> None:
        self._open = open_pin
        self._pins: dict[int, OutputPin] = {}
        self._until_s: dict[int, float] = {}
        self._high: set[int] = set()
        """Those that could not be set low."""
        self._changed = threading.Condition()
        self._over = False
        self.worker = Worker("pins", self._run, PINS)

    def __call__(self, task: Task) -> str:
        """Raises ActionFailed. Called in one thread."""
        number = task.rule.gpio
        assert number is not None  # noqa: S101 - the rule has this kind
        pin = self._pins.get(number) or self._opened(number)
        with self._changed:
            if self._over:
                pin.close()
                raise ActionFailed("vitcam ended before it began")
            self._pins[number] = pin
            self.worker.start()
            try:
                pin.on()
            except Exception as error:
                raise ActionFailed(f"GPIO{number} cannot be set: {_words(error)}") from error
            finally:  # also where that fails: nobody knows then whether it is high
                self._until_s[number] = max(self._until_s.get(number, 0.0), time.monotonic() + task.rule.gpio_s)
                self._changed.notify_all()
        return f"GPIO{number} for {task.rule.gpio_s:g} s"

    def revive(self) -> None:
        """As a `vitcam.threads.worker.Watched`."""
        self.worker.revive()

    def trouble(self) -> str:
        """As a `vitcam.threads.worker.Watched`."""
        high = ", ".join(f"GPIO{number}" for number in sorted(self._high))
        return self.worker.trouble() or (f"{high} should be low, and its driver refuses" if high else "")

    def faults(self) -> Mapping[str, int]:
        """As a `vitcam.threads.worker.Watched`."""
        return self.worker.faults()

    def join(self, timeout_s: float) -> bool:
        """As a `vitcam.threads.worker.Watched`."""
        return self.worker.join(timeout_s)

    def close(self) -> None:
        """Set all pins low, and let others use them. A driver that hangs is left behind."""
        if not self._changed.acquire(timeout=_HANGS_S):
            log.error("pins may stay high: their driver hangs")
            return
        try:
            self._over = True
            self._changed.notify_all()
            for number, pin in self._pins.items():
                self._set_low(number, pin)
                with suppress(Exception):
                    pin.close()
            self._pins.clear()
            self._until_s.clear()
        finally:
            self._changed.release()
        self.worker.stop()

    def _opened(self, number: int) -> OutputPin:
        if self._over:
            raise ActionFailed("vitcam ended before it began")
        try:
            return self._open(number)
        except ModuleNotFoundError:
            raise ActionFailed(MISSING) from None
        except ImportError:  # BadPinFactory of gpiozero is one
            raise ActionFailed(NO_PINS) from None
        except Exception as error:
            raise ActionFailed(f"GPIO{number} cannot be used: {_words(error)}") from error

    def _run(self) -> None:
        with self._changed:
            while not self._over:
                self.worker.beat()
                now_s = time.monotonic()
                for number in [number for number, until_s in self._until_s.items() if until_s <= now_s]:
                    if self._set_low(number, self._pins[number]):
                        del self._until_s[number]
                    else:
                        self._until_s[number] = now_s + _AGAIN_S
                next_s = min([now_s + _LOOK_S, *self._until_s.values()])
                self._changed.wait(next_s - time.monotonic())

    def _set_low(self, number: int, pin: OutputPin) -> bool:
        """False where the driver refuses."""
        try:
            pin.off()
        except Exception as error:  # noqa: BLE001 - gpiozero and each library below it have errors of their own
            if number not in self._high:
                log.error("GPIO%d stays high: %s; vitcam tries again", number, _words(error))
            self._high.add(number)
            return False
        self._high.discard(number)
        return True


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__
