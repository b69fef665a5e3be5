"""A daemon at full rate for half an hour, with hostile clients and a camera that has a fault every 20 s: `make soak`.

python -m tests.soak [--minutes 30] [--svg FILE]    exit status 1 if something grew, crashed, or was not served
"""

import argparse
import sys
from pathlib import Path

from tests.own_state import own_state
from tests.soak.report import draw, table
from tests.soak.run import soak


def main() -> int:
    """Print the table, draw the plot."""
    options = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    options.add_argument("--minutes", type=float, default=30.0)
    options.add_argument("--model", default="everyday")
    options.add_argument("--svg", type=Path, help="file of the plot")
    o = options.parse_args()
    with own_state():
        result = soak(o.minutes * 60, o.model)
    rows = table(result)
    print("| what | found | allowed | |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row.what} | {row.found} | {row.allowed} | {'ok' if row.holds else 'FAILS'} |")
    if not all(row.holds for row in rows):
        print(f"\nits descriptors at the end: {result.open_files}\nits log: {result.errors[-4000:]}")
    if o.svg:
        draw(result, o.svg)
    return int(not all(row.holds for row in rows))


if __name__ == "__main__":
    sys.exit(main())
