"""Make docs/notebook.ipynb: the cells of docs/notebook/cells.md, with docs/concepts.md's text and quotes; run them.

python docs/generate_notebook.py             make it, run it, and keep what its cells print and draw
python docs/generate_notebook.py -o FILE     the same, into another file
python docs/generate_notebook.py --check     tell whether the committed cells are those that would be made; runs nothing

Lines of cells.md that stand for something else:
<!-- section: Patches -->          that section of concepts.md up to its first quote, then the quote as a cell
<!-- code: reference.linear -->    a function as a cell
<!-- mistake: test_name -->        what a test in test_circulating_mistakes.py guards against
"""

import argparse
import re
import sys
from pathlib import Path

import nbformat
from generate_concepts import PAGE, ROOT, mistake, quote
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

CELLS = ROOT / "docs" / "notebook" / "cells.md"
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
PARTS = re.compile(r"<!-- (section|code|mistake): (.+?) -->\n|```python\n(.*?)```\n", re.DOTALL)
QUOTED = re.compile(r"<!-- code: (\S+)")
LONGEST_S = 120


def cells(text: str) -> list[NotebookNode]:
    """The cells that the text of cells.md stands for, in order, without outputs."""
    kinds: list[tuple[bool, str]] = []  # whether it is code, and its source
    last = 0
    for found in PARTS.finditer(text):
        kinds.append((False, text[last : found.start()]))
        kinds += _filled(*found.groups())
        last = found.end()
    kinds.append((False, text[last:]))
    made = []
    for is_code, source in _joined(kinds):
        new = new_code_cell if is_code else new_markdown_cell
        made.append(new(source, id=f"cell-{len(made):02}"))  # nbformat's own ids are random
    return made


def _filled(kind: str | None, name: str, block: str | None) -> list[tuple[bool, str]]:
    if block is not None:
        return [(True, block)]
    if kind == "section":
        text, quoted = _section(name)
        return [(False, text), (True, quote(quoted, ROOT))]
    return [(True, quote(name, ROOT)) if kind == "code" else (False, f"{mistake(name, ROOT)}\n")]


def _section(heading: str) -> tuple[str, str]:
    """A section of concepts.md up to its first quote, and the name of what is quoted."""
    page = PAGE.read_text("utf-8")
    begin = re.search(rf"^#+ {re.escape(heading)}$", page, re.MULTILINE)
    marker = QUOTED.search(page, begin.start()) if begin else None
    if not begin or not marker:
        sys.exit(f"{CELLS.name} wants the section {heading!r}, which docs/concepts.md does not have; mend the marker")
    return page[begin.start() : marker.start()], marker[1]


def _joined(kinds: list[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """Text beside text becomes one cell; empty text becomes none."""
    joined: list[tuple[bool, str]] = []
    for is_code, source in ((is_code, source.strip()) for is_code, source in kinds):
        if source and joined and not is_code and not joined[-1][0]:
            joined[-1] = (False, f"{joined[-1][1]}\n\n{source}")
        elif source:
            joined.append((is_code, source))
    return joined


def run(notebook: NotebookNode) -> None:
    """Run every cell from the folder docs/, as Jupyter does, and keep the outputs."""
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=LONGEST_S,
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],  # it warns that it listens on 127.0.0.1
        resources={"metadata": {"path": str(NOTEBOOK.parent)}},
    ).execute()
    notebook.metadata = NotebookNode(  # the same on every machine
        kernelspec={"name": "python3", "display_name": "Python 3", "language": "python"},
        language_info={"name": "python"},
    )


def sources(notebook: NotebookNode) -> list[tuple[str, str]]:
    """Kind and source of each cell."""
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def main() -> int:
    """Exit status: 1 if --check found the notebook stale."""
    options = argparse.ArgumentParser(description="Make docs/notebook.ipynb and run it.")
    options.add_argument("--check", action="store_true", help="Tell whether the committed cells are fresh.")
    options.add_argument("-o", "--out", type=Path, default=NOTEBOOK, help="The file that is written.")
    asked = options.parse_args()
    notebook = new_notebook(cells=cells(CELLS.read_text("utf-8")))
    if asked.check:
        stale = sources(nbformat.read(NOTEBOOK, as_version=4)) != sources(notebook)
        if stale:
            print("docs/notebook.ipynb is stale; run python docs/generate_notebook.py", file=sys.stderr)
        return int(stale)
    run(notebook)
    nbformat.validate(notebook)
    nbformat.write(notebook, asked.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
