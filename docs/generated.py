"""What the scripts beside this one have in common: a part of a page between two comments is made again, or checked."""

import sys
from pathlib import Path


def between(page: str, what: str, text: str) -> str:
    """The page with this text in place of what stands between the comments of its script.

    what  as the comments say it: `<!-- threads: written by docs/generate_threads.py -->` and `<!-- threads end -->`
    """
    begin, end = f"<!-- {what}: written by docs/{Path(sys.argv[0]).name} -->\n", f"<!-- {what} end -->\n"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{text}\n{end}{after}"


def write(path: Path, what: str, text: str) -> int:
    """Write it into the page, or with `--check` say whether it is there. Returns the exit status: 1 if it is stale."""
    page = path.read_text("utf-8")
    wanted = between(page, what, text)
    if "--check" in sys.argv[1:]:
        if page != wanted:
            print(f"{path} is stale; run docs/{Path(sys.argv[0]).name}", file=sys.stderr)
        return int(page != wanted)
    path.write_text(wanted, "utf-8")
    return 0
