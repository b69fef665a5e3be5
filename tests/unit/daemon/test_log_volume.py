"""How much a day of the console's JSON lines is: the journal of a service is kept on an SD card."""

import io
from collections.abc import Callable

import pytest

from tests.frames import SECOND, frame, prediction
from vitcam.daemon.publisher import Publisher
from vitcam.events import Rules
from vitcam.sinks.jsonl import JsonLines

FPS = 5


def lines_of(label_at: Callable[[float], str], hours: float, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `--emit changes` writes in that time."""
    out, now = io.StringIO(), 0
    monkeypatch.setattr("vitcam.sinks.jsonl.time.monotonic_ns", lambda: now)
    publisher = Publisher(Rules(), lambda: None)
    publisher.connect(JsonLines(out, every=False))
    for number in range(round(hours * 3600 * FPS)):
        now = round(number / FPS * SECOND)
        publisher.prediction(frame(), prediction(label_at(number / FPS), 0.9, now))
    return out.getvalue().splitlines()


def test_what_stays_for_hours_is_a_line_every_ten_minutes_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = lines_of(lambda _: "cup", 2.0, monkeypatch)

    assert len([line for line in lines if '"new"' in line]) == 1
    assert 10 < len(lines) < 25


@pytest.mark.parametrize("every_s", [0.1, 0.8, 1.0, 1.2, 2.0])
def test_labels_that_flicker_write_three_lines_a_second_at_most(
    every_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = lines_of(lambda second: ("cup", "dog")[int(second / every_s) % 2], 0.05, monkeypatch)

    assert len(lines) / 180 <= 3.1
