"""Write the table of parts into docs/program/architecture.md; --check tells if it is fresh."""

import sys
from importlib import import_module
from pathlib import Path

from vitcam.parts import PARTS
from vitcam.run.part import Part

PAGE = Path(__file__).parent / "program" / "architecture.md"
BEGIN = "<!-- parts: written by docs/generate_parts.py -->\n"
END = "<!-- parts end -->\n"
HEAD = "| folder | what it does | settings | threads |\n|---|---|---|---|\n"


def fresh(page: str) -> str:
    """The page with its table made again."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = "".join(map(_row, sorted(PARTS, key=lambda part: part.name)))
    return f"{before}{BEGIN}\n{HEAD}{rows}\n{END}{after}"


def _row(part: Part) -> str:
    """What it does is the first paragraph of its package's docstring."""
    said = (import_module(f"vitcam.parts.{part.name}").__doc__ or "").partition("\n\n")[0]
    settings = ", ".join(f"`[{name}]`" for name in part.sections) + "".join(f" `[[{name}]]`" for name in part.rules)
    return f"| `vitcam/parts/{part.name}/` | {' '.join(said.split())} | {settings} | {', '.join(part.threads)} |\n"


def main() -> int:
    """Exit status: 1 if --check found the page stale."""
    page = PAGE.read_text("utf-8")
    wanted = fresh(page)
    if "--check" in sys.argv[1:]:
        if page != wanted:
            print(f"{PAGE} is stale; run docs/generate_parts.py", file=sys.stderr)
        return int(page != wanted)
    PAGE.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
