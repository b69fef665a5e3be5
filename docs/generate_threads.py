"""Write the table of threads into docs/program/architecture.md; --check tells if it is fresh."""

import sys
from pathlib import Path

from generated import write

from vitcam.parts import PARTS
from vitcam.threads.kinds import KINDS, ThreadKind

PAGE = Path(__file__).parent / "program" / "architecture.md"
HEAD = "| thread | does | may block on | if it fails | if it stands still |\n|---|---|---|---|---|\n"


def table() -> str:
    """A row for each thread, those of the base first."""
    kinds = {name: kind for table in (KINDS, *(part.threads for part in PARTS)) for name, kind in table.items()}
    rows = "".join(
        f"| {name} | {kind.does} | {kind.waits_for} | {kind.fails} | {_stands_still(kind)} |\n"
        for name, kind in kinds.items()
    )
    return f"{HEAD}{rows}"


def _stands_still(kind: ThreadKind) -> str:
    return kind.hangs if kind.bound_s is None else f"{kind.hangs} after {kind.bound_s:g} s"


if __name__ == "__main__":
    sys.exit(write(PAGE, "threads", table()))
