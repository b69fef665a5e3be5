"""The order of the house: what is installed, and which tests are long."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOT_INSTALLED = "vitcam_training.study"
"""Studies are run in a checkout: no wheel carries them."""


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


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


def test_tests_that_take_long_are_marked_in_their_own_file() -> None:
    """Where these run alone, tests/conftest.py imports no other file."""
    elsewhere = [
        name_of(path)
        for path in (ROOT / "tests").rglob("*.py")
        if not path.name.startswith("test_") and "mark.long" in path.read_text("utf-8")
    ]

    assert elsewhere == ["tests/conftest.py"]
