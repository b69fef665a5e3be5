"""Whether a leaf can be deleted: without its folder, its line in the table of parts and its tests, all else works.

    python -m tests.deletion [--start] [LEAF ...]    exit status 1 if something fails; prints seconds

A copy of the tree is type-checked, and prints its schema and its help. `--start`: in it the demo also runs, its state,
its description and its page answer, and the unit tests are collected.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.daemon import daemon, get_json, status_of
from tests.packaged import ROOT, tracked

PARTS = Path("vitcam/parts")
TABLE = PARTS / "__init__.py"
_TYPES = ".mypy_cache"
_TIMEOUT_S = 600


def leaves() -> list[str]:
    """Names of the folders in `vitcam/parts/`."""
    return sorted(path.parent.name for path in (ROOT / PARTS).glob("*/__init__.py"))


def copy_tree(folder: Path) -> None:
    """All files that git knows or would add, and what mypy knows of them; models are linked."""
    for name in tracked("--cached", "--others", "--exclude-standard"):
        if not name.startswith("models/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    (folder / "models").symlink_to(ROOT / "models")
    if (ROOT / _TYPES).exists():
        shutil.copytree(ROOT / _TYPES, folder / _TYPES)


def without_line(table: str, leaf: str) -> str:
    """The table of parts without what names a leaf. Raises AssertionError if it is not there in the usual way."""
    line = re.search(rf"^from vitcam\.parts\.{leaf} import PART as (\w+)\n", table, re.MULTILINE)
    assert line is not None, f"{TABLE} does not import PART of vitcam.parts.{leaf}"
    return re.sub(rf"\b{line[1]}\b,?\s*", "", table.replace(line[0], ""))


def delete(leaf: str, folder: Path) -> None:
    """From a copy of the tree."""
    shutil.rmtree(folder / PARTS / leaf)
    shutil.rmtree(folder / "tests" / "parts" / leaf, ignore_errors=True)
    table = folder / TABLE
    table.write_text(without_line(table.read_text("utf-8"), leaf), "utf-8")


def restore(leaf: str, folder: Path) -> None:
    """What `delete` took away."""
    for place in (PARTS / leaf, Path("tests/parts") / leaf):
        if (ROOT / place).exists():
            shutil.copytree(ROOT / place, folder / place)
    shutil.copy(ROOT / TABLE, folder / TABLE)


def is_typed(folder: Path) -> str:
    """What mypy says against it; empty: nothing. The first time is the slow one."""
    return _said(folder, "mypy", "-p", "vitcam")


def prints_its_schema(folder: Path) -> str:
    """What is said where `vitcam config schema` fails."""
    return _said(folder, "vitcam", "config", "schema")


def prints_its_help(folder: Path) -> str:
    """What is said where `vitcam --help` fails."""
    return _said(folder, "vitcam", "--help")


def runs(folder: Path) -> str:
    """What is wrong with the demo that runs in it."""
    with daemon("--source", "demo", PYTHONPATH=str(folder), XDG_STATE_HOME=str(folder / "build")) as running:
        running.wait_for("ok")
        assert get_json(f"{running.url}/openapi.json")["paths"]
        pages = {path: status_of(f"{running.url}{path}") for path in ("/", "/page/app.js", "/page/views.js")}
        code, _ = running.end()
        ended = "" if code == 0 else f"it ended with {code}: {running.errors()}"
    return ended + "".join(f"{path} was answered {status}" for path, status in pages.items() if status != 200)


def collects_its_tests(folder: Path) -> str:
    """What pytest says where a unit test cannot be imported."""
    return _said(folder, "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests/unit")


def _said(folder: Path, module: str, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(folder), "XDG_CONFIG_HOME": "/nonexistent"}
    command = [sys.executable, "-P", "-m", module, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=_TIMEOUT_S)
    return "" if done.returncode == 0 else (done.stdout + done.stderr)[-3000:]


Check = Callable[[Path], str]
CHECKS: Mapping[str, Check] = {"types": is_typed, "schema": prints_its_schema, "help": prints_its_help}
MORE: Mapping[str, Check] = {"demo": runs, "tests": collects_its_tests}


def main() -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.deletion")
    parser.add_argument("leaves", nargs="*", metavar="LEAF", default=leaves(), help="these alone")
    parser.add_argument("--start", action="store_true", help="run the demo and collect the tests, too")
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="vitcam-without-") as name:
        folder = Path(name)
        copy_tree(folder)
        is_typed(folder)
        for leaf in given.leaves:
            delete(leaf, folder)
            for what, check in {**CHECKS, **(MORE if given.start else {})}.items():
                started = time.monotonic()
                said = check(folder)
                failed += bool(said)
                print(f"without {leaf}, {what}: {said or 'well'}, {time.monotonic() - started:.1f} s", flush=True)
            restore(leaf, folder)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
