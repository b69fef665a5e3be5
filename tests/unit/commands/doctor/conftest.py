from pathlib import Path

import pytest

from vitcam.commands.doctor.check import Place
from vitcam.config.settings import Settings


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty machine: no sensor, no device, no board name."""
    return Place(Settings(), {"HOME": str(tmp_path)}, root=tmp_path)
