"""Write the table of threads into docs/program/architecture.md; --check tells if it is fresh."""

import sys
from pathlib import Path

from vitcam.parts import PARTS
from vitcam.threads.kinds import KINDS, ThreadKind

PAGE = Path(__file__).parent / "program" / "architecture.md"
BEGIN = "<!-- threads: written by docs/generate_threads.py -->\n"
END = "<!-- threads end -->\n"
HEAD = "| thread | does | may block on | if it fails | if it stands still |\n|---|---|---|---|---|\n"


def fresh(page: str) -> str:
    """The page with its table made again."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    kinds = {name: kind for table in (KINDS, *(part.threads for part in PARTS)) for name, kind in table.items()}
    rows = "".join(
        f"| {name} | {kind.does} | {kind.waits_for} | {kind.fails} | {_stands_still(kind)} |\n"
        for name, kind in kinds.items()
    )
    return f"{before}{BEGIN}\n{HEAD}{rows}\n{END}{after}"


def _stands_still(kind: ThreadKind) -> str:
    return kind.hangs if kind.bound_s is None else f"{kind.hangs} after {kind.bound_s:g} s"


def main() -> int:
    """Exit status: 1 if --check found the page stale."""
    page = PAGE.read_text("utf-8")
    wanted = fresh(page)
    if "--check" in sys.argv[1:]:
        if page != wanted:
            print(f"{PAGE} is stale; run docs/generate_threads.py", file=sys.stderr)
        return int(page != wanted)
    PAGE.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
