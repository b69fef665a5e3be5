"""What of training must stay while the code is rebuilt: as tests/integration/test_frozen.py."""

from pathlib import Path

import pytest

from tests.frozen.comparison import differing
from tests.frozen.subjects import TRAINING_FAST, TRAINING_LONG


@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=pytest.mark.smoke) for name in TRAINING_FAST), *TRAINING_LONG]
)
def test_the_answer_is_the_frozen_one(name: str, tmp_path: Path) -> None:
    found = {**TRAINING_FAST, **TRAINING_LONG}[name](tmp_path)

    assert "\n".join(differing(name, found)) == ""
