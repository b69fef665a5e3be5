"""A camera and a server for each test, and a look at what the server left behind."""

from collections.abc import Iterator

import pytest

from tests.integration.web.camera import Camera
from vitcam.web.parts import Binding
from vitcam.web.server import WebServer


@pytest.fixture
def camera() -> Iterator[Camera]:
    with Camera() as running:
        yield running


@pytest.fixture
def server(camera: Camera) -> Iterator[WebServer]:
    running = WebServer(camera.parts(), Binding())
    running.start()
    yield running
    running.stop(2)
