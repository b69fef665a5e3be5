"""A camera and a server for each test, and a look at what the server left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.web.camera import Camera
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.web.parts import Binding
from vitcam.web.server import WebServer


@pytest.fixture
def camera() -> Iterator[Camera]:
    with Camera() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    made = EventStore(tmp_path, RetentionRules())
    made.start()
    yield made
    made.stop(10)


@pytest.fixture
def server(camera: Camera) -> Iterator[WebServer]:
    running = WebServer(camera.parts(), Binding())
    running.start()
    yield running
    running.stop(2)
