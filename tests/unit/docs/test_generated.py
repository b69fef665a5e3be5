"""What is committed of the generated pages is what would be generated, and every verb and option says what it does."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from tests.unit.docs.pages import ROOT
from vitcam.cli import app as vitcam_app
from vitcam_training.cli import app as training_app

APPS = {"vitcam": vitcam_app, "vitcam-train": training_app}


@pytest.mark.parametrize(
    "script",
    [
        "generate_cli.py",
        "generate_settings.py",
        "generate_concepts.py",
        "generate_layers.py",
        "generate_threads.py",
        "generate_parts.py",
        "generate_http.py",
        "generate_reliability.py",
    ],
)
def test_a_generated_page_is_fresh(script: str) -> None:
    check = subprocess.run([sys.executable, ROOT / "docs" / script, "--check"], capture_output=True, text=True)

    assert check.stderr == ""
    assert check.returncode == 0


def every_command() -> Iterator[tuple[str, Any]]:
    ahead = [(name, typer.main.get_command(app)) for name, app in APPS.items()]
    while ahead:
        name, command = ahead.pop()
        yield name, command
        ahead += [(f"{name} {verb}", below) for verb, below in getattr(command, "commands", {}).items()]


COMMANDS = dict(every_command())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_it_does_in_whole_sentences(name: str) -> None:
    text = COMMANDS[name].help or ""

    assert text[:1].isupper()
    assert text.endswith(".")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_and_option_of_a_command_says_what_it_does_in_a_sentence(name: str) -> None:
    helps = {parameter.name: parameter.help or "" for parameter in COMMANDS[name].params}

    assert not [option for option, text in helps.items() if not (text[:1].isupper() and text.endswith("."))]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_the_commands_has_a_heading_for_every_command(name: str) -> None:
    page = (ROOT / "docs" / "use" / "cli.md").read_text("utf-8")
    headings = [line.lstrip("# ") for line in page.splitlines() if line[:1] == "#"]

    assert name in headings
