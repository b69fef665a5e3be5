"""Install the extra `peers`: all of it at once, and where that fails, one package after the other.

python -m tests.bench.peers.install
"""

import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"


def requirements(pyproject: Path = PYPROJECT) -> list[str]:
    """The lines of the extra `peers`."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    return list(project["optional-dependencies"]["peers"])


def install(wanted: Sequence[str], pip: Callable[[Sequence[str]], bool]) -> list[str]:
    """Install what can be installed; returns what cannot."""
    if pip(wanted):
        return []
    return [requirement for requirement in wanted if not pip([requirement])]


def _pip(wanted: Sequence[str]) -> bool:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    for requirement in install(requirements(), _pip):
        print(f"cannot be installed here, so its peers will have no figures: {requirement}", file=sys.stderr)
