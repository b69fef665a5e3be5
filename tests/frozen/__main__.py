"""Print what differs from what is frozen, or freeze it as it is now; the difference is reviewed as any other change.

    python -m tests.frozen [--write] [NAME ...]     exit status 1 if anything differs

Without names all of them, which takes some minutes and needs the data of `VITCAM_DATA` and the extra `train`.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.frozen.comparison import differing, write
from tests.frozen.subjects import SUBJECTS


def main() -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.frozen")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {', '.join(SUBJECTS)}")
    parser.add_argument("--write", action="store_true", help="write the answers of this version")
    given = parser.parse_args()
    differ = False
    for name in given.names or SUBJECTS:
        with tempfile.TemporaryDirectory(prefix="vitcam-frozen-") as home:
            found = SUBJECTS[name](Path(home))
        said = differing(name, found)
        print(f"{name}: {'differs' if said else 'the same'}", *said, sep="\n  ", flush=True)
        differ |= bool(said)
        if given.write:
            write(name, found)
    return int(differ and not given.write)


if __name__ == "__main__":
    sys.exit(main())
