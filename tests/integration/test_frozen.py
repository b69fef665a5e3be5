"""What must stay while the code is rebuilt: `python -m tests.frozen --write NAME` freezes a wanted difference."""

from pathlib import Path

import pytest

from tests.frozen.comparison import differing
from tests.frozen.subjects import FAST, LONG


@pytest.mark.parametrize("name", [*(pytest.param(name, marks=pytest.mark.smoke) for name in FAST), *LONG])
def test_the_answer_is_the_frozen_one(name: str, tmp_path: Path) -> None:
    found = {**FAST, **LONG}[name](tmp_path)

    assert "\n".join(differing(name, found)) == ""
