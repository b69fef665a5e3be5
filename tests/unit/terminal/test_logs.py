"""What the log shows of an unexpected error, on a terminal and elsewhere."""

import io
import logging
import sys
from collections.abc import Iterator

import pytest

from vitcam.errors import TOLD_ELSEWHERE
from vitcam.terminal import consoles
from vitcam.terminal.logs import start_logging

LOG = logging.getLogger("vitcam.tests")


class FakeTerminal(io.StringIO):
    """Keeps what is written, and says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def same_log_afterwards() -> Iterator[None]:
    root = logging.getLogger("vitcam")
    handlers, level = root.handlers, root.level
    yield
    root.handlers = handlers
    root.setLevel(level)
    consoles.stderr_console.cache_clear()


def logged(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, verbose: bool, **extra: object) -> str:
    """What stands on stderr after an unexpected error was logged."""
    consoles.stderr_console.cache_clear()
    monkeypatch.setattr(sys, "stderr", stream)
    start_logging(verbose)
    try:
        raise ZeroDivisionError("over here")
    except ZeroDivisionError:
        LOG.exception("the web server ended", extra=extra)
    return stream.getvalue()


def test_a_file_or_the_journal_gets_the_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    text = logged(monkeypatch, io.StringIO(), verbose=False, **TOLD_ELSEWHERE)

    assert text.startswith("ERROR the web server ended\nTraceback")
    assert "ZeroDivisionError: over here" in text


def test_a_terminal_gets_the_sentence_without_the_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    text = logged(monkeypatch, FakeTerminal(), verbose=False)

    assert "the web server ended" in text
    assert "Traceback" not in text


def test_a_terminal_leaves_out_what_the_person_is_told_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert logged(monkeypatch, FakeTerminal(), verbose=False, **TOLD_ELSEWHERE) == ""


def test_a_verbose_terminal_gets_the_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    text = logged(monkeypatch, FakeTerminal(), verbose=True, **TOLD_ELSEWHERE)

    assert "the web server ended" in text
    assert "ZeroDivisionError: over here" in text
