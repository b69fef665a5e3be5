"""Write the import layers of pyproject.toml into docs/program/architecture.md; --check tells if they are fresh."""

import sys
import tomllib
from pathlib import Path

from generated import write

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "program" / "architecture.md"


def layers(project: str) -> str:
    """The layers of each package.

    project  the text of pyproject.toml
    """
    contracts = tomllib.loads(project)["tool"]["importlinter"]["contracts"]
    found = {each["containers"][0]: each["layers"] for each in contracts if each["type"] == "layers"}
    blocks = [
        f"`{package}`, from the outside in:\n\n```text\n" + "\n".join(lines) + "\n```\n"
        for package, lines in found.items()
    ]
    return "\n".join(blocks)


if __name__ == "__main__":
    sys.exit(write(PAGE, "layers", layers((ROOT / "pyproject.toml").read_text("utf-8"))))
