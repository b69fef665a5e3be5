from pathlib import Path

import pytest

from vitcam.commands.doctor.check import Examined
from vitcam.config.settings import Settings
from vitcam.machine import Machine


@pytest.fixture
def examined(tmp_path: Path) -> Examined:
    """An empty machine: no sensor, no device, no board name."""
    return Examined(Settings(), Machine({"HOME": str(tmp_path)}, tmp_path))
