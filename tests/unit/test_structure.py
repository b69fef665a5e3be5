"""The order of the house: which tests run when."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_tier_of_a_test_is_marked_in_its_own_file() -> None:
    """Where one tier runs alone, tests/conftest.py imports no other file."""
    elsewhere = {
        name_of(path)
        for path in (ROOT / "tests").rglob("*.py")
        if not path.name.startswith("test_") and re.search(r"mark\.(long|smoke)", path.read_text("utf-8"))
    }

    assert elsewhere == {"tests/conftest.py"}
