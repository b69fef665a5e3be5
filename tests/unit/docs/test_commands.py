"""What a page says can be typed: its verbs and options exist, its files exist, and it destroys nothing."""

import subprocess
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tests.unit.docs.pages import PAGES, ROOT, STUDIES, console_lines, program_commands
from vitcam.cli import app as vitcam_app
from vitcam_training.cli import app as training_app

APPS = {"vitcam": vitcam_app, "vitcam-train": training_app}
WRITES = {"-o", "--out", "--page", "--overlay"}
OWN_FOLDERS = ("docs", "examples", "models", "systemd", "tests", "training", "vitcam")


def app_of(program: str) -> typer.Typer:
    """Of a program, or of the module of a study."""
    if program in APPS:
        return APPS[program]
    found = import_module(program)
    app: typer.Typer = (found if hasattr(found, "app") else import_module(f"{program}.__main__")).app
    return app


def unique() -> dict[str, list[str]]:
    return {" ".join(words): words for _, words in program_commands()}


@pytest.mark.parametrize("words", unique().values(), ids=" ".join)
def test_a_command_of_the_pages_has_a_verb_and_options_that_exist(words: list[str]) -> None:
    answer = CliRunner().invoke(app_of(words[0]), [*words[1:], "--help"])  # options are parsed before help is given

    assert answer.exit_code == 0, answer.output


def test_no_command_of_the_readme_or_the_docs_writes_over_a_file_of_the_repository() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    tracked = set(listed.stdout.splitlines())
    followed = [words for page, words in program_commands() if page not in STUDIES]

    written = [after for words in followed for word, after in pairwise(words) if word in WRITES]

    assert written
    assert not tracked & set(written)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_of_the_repository_that_a_command_names_exists(page: Path) -> None:
    typed = [word.lstrip("@") for shown in console_lines(page) for word in shown.line.split()]

    missing = [
        name for name in typed if name.split("/")[0] in OWN_FOLDERS and "/" in name and not (ROOT / name).exists()
    ]

    assert not missing
