"""How large the code is: lines, files, folders, leaves that others name (tests/house.py), protocols of one class, files
that a picture passes, files that a new part of the page touches (as its walk in CONTRIBUTING.md names them, which a
test follows), circles of imports.

    python -m tests.size [--versus COMMIT...] [--names]

Prints a table in Markdown, with a column for each commit before that of the files as they are now.
"""

import argparse
import sys

from tests.house import all_leaves, imports, offences
from tests.size.cycles import circles
from tests.size.passed import passed
from tests.size.protocols import of_one_class
from tests.size.trees import folders, parts, read_page, read_tree
from tests.walks import NEW_PART, PAGE, touched

Column = dict[str, str]


def column(commit: str | None, names: bool) -> Column:
    """What is counted -> the figure. names: print those of the modules as well."""
    tree = read_tree(commit)
    found: Column = {}
    leaves, offending = all_leaves(tree), offences({path: tree[path] for path in tree if path.startswith("vitcam/")})
    named = {row.split()[1] for row in offending if not any(leaf.owns(row.split()[2]) for leaf in leaves)}
    found["leaves that the code of the base imports or names"] = f"{len(named)} of {len(leaves)}"
    between = imports(offending, leaves)[1]
    found["leaves that import a leaf"] = str(len(between))
    beside = folders(tree)
    found["folders in `vitcam/` beside `parts/`"] = str(len(beside))
    for name, part in parts(tree).items():
        found[f"{name}: lines (logical lines) in files"] = f"{part.lines:,} ({part.logical:,}) in {part.files:,}"
    alone = of_one_class(tree)
    found["protocols with one implementation"] = str(len(alone))
    if names:
        for what, said in (
            ("named", sorted(offending)),
            ("folders", beside),
            ("protocols", sorted(alone)),
            ("leaves", between),
        ):
            print(f"{commit or 'now'}: {what}:", *said, sep="\n  ", file=sys.stderr)
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
