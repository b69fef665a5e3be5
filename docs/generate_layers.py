"""Write the import layers of pyproject.toml into docs/program/architecture.md; --check tells if they are fresh."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "program" / "architecture.md"
BEGIN = "<!-- layers: written by docs/generate_layers.py -->\n"
END = "<!-- layers end -->\n"


def fresh(page: str, project: str) -> str:
    """The page with its layers made again.

    project  the text of pyproject.toml
    """
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    contracts = tomllib.loads(project)["tool"]["importlinter"]["contracts"]
    layers = {each["containers"][0]: each["layers"] for each in contracts if each["type"] == "layers"}
    blocks = [
        f"`{package}`, from the outside in:\n\n```text\n" + "\n".join(lines) + "\n```\n"
        for package, lines in layers.items()
    ]
    return f"{before}{BEGIN}\n" + "\n".join(blocks) + f"\n{END}{after}"


def main() -> int:
    """Exit status: 1 if --check found the page stale."""
    page = PAGE.read_text("utf-8")
    wanted = fresh(page, (ROOT / "pyproject.toml").read_text("utf-8"))
    if "--check" in sys.argv[1:]:
        if page != wanted:
            print(f"{PAGE} is stale; run docs/generate_layers.py", file=sys.stderr)
        return int(page != wanted)
    PAGE.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
