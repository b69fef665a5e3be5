"""A bug in vitcam itself: its stack is in the log, and a person at a terminal reads one sentence."""

from pathlib import Path

import pytest

from tests.command import vitcam
from tests.terminal import terminal

SENTENCE = "vitcam: failed unexpectedly, please report it: ZeroDivisionError('over here')"
COMMAND = ("config", "schema")
BUG = """\
from vitcam.config import describe

def schema():
    raise ZeroDivisionError("over here")

describe.schema = schema
"""


@pytest.fixture
def bug(tmp_path: Path) -> str:
    """The PYTHONPATH under which COMMAND has a bug."""
    (tmp_path / "sitecustomize.py").write_text(BUG)
    return str(tmp_path)


def test_a_log_that_is_no_terminal_has_the_stack_of_a_bug(bug: str) -> None:
    result = vitcam(*COMMAND, PYTHONPATH=bug)

    assert result.code == 1
    assert result.err.startswith("ERROR failed unexpectedly\nTraceback (most recent call last):\n")
    assert "in show_schema" in result.err
    assert result.sentence == SENTENCE


def test_a_person_at_a_terminal_reads_one_sentence_of_a_bug(bug: str) -> None:
    with terminal(*COMMAND, columns=200, PYTHONPATH=bug) as screen:
        code = screen.until_end()

    assert code == 1
    assert screen.everything == [SENTENCE]


def test_a_person_who_asks_for_more_reads_the_stack_of_a_bug(bug: str) -> None:
    with terminal("-v", *COMMAND, columns=200, PYTHONPATH=bug) as screen:
        code = screen.until_end()

    assert code == 1
    assert any("Traceback" in row for row in screen.everything)
    assert any("in show_schema" in row for row in screen.everything)
    assert screen.everything[-1] == SENTENCE
