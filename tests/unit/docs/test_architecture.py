"""docs/program/architecture.md names what there is: every file in it exists, every package of both trees is in it."""

import re

import pytest

from tests.unit.docs.pages import ROOT

TEXT = (ROOT / "docs" / "program" / "architecture.md").read_text("utf-8")
TREES = ("vitcam", "training")


def packages() -> list[str]:
    """Those of the base and of training; the parts have a table of their own, which is generated."""
    found = [path.parent for tree in TREES for path in (ROOT / tree).rglob("__init__.py")]
    names = sorted(str(path.relative_to(ROOT)) for path in found)
    return [name for name in names if not name.startswith("vitcam/parts/")]


@pytest.mark.parametrize("package", packages())
def test_the_table_of_folders_has_a_row_for_every_package(package: str) -> None:
    assert f"| `{package}/` |" in TEXT


def test_every_folder_in_the_table_exists() -> None:
    table = TEXT.partition("## Folders\n")[2].partition("\n## ")[0]
    folders = re.findall(r"^\| `(\w[\w/]*)/` \|", table, re.MULTILINE)

    assert len(folders) == len(packages())
    assert not [folder for folder in folders if not (ROOT / folder / "__init__.py").exists()]


def test_every_file_that_is_named_exists() -> None:
    named = set(re.findall(r"(?<![\w/])\w[\w/]*\.py\b", TEXT.replace("../", "")))

    assert len(named) > 30
    assert not [name for name in named if not exists(name)]


def exists(name: str) -> bool:
    """Whether a path is there: from the root, from inside `vitcam`, or a bare name anywhere in one of the trees."""
    if any((root / name).exists() for root in (ROOT, ROOT / "vitcam", ROOT / "docs")):
        return True
    return "/" not in name and any(list((ROOT / tree).rglob(name)) for tree in TREES)
