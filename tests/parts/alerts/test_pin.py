"""Pins are high for their time, and low at the end; gpiozero's own mock pins stand for those of a Pi."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.eventually import eventually
from tests.parts.alerts.doing import task
from vitcam.parts.alerts import pin, rule_engine
from vitcam.parts.alerts.pin import MISSING, NO_PINS, OutputPin, Pins, open_pin
from vitcam.parts.alerts.settings import OnSettings
from vitcam.parts.alerts.task import ActionFailed


@pytest.fixture
def mock() -> Iterator[Any]:
    """The factory that makes gpiozero's mock pins."""
    import gpiozero
    from gpiozero.pins.mock import MockFactory

    gpiozero.Device.pin_factory = MockFactory()
    yield gpiozero.Device.pin_factory
    gpiozero.Device.pin_factory.reset()
    gpiozero.Device.pin_factory = None


def test_a_pin_is_high_for_its_time_and_then_low(mock: Any) -> None:
    pins = Pins()

    detail = pins(task(OnSettings("lamp", gpio=17, gpio_s=0.1)))

    assert detail == "GPIO17 for 0.1 s"
    assert eventually(lambda: len(mock.pin(17).states) == 3)
    assert [state.state for state in mock.pin(17).states] == [False, True, False]
    assert mock.pin(17).states[-1].timestamp >= 0.09
    pins.close()


def test_a_second_action_lengthens_the_time_and_other_pins_keep_theirs(mock: Any) -> None:
    pins = Pins()
    pins(task(OnSettings("lamp", gpio=17, gpio_s=600)))
    pins(task(OnSettings("lamp", gpio=17, gpio_s=0.01)))
    pins(task(OnSettings("bell", gpio=4, gpio_s=0.01)))

    assert eventually(lambda: not mock.pin(4).state)
    assert mock.pin(17).state
    pins.close()


def test_at_the_end_all_pins_are_low_and_free(mock: Any) -> None:
    pins = Pins()
    pins(task(OnSettings("lamp", gpio=17, gpio_s=600)))

    pins.close()

    assert not mock.pin(17).state
    open_pin(17).close()
    with pytest.raises(ActionFailed, match="vitcam ended before it began"):
        pins(task(OnSettings("lamp", gpio=17)))


class StubbornPin:
    """Refuses to become low for the first few times, as a driver does after an I/O error."""

    def __init__(self, refuses: int) -> None:
        self.refuses, self.high, self.closed = refuses, False, False

    def on(self) -> None:
        self.high = True

    def off(self) -> None:
        if self.refuses:
            self.refuses -= 1
            raise OSError(5, "Input/output error")
        self.high = False

    def close(self) -> None:
        self.closed = True


@pytest.mark.fault(
    "the driver refuses to set a pin low",
    injected="an I/O error for some times, and without end",
    observed="the state says which pin is high, it is tried again until it works, other pins keep their times",
)
def test_a_pin_that_cannot_be_set_low_is_tried_again_and_harms_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pin, "_AGAIN_S", 0.01)
    found = {4: StubbornPin(3), 17: StubbornPin(1_000_000_000), 27: StubbornPin(0)}
    pins = Pins(found.__getitem__)
    for number in found:
        pins(task(OnSettings("lamp", gpio=number, gpio_s=0.01)))

    assert eventually(lambda: not found[4].high and not found[27].high)
    assert found[17].high
    assert eventually(lambda: pins.trouble() == "GPIO17 should be low, and its driver refuses")
    found[17].refuses = 0
    assert eventually(lambda: not found[17].high and pins.trouble() == "")
    pins(task(OnSettings("lamp", gpio=27, gpio_s=0.01)))
    assert eventually(lambda: not found[27].high)
    pins.close()


def test_at_the_end_one_pin_that_refuses_keeps_no_other_high() -> None:
    found = {4: StubbornPin(1_000_000_000), 17: StubbornPin(0)}
    pins = Pins(found.__getitem__)
    for number in found:
        pins(task(OnSettings("lamp", gpio=number, gpio_s=600)))

    pins.close()

    assert not found[17].high
    assert found[4].closed
    assert found[17].closed


def test_a_pin_that_fails_when_it_is_set_high_is_set_low_again(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = StubbornPin(0)

    def high_and_fails() -> None:
        broken.high = True
        raise RuntimeError("a driver that fails late")

    monkeypatch.setattr(broken, "on", high_and_fails)
    pins = Pins(lambda _: broken)
    with pytest.raises(ActionFailed, match="GPIO17 cannot be set: a driver that fails late"):
        pins(task(OnSettings("lamp", gpio=17, gpio_s=0.01)))

    assert eventually(lambda: not broken.high)
    pins.close()


def test_a_driver_that_hangs_does_not_delay_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = threading.Event(), threading.Event()
    hanging = StubbornPin(0)

    def hangs() -> None:
        begun.set()
        may_end.wait(60)

    monkeypatch.setattr(hanging, "on", hangs)
    pins = Pins(lambda _: hanging)
    acting = threading.Thread(target=pins, args=(task(OnSettings("lamp", gpio=17)),))
    acting.start()
    assert begun.wait(60)
    began_s = time.monotonic()
    pins.close()

    assert time.monotonic() - began_s < 1
    may_end.set()
    acting.join(60)


@pytest.mark.fault(
    "there are no pins, or another program has the pin",
    injected="a machine without gpiochip, a missing library, a pin that is in use",
    observed="the action has failed with a sentence, and the daemon continues",
)
@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ModuleNotFoundError("No module named 'gpiozero'"), MISSING),
        (ImportError("Unable to load any default pin factory!"), NO_PINS),
        (RuntimeError("a pin that melts"), "GPIO17 cannot be used: a pin that melts"),
        (OSError(), "GPIO17 cannot be used: OSError"),
    ],
)
def test_a_pin_that_cannot_be_used_fails_with_a_sentence(error: Exception, sentence: str) -> None:
    def fails(number: int) -> OutputPin:
        raise error

    with pytest.raises(ActionFailed) as failed:
        Pins(fails)(task(OnSettings("lamp", gpio=17)))

    assert str(failed.value).startswith(sentence)


def test_a_missing_library_is_said_once_for_all_rules_that_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_engine, "find_spec", lambda name: None)
    rules = [OnSettings("a", gpio=1), OnSettings("b", gpio=2), OnSettings("c", sound=True)]

    assert rule_engine.missing_libraries(rules) == [MISSING]
    assert len(rule_engine.missing_libraries([*rules, OnSettings("d", notify=("ntfy://x",))])) == 2
