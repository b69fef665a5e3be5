"""Write the table of parts into docs/program/architecture.md; --check tells if it is fresh."""

import sys
from importlib import import_module
from pathlib import Path

from generated import write

from vitcam.parts import PARTS
from vitcam.run.part import Part

PAGE = Path(__file__).parent / "program" / "architecture.md"
HEAD = "| folder | what it does | settings | threads |\n|---|---|---|---|\n"


def table() -> str:
    """A row for each part."""
    rows = "".join(map(_row, sorted(PARTS, key=lambda part: part.name)))
    return f"{HEAD}{rows}"


def _row(part: Part) -> str:
    """What it does is the first paragraph of its package's docstring."""
    said = (import_module(f"vitcam.parts.{part.name}").__doc__ or "").partition("\n\n")[0]
    settings = ", ".join(f"`[{name}]`" for name in part.sections) + "".join(f" `[[{name}]]`" for name in part.rules)
    return f"| `vitcam/parts/{part.name}/` | {' '.join(said.split())} | {settings} | {', '.join(part.threads)} |\n"


if __name__ == "__main__":
    sys.exit(write(PAGE, "parts", table()))
