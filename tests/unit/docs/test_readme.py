"""The README is short, begins with what a newcomer needs, and states no figure that the pages do not explain."""

import re

from tests.unit.docs.pages import PROGRAMS, ROOT, console_lines

README = ROOT / "README.md"
TEXT = README.read_text("utf-8")
LINES, WIDTH = 90, 120


def test_the_readme_is_read_in_one_sitting() -> None:
    lines = TEXT.splitlines()

    assert len(lines) <= LINES
    assert not [line for line in lines if len(line) > WIDTH]


def test_the_first_two_commands_run_it_and_test_it_and_can_be_pasted_as_they_stand() -> None:
    blocks = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)

    assert blocks[:2] == [("sh", "make run\n"), ("sh", "make test\n")]
    assert not [block for _, block in blocks if re.search(r"^\$ |[A-Z]{4}", block, re.MULTILINE)], "a placeholder"


def test_the_command_is_put_on_the_path_before_it_is_used() -> None:
    lines = [shown.line for shown in console_lines(README)]
    first = next(i for i, line in enumerate(lines) if line.split()[0] in PROGRAMS)

    assert any("activate" in line for line in lines[:first])


def rows(page: str) -> dict[str, set[str]]:
    """The numbers in the figures of a page's tables, by each command that stands beside them."""
    found: dict[str, set[str]] = {}
    for row in page.splitlines():
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        for command in re.findall("`([^`]+)`", cells[2]) if len(cells) == 3 else ():
            found.setdefault(command, set()).update(re.findall(r"\d+(?:[.,]\d+)*", cells[1]))
    return found


def test_the_three_figures_of_the_readme_are_those_of_the_same_commands_on_the_page_that_explains_them() -> None:
    explained = rows((ROOT / "docs" / "program" / "benchmarks.md").read_text("utf-8"))
    stated = rows(TEXT)

    assert len(stated) == 3
    assert not [command for command, numbers in stated.items() if numbers - explained[command]]
