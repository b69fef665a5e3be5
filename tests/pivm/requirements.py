"""The product's requirements as another Python would read them.

pip reads the condition of a requirement by its own Python, even where `--python-version` names another.

    python tests/pivm/requirements.py 3.13      one requirement a line, without its condition
"""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def requirements(project: dict[str, Any], python_version: str) -> Iterator[str]:
    """The dependencies that apply on that Python, with those of the extra that the service brings.

    project         the content of a pyproject.toml
    python_version  such as "3.13"
    """
    own = project["project"]
    for line in (*own["dependencies"], *own.get("optional-dependencies", {}).get("mqtt", ())):
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"python_version": python_version}):
            wanted.marker = None
            yield str(wanted)


if __name__ == "__main__":
    print(*requirements(tomllib.loads(PYPROJECT.read_text()), sys.argv[1]), sep="\n")
