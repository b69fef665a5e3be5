"""The order of the house: which tests are long."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_tests_that_take_long_are_marked_in_their_own_file() -> None:
    """Where these run alone, tests/conftest.py imports no other file."""
    elsewhere = [
        name_of(path)
        for path in (ROOT / "tests").rglob("*.py")
        if not path.name.startswith("test_") and "mark.long" in path.read_text("utf-8")
    ]

    assert elsewhere == ["tests/conftest.py"]
