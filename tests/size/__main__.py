"""How large the code is: lines, files, small files, files that a picture passes, files that a new part of the page
touches (as its walk in CONTRIBUTING.md names them, which a test follows), circles of imports.

    python -m tests.size [--versus COMMIT...] [--names]

Prints a table in Markdown, with a column for each commit before that of the files as they are now.
"""

import argparse
import sys

from tests.size.cycles import circles
from tests.size.passed import passed
from tests.size.trees import SMALL, parts, read_page, read_tree
from tests.walks import NEW_PART, PAGE, touched

Column = dict[str, str]


def column(commit: str | None, names: bool) -> Column:
    """What is counted -> the figure. names: print those of the modules as well."""
    tree = read_tree(commit)
    found: Column = {}
    for name, part in parts(tree).items():
        found[f"{name}: lines"] = f"{part.lines:,}"
        found[f"{name}: files"] = f"{part.files:,}"
        found[f"{name}: files of at most {SMALL} lines"] = str(part.small)
        found[f"{name}: `__init__` of at most {SMALL} lines, and files of one line"] = str(part.smallest)
    for way, modules in passed(commit).items():
        found[f"files {way}"] = str(len(modules))
        if names:
            print(f"{commit or 'now'}: files {way}:", *modules, sep="\n  ", file=sys.stderr)
    walk = touched(read_page(commit, PAGE), NEW_PART)
    found["files that a new part of the page touches"] = str(walk) or "no walk"
    if names:
        print(f"{commit or 'now'}: {NEW_PART}:", *walk.changed, *walk.added, sep="\n  ", file=sys.stderr)
    for lazy, what in ((False, "circles of imports"), (True, "circles of imports, those within functions included")):
        groups = circles(tree, lazy)
        found[what] = str(len(groups))
        if names:
            print(f"{commit or 'now'}: {what}:", *(" ".join(group) for group in groups), sep="\n  ", file=sys.stderr)
    return found


def main() -> None:
    """Print the table."""
    options = argparse.ArgumentParser(prog="python -m tests.size")
    options.add_argument("--versus", nargs="+", default=[], metavar="COMMIT", help="show these commits, too")
    options.add_argument("--names", action="store_true", help="name the modules that are counted, on stderr")
    o = options.parse_args()
    columns = {name: column(commit, o.names) for name, commit in [*((each, each) for each in o.versus), ("now", None)]}
    print(f"| | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    for what in columns["now"]:
        print(f"| {what} | {' | '.join(each[what] for each in columns.values())} |")


if __name__ == "__main__":
    main()
