"""Pins of a Raspberry Pi that are high for a while, through gpiozero."""

import os
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from typing import Protocol

from vitcam.actions.task import ActionFailed, Task

MISSING = "gpiozero is not installed, so no pin can be set; install python3-gpiozero, or vitcam[gpio]"

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
    """Sets the pin of a rule high, and low again when its time is over. A second action lengthens the time."""

    def __init__(self, open_pin: Callable[[int], OutputPin] = open_pin) -> None:
        self._open = open_pin
        self._pins: dict[int, OutputPin] = {}
        self._until_s: dict[int, float] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._over = False

    def __call__(self, task: Task) -> str:
        """Raises ActionFailed."""
        number = task.rule.gpio
        assert number is not None  # noqa: S101 - the rule has this kind
        with self._changed:
            if self._over:
                raise ActionFailed("vitcam ended before it began")
            self._pin(number).on()
            self._until_s[number] = max(self._until_s.get(number, 0.0), time.monotonic() + task.rule.gpio_s)
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="pins", daemon=True)
                self._thread.start()
        return f"GPIO{number} for {task.rule.gpio_s:g} s"

    def close(self) -> None:
        """Set all pins low, and let others use them."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
            for pin in self._pins.values():
                pin.off()
                pin.close()
            self._pins.clear()

    def _pin(self, number: int) -> OutputPin:
        if number not in self._pins:
            try:
                self._pins[number] = self._open(number)
            except ModuleNotFoundError:
                raise ActionFailed(MISSING) from None
            except ImportError:  # BadPinFactory of gpiozero is one
                raise ActionFailed(NO_PINS) from None
            except Exception as error:
                raise ActionFailed(f"GPIO{number} cannot be used: {str(error) or type(error).__name__}") from error
        return self._pins[number]

    def _run(self) -> None:
        with self._changed:
            while not self._over:
                now_s = time.monotonic()
                for number in [number for number, until_s in self._until_s.items() if until_s <= now_s]:
                    del self._until_s[number]
                    self._pins[number].off()
                next_s = min(self._until_s.values(), default=now_s + 60.0)
                self._changed.wait(next_s - time.monotonic())
