"""The README is short, begins with what a newcomer needs, and states no figure that the pages do not explain."""

import re

from tests.unit.docs.pages import PROGRAMS, ROOT, console_lines

README = ROOT / "README.md"
TEXT = README.read_text("utf-8")
LONGEST = 150


def test_the_readme_is_read_in_one_sitting() -> None:
    assert len(TEXT.splitlines()) <= LONGEST


def test_the_first_command_gets_the_source_and_the_command_is_put_on_the_path_before_it_is_used() -> None:
    lines = [shown.line for shown in console_lines(README)]
    first = next(i for i, line in enumerate(lines) if line.split()[0] in PROGRAMS)

    assert lines[0].startswith("git clone ")
    assert any("activate" in line for line in lines[:first])


def rows(page: str) -> dict[str, set[str]]:
    """The numbers in the figures of a page's tables, by each command that stands beside them."""
    found: dict[str, set[str]] = {}
    for row in page.splitlines():
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        for command in re.findall("`([^`]+)`", cells[2]) if len(cells) == 3 else ():
            found.setdefault(command, set()).update(re.findall(r"\d+(?:[.,]\d+)*", cells[1]))
    return found


def test_every_figure_of_the_readme_is_that_of_the_same_command_on_the_page_that_explains_it() -> None:
    page = (ROOT / "docs" / "program" / "benchmarks.md").read_text("utf-8")
    explained = rows(page) | {"make bench-peers": set(re.findall(r"\d+(?:\.\d+)?", page.split("<!-- bench-peers")[1]))}
    stated = rows(TEXT.split("## Figures", 1)[1].split("\n## ", 1)[0])

    assert len(stated) > 10
    assert {command: numbers - explained.get(command, set()) for command, numbers in stated.items()} == {
        command: set() for command in stated
    }


def test_every_row_of_figures_names_the_command_that_measures_it() -> None:
    table = TEXT.split("## Figures", 1)[1].split("\n## ", 1)[0]
    rows = [row for row in table.splitlines() if row.startswith("|")][2:]

    assert rows
    assert not [row for row in rows if not re.search(r"\| `[^`]+` \|$", row)]
