"""What the emulated machine types of docs/use/first-hour.md: every command that stands there."""

import re

from tests.pivm.first_hour_inside import NOT_RUN, QUICKER, blocks, inline, why_not
from tests.unit.docs.pages import ROOT

PAGE = (ROOT / "docs" / "use" / "first-hour.md").read_text("utf-8")
COMMANDS = [*blocks(PAGE), *inline(PAGE)]


def test_installing_and_watching_are_typed_in_the_machine() -> None:
    typed = [line for line in COMMANDS if not why_not(line)]

    assert {"make .venv", "sudo .venv/bin/vitcam service install", "sudo vitcam service install --lan"} < set(typed)
    assert len(typed) > len(COMMANDS) / 2


def test_the_last_command_of_the_page_is_the_one_that_measures() -> None:
    assert blocks(PAGE)[-1] in QUICKER


def test_every_exception_is_for_a_command_of_the_page() -> None:
    assert [pattern for pattern in NOT_RUN if not any(re.match(pattern, line) for line in COMMANDS)] == []


def test_a_command_that_only_the_text_names_is_found_once() -> None:
    page = "```console\n$ make .venv\n```\n\n`make .venv` and `vitcam doctor` say so; `vitcam doctor` says more.\n"

    assert inline(page) == ["vitcam doctor"]
