"""What docs/study/from-other-sources.md says that a command prints is what it prints.

tests/integration/docs/test_shown_commands.py runs those that need no more than the daemon.
"""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.unit.docs.pages import ROOT, TAUGHT, Shown, table_commands
from vitcam_training.cli import app

COMMANDS = table_commands(TAUGHT)
ABLATION = "\n".join(p.read_text("utf-8") for p in (ROOT / "training" / "study" / "ablation").glob("*.md"))
NOTEBOOK = (ROOT / "docs" / "study" / "notebook.ipynb").read_text("utf-8")
MEASURED = (*(ROOT / "models").glob("*.md"), ROOT / "docs" / "program" / "benchmarks.md")
"""Where the figures of `evaluate` stand: it needs data sets, and minutes."""


def those(program: str) -> list[Shown]:
    return [shown for shown in COMMANDS if shown.line.startswith(program)]


@pytest.mark.parametrize("shown", those("pytest "), ids=str)
def test_a_test_that_the_tables_name_is_in_its_file(shown: Shown) -> None:
    path, _, name = shown.line.removeprefix("pytest ").partition("::")

    assert f"def {name}(" in (ROOT / path).read_text("utf-8")
    assert re.fullmatch(r"\d+ passed", shown.output)


@pytest.mark.parametrize("shown", those("python -m vitcam_training.study.ablation"), ids=str)
def test_a_row_of_the_ablation_that_the_tables_quote_is_in_its_page(shown: Shown) -> None:
    row, figure = shown.output.split(" … ")

    assert re.search(rf"^\| {re.escape(row)} \|.*{re.escape(figure)}", ABLATION, re.MULTILINE)


@pytest.mark.parametrize("shown", those("vitcam-train evaluate"), ids=str)
def test_a_figure_of_an_evaluation_that_the_tables_quote_is_in_a_page(shown: Shown) -> None:
    figures = re.findall(r"0\.\d+", shown.output)
    pages = [page.read_text("utf-8") for page in MEASURED]

    assert figures
    assert all(any(f"{100 * float(figure):.2f}" in page for page in pages) for figure in figures)


@pytest.mark.parametrize("shown", those("python docs/generate_notebook.py"), ids=str)
def test_what_the_tables_quote_of_the_notebook_is_among_its_outputs(shown: Shown) -> None:
    assert shown.output in NOTEBOOK


@pytest.mark.parametrize("shown", those("vitcam-train draw"), ids=str)
def test_the_drawings_of_the_tables_are_made_as_they_stand_there(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(app, shown.line.split()[1:])

    assert answer.exit_code == 0, answer.output
    assert answer.output.strip() == shown.output
