"""A server that asks for its password."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.web.camera import Camera
from tests.secured import protected
from vitcam.web.server import WebServer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def guarded(camera: Camera, folder: Path) -> Iterator[WebServer]:
    with protected(camera, folder) as server:
        yield server
