from pathlib import Path

import pytest

from vitcam.config.settings import Settings
from vitcam.doctor.check import CheckContext
from vitcam.machine import Machine


@pytest.fixture
def context(tmp_path: Path) -> CheckContext:
    """An empty machine: no sensor, no device, no board name."""
    return CheckContext(Settings(), Machine({"HOME": str(tmp_path)}, tmp_path))
