"""What the README says can be followed: its files exist, its commands are understood, and none destroys a file of the
repository."""

import re
import shlex
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vitcam.cli import app as vitcam_app
from vitcam_training.cli import app as training_app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
APPS = {"vitcam": vitcam_app, "vitcam-train": training_app}
WRITES = {"-o", "--out", "--page", "--overlay"}
OWN_FOLDERS = ("docs", "examples", "models", "systemd", "tests", "training", "vitcam")


def console_lines() -> list[str]:
    """Every line that the README shows behind a `$`, comments cut off."""
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    lines = [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [line.split("  #")[0].strip() for line in lines]


def simple_commands(line: str) -> list[list[str]]:
    """A line of a shell as words, one list for each command of a pipe or of a row with `&&`."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&")
    lexer.whitespace_split = True
    found: list[list[str]] = [[]]
    for word in lexer:
        if word in ("|", "&&"):
            found.append([])
        else:
            found[-1].append(word)
    return found


def commands() -> list[list[str]]:
    """Each `vitcam` and `vitcam-train` command of the console blocks and of the text; no forms with `[…]`."""
    lines = (*console_lines(), *re.findall(r"`(vitcam(?:-train)? [^`[]+)`", README))
    found = [words for line in lines for words in simple_commands(line)]
    return [[Path(words[0]).name, *words[1:]] for words in found if Path(words[0]).name in APPS]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_a_command_of_the_readme_has_a_verb_and_options_that_exist(words: list[str]) -> None:
    answer = CliRunner().invoke(APPS[words[0]], [*words[1:], "--help"])  # options are parsed before help is given

    assert answer.exit_code == 0, answer.output


def test_no_command_of_the_readme_writes_over_a_file_of_the_repository() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    tracked = set(listed.stdout.splitlines())

    written = [after for words in commands() for word, after in pairwise(words) if word in WRITES]

    assert written
    assert not tracked & set(written)


def test_every_file_of_the_repository_that_the_readme_names_exists() -> None:
    linked = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    typed = [word for line in console_lines() for word in line.split() if word.split("/")[0] in OWN_FOLDERS]

    missing = [name for name in (*linked, *typed) if "/" in name and not (ROOT / name).exists()]

    assert linked
    assert typed
    assert not missing


def test_the_first_command_gets_the_source_and_the_command_is_put_on_the_path_before_it_is_used() -> None:
    lines = console_lines()
    first = next(i for i, line in enumerate(lines) if line.split()[0] in APPS)

    assert lines[0].startswith("git clone ")
    assert any("activate" in line for line in lines[:first])
