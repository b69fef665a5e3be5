from pathlib import Path

import pytest

from vitcam.config.settings import Settings
from vitcam.service.check import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty machine: no sensor, no device, no board name."""
    return Place(Settings(), {"HOME": str(tmp_path)}, root=tmp_path)
