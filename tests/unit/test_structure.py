"""The order of the house: sizes of files and folders."""

import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("vitcam", "training")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
FOLDERS = sorted({path.parent for path in MODULES})
MOST_MODULES = 25
MOST_LINES = 350
NOT_INSTALLED = "vitcam_training.study"
"""Studies are run in a checkout: no wheel carries them."""


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_a_folder_holds_few_modules_and_no_three_of_one_prefix(folder: Path) -> None:
    names = [path.stem for path in folder.glob("*.py") if not path.stem.startswith("__")]
    prefixes = Counter(name.split("_")[0] for name in names)

    assert len(names) <= MOST_MODULES
    assert [prefix for prefix, count in prefixes.items() if count > 2] == []


def test_every_package_is_installed_but_the_studies() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
    folders = {"vitcam": "vitcam", "training": "vitcam_training"}
    packages = {
        ".".join((name, *path.parent.relative_to(ROOT / folder).parts))
        for folder, name in folders.items()
        for path in (ROOT / folder).rglob("__init__.py")
    }

    installed = set(settings["packages"])

    assert {package for package in packages if package.startswith(NOT_INSTALLED)} == packages - installed
    assert installed - packages == {"vitcam.bundled", "vitcam.units"}


def test_a_file_is_read_in_one_sitting() -> None:
    lines = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}

    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_tests_that_take_long_are_marked_in_their_own_file() -> None:
    """Where these run alone, tests/conftest.py imports no other file."""
    elsewhere = [
        name_of(path)
        for path in (ROOT / "tests").rglob("*.py")
        if not path.name.startswith("test_") and "mark.long" in path.read_text("utf-8")
    ]

    assert elsewhere == ["tests/conftest.py"]
