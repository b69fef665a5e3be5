"""The measured parts of a page: between its markers stand tables and plots, which a run of the command makes again."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from vitcam_training.provenance import processor

MARKED = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def fill(page: Path, blocks: Mapping[str, str]) -> None:
    """Write each block between its markers. One without a place gets it at the end; those of other names stay."""
    text = page.read_text("utf-8") if page.is_file() else ""
    places = {found[2] for found in MARKED.finditer(text)}
    text += "".join(f"<!-- measured: {name} -->\n<!-- end -->\n" for name in blocks if name not in places)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(MARKED.sub(lambda found: _filled(found, blocks), text), "utf-8")


def _filled(found: re.Match[str], blocks: Mapping[str, str]) -> str:
    begin, name, end = found.groups()
    return f"{begin}\n{blocks[name]}\n\n{end}" if name in blocks else found[0]


def table(head: str, *rows: str) -> str:
    """Lines of Markdown, `a | b` each; a column whose first cell is a number stands to the right."""
    cells = (rows[0] if rows else head).split(" | ")
    marks = ("---:" if cell.lstrip("+-")[:1].isdigit() else "---" for cell in cells)
    return "\n".join([f"| {head} |", f"|{'|'.join(marks)}|", *(f"| {row} |" for row in rows)])


def plot(path: Path, caption: str) -> str:
    """A picture that lies beside the page."""
    return f"![{caption}]({path.name})"


def made_by(command: str, cpu_seconds: float = 0.0, backends: Iterable[str] = ()) -> str:
    """The command that makes the figures again, and where and when they were made.

    cpu_seconds  of all trainings together; 0: there were none
    backends     of Keras, on which each was trained: the same seed draws other weights on each; empty where unknown
    """
    known = " and ".join(sorted(set(backends) - {""}))
    on = f", on {known}" if known else ""
    hours = f" The trainings took {cpu_seconds / 3600:.2f} hours of processor time, each on one core{on}."
    return f"```console\n$ {command}\n```\n\n{datetime.date.today()}, {processor()}.{hours if cpu_seconds else ''}"
