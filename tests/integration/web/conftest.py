"""A camera and a server for each test, and one browser for all of them, which takes a second to start."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.integration.web.browser import console_errors, open_browser, resize
from tests.integration.web.camera import Camera
from vitcam.history.retention import RetentionRules
from vitcam.history.store import EventStore
from vitcam.web.given import Binding
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


@pytest.fixture(scope="package")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with open_browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def chrome(browser: Chrome, request: pytest.FixtureRequest) -> Iterator[Chrome]:
    """The browser as it was at its start; a parameter is the width of its page in px."""
    browser.execute_cdp_cmd("Network.clearBrowserCookies", {})  # all ports of an address share them
    resize(browser, getattr(request, "param", 1280), 800)
    console_errors(browser)  # what earlier tests provoked is said by now
    yield browser
    first, *others = browser.window_handles
    for handle in others:
        browser.switch_to.window(handle)
        browser.close()
    browser.switch_to.window(first)
    browser.get("about:blank")
