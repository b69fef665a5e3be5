"""Make docs/study/notebook.ipynb: the cells of notebook/cells.md beside it, filled from concepts.md; run them.

python docs/generate_notebook.py             make it, run it, and keep what its cells print and draw
python docs/generate_notebook.py -o FILE     the same, into another file
python docs/generate_notebook.py --check     tell whether the committed cells are those that would be made; runs nothing

Lines of cells.md that stand for something of concepts.md, which quotes training/study/reference.py:
<!-- section: Patches -->          that section up to its first quote, then the quote as a cell
<!-- code: reference.linear -->    that quote as a cell
<!-- mistake: test_name -->        that mistake
<!-- table: letter -->             the table whose first column has that name, and the text below it

The notebook carries its outputs, so that it can be read where nothing runs. --check compares the cells alone: the bytes
of a picture differ between versions of OpenCV. A test runs the notebook and compares what it prints and draws.
"""

import argparse
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

FOLDER = Path(__file__).parent / "study"
CELLS = FOLDER / "notebook" / "cells.md"
PAGE = FOLDER / "concepts.md"
NOTEBOOK = FOLDER / "notebook.ipynb"
PARTS = re.compile(r"<!-- (section|code|mistake|table): (.+?) -->\n|```python\n(.*?)```\n", re.DOTALL)
WANTED = {
    "section": r"^(#+ {name}\n.*?)<!-- code: [^\n]*\n```python\n(.*?)```",
    "code": r"()<!-- code: {name}(?= )[^\n]*\n```python\n(.*?)```",
    "mistake": r"<!-- mistake: {name} -->\n(.*?\n)> Test()",
    "table": r"^(\| {name} \|.*?)^## ()",
}
"""Where concepts.md has it: its text and its code."""
LONGEST_S = 600


def cells(text: str, page: str) -> list[NotebookNode]:
    """The cells that the text of cells.md stands for, in order, without outputs."""
    parts: list[tuple[bool, str]] = []  # whether it is code, and its source
    last = 0
    for found in PARTS.finditer(text):
        kind, name, block = found.groups()
        parts.append((False, text[last : found.start()]))
        parts += _filled(kind, name, page) if kind else [(True, block)]
        last = found.end()
    parts.append((False, text[last:]))
    made = []
    for is_code, source in _joined(parts):
        new = new_code_cell if is_code else new_markdown_cell
        made.append(new(source, id=f"cell-{len(made):02}"))  # nbformat's own ids are random
    return made


def _filled(kind: str, name: str, page: str) -> list[tuple[bool, str]]:
    found = re.search(WANTED[kind].format(name=re.escape(name)), page, re.DOTALL | re.MULTILINE)
    if found is None:
        sys.exit(f"docs/study/notebook/cells.md wants the {kind} {name!r}, which docs/study/concepts.md does not have")
    return [(False, found[1]), (True, found[2])]


def _joined(parts: list[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """Text beside text becomes one cell; empty parts become none."""
    joined: list[tuple[bool, str]] = []
    for is_code, source in ((is_code, source.strip()) for is_code, source in parts):
        if source and joined and not is_code and not joined[-1][0]:
            joined[-1] = (False, f"{joined[-1][1]}\n\n{source}")
        elif source:
            joined.append((is_code, source))
    return joined


def run(notebook: NotebookNode) -> None:
    """Run every cell in its own folder, as Jupyter does, and keep the outputs."""
    NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=LONGEST_S,
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],  # it warns that it listens on 127.0.0.1
        resources={"metadata": {"path": str(FOLDER)}},
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
    options = argparse.ArgumentParser(description="Make docs/study/notebook.ipynb and run it.")
    options.add_argument("--check", action="store_true", help="Tell whether the committed cells are fresh.")
    options.add_argument("-o", "--out", type=Path, default=NOTEBOOK, help="The file that is written.")
    asked = options.parse_args()
    notebook = new_notebook(cells=cells(CELLS.read_text("utf-8"), PAGE.read_text("utf-8")))
    if asked.check:
        stale = sources(nbformat.read(NOTEBOOK, as_version=4)) != sources(notebook)
        if stale:
            print("docs/study/notebook.ipynb is stale; run python docs/generate_notebook.py", file=sys.stderr)
        return int(stale)
    run(notebook)
    nbformat.validate(notebook)
    nbformat.write(notebook, asked.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
