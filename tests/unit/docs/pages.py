"""The pages that people read, what they link to, and the commands that they show."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
TOP = tuple(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"))
STUDIES = sorted((ROOT / "training" / "study").rglob("*.md"))
"""Pages that say how they were made, by a command that writes them."""
DOCS = [*sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("*/*.md")]), *STUDIES]
PAGES = (*TOP, *DOCS)
PROGRAMS = ("vitcam", "vitcam-train")
STUDY = "vitcam_training.study"
TAUGHT = ROOT / "docs" / "study" / "from-other-sources.md"
"""A page whose tables end with a command and what it printed."""

_SHELL = re.compile(r"```(console|sh)\n(.*?)```", re.DOTALL)
_LAST_CELL = re.compile(r"\| `([^`]+)`(?: → `([^`]+)`)? \|$", re.MULTILINE)
_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
_INLINE = re.compile(rf"`((?:vitcam|vitcam-train|python -m {STUDY}[\w.]*) [^`[|…]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Shown:
    """One line of a shell that a page shows: behind a `$`, or to be pasted."""

    page: Path
    line: str
    output: str
    """What the page shows below it."""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}: {self.line}"


def console_lines(page: Path) -> list[Shown]:
    """Every line behind a `$` in `console` blocks of a page, and all of `sh` blocks, in order, without comments."""
    blocks = _SHELL.findall(page.read_text("utf-8"))
    shown = [f"\n{block}".split("\n$ ")[1:] if kind == "console" else block.splitlines() for kind, block in blocks]
    typed = [each.partition("\n") for block in shown for each in block]
    return [Shown(page, line.split("  #")[0].strip(), output.strip()) for line, _, output in typed]


def table_commands(page: Path) -> list[Shown]:
    """The last cell of each row of a table, `COMMAND` or `COMMAND` → `WHAT IT PRINTED`; the same command comes once."""
    found = [Shown(page, *cell) for cell in _LAST_CELL.findall(page.read_text("utf-8"))]
    return list(dict.fromkeys(found))


def python_blocks(page: Path) -> list[str]:
    """Every piece of Python that a page shows."""
    return _PYTHON.findall(page.read_text("utf-8"))


def simple_commands(line: str) -> list[list[str]]:
    """A line of a shell as words: one list for each command of a pipe or of a row with `&&`."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&")
    lexer.whitespace_split = True
    found: list[list[str]] = [[]]
    for word in lexer:
        if word in ("|", "&&"):
            found.append([])
        else:
            found[-1].append(word)
    return found


def program_commands() -> list[tuple[Path, list[str]]]:
    """Each command of a program or a study in the console blocks and in the text; no forms with `[…]` or `|`."""
    found = []
    for page in PAGES[:2] + PAGES[3:]:  # the CHANGELOG names forms, not whole commands
        text = _FENCED.sub("", page.read_text("utf-8"))
        inline = [line for line in _INLINE.findall(text) if _is_whole(line)]
        for line in (*(shown.line for shown in console_lines(page)), *inline):
            found += [(page, _program(words)) for words in simple_commands(line) if _program(words)]
    return found


def links(page: Path) -> list[str]:
    """The targets of a page's links, code blocks left out."""
    return _LINK.findall(_FENCED.sub("", page.read_text("utf-8")))


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()) for heading in headings]
    return {heading.replace(" ", "-") for heading in plain}


def _is_whole(line: str) -> bool:
    """Whether it is a command as it is typed, and no sentence or file pattern."""
    return "*" not in line and "→" not in line and "{" not in line


def _program(words: list[str]) -> list[str]:
    """The words from the program's name on, or from a study's module; empty if the command is of another program."""
    while words and ("=" in words[0].split("/")[0] or words[0] == "sudo"):
        words = words[1:]
    if words[:2] == ["python", "-m"] and words[2].startswith(STUDY):
        return words[2:]
    if not words or Path(words[0]).name not in PROGRAMS:
        return []
    return [Path(words[0]).name, *words[1:]]
