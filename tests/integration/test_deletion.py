"""Each leaf can be deleted: `make release-check` also starts the demo without it (tests/deletion.py)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deletion import CHECKS, TABLE, copy_tree, delete, is_typed, leaves, restore, without_line


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all files, with the types of all of them known to mypy."""
    folder = tmp_path_factory.mktemp("tree")
    copy_tree(folder)
    assert is_typed(folder) == ""
    return folder


@pytest.fixture(params=leaves())
def tree_without(request: pytest.FixtureRequest, tree: Path) -> Iterator[Path]:
    """The copy without one leaf, its line and its tests."""
    delete(request.param, tree)
    yield tree
    restore(request.param, tree)


def test_without_a_leaf_the_types_fit_and_schema_and_help_are_printed(tree_without: Path) -> None:
    assert {name: check(tree_without) for name, check in CHECKS.items()} == dict.fromkeys(CHECKS, "")


def test_what_uses_a_leaf_that_is_deleted_is_found(tree: Path) -> None:
    user = tree / TABLE.parent.parent / "uses_a_leaf.py"
    user.write_text("from vitcam.parts.no_such_leaf import PART\n\nprint(PART)\n", "utf-8")
    try:
        assert "vitcam.parts.no_such_leaf" in is_typed(tree)
    finally:
        user.unlink()


def test_the_line_of_a_leaf_goes_and_those_of_others_stay() -> None:
    table = (
        "from vitcam.parts.clips import PART as CLIPS\nfrom vitcam.parts.heat import PART as HEAT\n"
        "PARTS: tuple[Part, ...] = (CLIPS, HEAT)\n"
    )

    assert without_line(table, "heat") == (
        "from vitcam.parts.clips import PART as CLIPS\nPARTS: tuple[Part, ...] = (CLIPS, )\n"
    )
    assert without_line(without_line(table, "heat"), "clips") == "PARTS: tuple[Part, ...] = ()\n"
