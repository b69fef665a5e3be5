"""Which files an installation has: setup.py finds the packages, pyproject.toml the kinds of their data."""

import runpy
import tomllib
from collections.abc import Callable
from pathlib import Path

from tests.packaged import ELSEWHERE, FOLDERS, ROOT, tracked, wanted_in_wheel

PACKAGES: Callable[[Path], list[str]] = runpy.run_path(str(ROOT / "setup.py"))["packages"]


def installed(root: Path) -> set[str]:
    """The files of a wheel, by the names that they have in it."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    folders, data = {target: name for name, target in FOLDERS.items()}, tools["package-data"]
    found = set()
    for package in PACKAGES(root):
        inside = package.replace(".", "/") + "/"
        target = max((target for target in folders if inside.startswith(target)), key=len)
        folder = root / folders[target] / inside.removeprefix(target)
        for pattern in ("*.py", *data["*"], *data.get(package, ())):
            found |= {inside + str(path.relative_to(folder)) for path in folder.glob(pattern) if path.is_file()}
    return found


def test_all_programs_and_their_data_are_installed_but_the_studies() -> None:
    """`make packages` compares the same with a wheel that is built."""
    here = tracked("--cached", "--others", "--exclude-standard")

    assert installed(ROOT) == wanted_in_wheel(here) - set(ELSEWHERE.values())


def test_a_new_folder_is_installed_with_its_page_and_its_phrases(tmp_path: Path) -> None:
    inside = tmp_path / "vitcam" / "parts" / "alarm"
    files = [inside / name for name in ("__init__.py", "page/view.js", "page/view.html", "page/language/de.json")]
    for path in [tmp_path / "vitcam" / "__init__.py", tmp_path / "vitcam" / "parts" / "__init__.py", *files]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    assert installed(tmp_path) >= {str(path.relative_to(tmp_path)) for path in files}
