"""What a long loop says of itself."""

import io
import logging
from collections.abc import Iterator

import pytest
from rich.console import Console
from rich.logging import RichHandler

from vitcam_training.progress import with_progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that have passed, which a test moves on."""
    now = [0.0]
    monkeypatch.setattr("vitcam_training.progress.time.monotonic", lambda: now[0])
    return now


def test_where_there_is_no_terminal_a_long_loop_says_each_minute_how_far_it_is(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "vitcam_training")
    done = []
    for photo in with_progress(range(10), "asking everyday"):
        done.append(photo)
        clock[0] += 25

    assert done == list(range(10))
    assert caplog.messages == ["asking everyday: 3 of 10", "asking everyday: 6 of 10", "asking everyday: 9 of 10"]


def test_a_loop_that_cannot_tell_its_length_says_what_is_done(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "vitcam_training")

    def photos() -> Iterator[int]:
        for each in range(1_002):
            yield each
            clock[0] += 0.06

    assert len(list(with_progress(photos(), "reading"))) == 1_002
    assert caplog.messages == ["reading: 1,000"]


def test_a_terminal_gets_a_bar_on_the_logs_console(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar on a console of its own and the log would write over each other."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100)
    monkeypatch.setattr(logging.getLogger("vitcam_training"), "handlers", [RichHandler(console=console)])
    for photo in with_progress(range(3), "asking everyday"):
        if photo == 1:
            logging.getLogger("vitcam_training.evaluation").warning("skipped one")

    assert "asking everyday" in out.getvalue()
    assert "skipped one" in out.getvalue()
