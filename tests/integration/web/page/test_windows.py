"""Many windows of one browser, which has six connections to a host for all of them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.eventually import eventually
from tests.integration.web.browser import console_errors, open_browser
from tests.integration.web.camera import Camera
from tests.integration.web.page.test_page import picture_width, text, wait
from tests.secured import ask
from vitcam.web.server import WebServer

pytestmark = pytest.mark.slow("vitcam/web")

MANY = 8
PATIENCE_S = 60


@pytest.fixture
def chrome(tmp_path: Path) -> Iterator[Chrome]:
    """A browser of its own, which has no other connection."""
    with open_browser(tmp_path) as driver:
        yield driver


def open_windows(chrome: Chrome, url: str, count: int) -> list[str]:
    """Each shows the page."""
    handles = []
    for number in range(count):
        if number:
            chrome.switch_to.new_window("window")
        chrome.get(url)
        handles.append(chrome.current_window_handle)
        wait(chrome, lambda: shows(chrome, "cup"), PATIENCE_S)
    return handles


def shows(chrome: Chrome, label: str) -> bool:
    return text(chrome, "status-text") == "Live" and label in text(chrome, "label") and picture_width(chrome) > 100


def clients(server: WebServer) -> tuple[int, int]:
    """How many streams and how many readers of predictions the server counts."""
    found = json.loads(ask(server.url, "/api/state").body)["clients"]
    return found["stream"], found["predictions"]


def all_show(chrome: Chrome, handles: list[str], label: str) -> None:
    for handle in handles:
        chrome.switch_to.window(handle)
        assert not chrome.execute_script("return document.hidden")
        wait(chrome, lambda: shows(chrome, label), PATIENCE_S)


def test_eight_windows_show_the_picture_whichever_of_them_is_closed(
    chrome: Chrome, server: WebServer, camera: Camera
) -> None:
    handles = open_windows(chrome, server.url, MANY)
    assert eventually(lambda: clients(server) == (3, 1))
    sharing = []
    for handle in handles:
        chrome.switch_to.window(handle)
        sharing.append("one by one" in text(chrome, "sharing"))
    complaints = console_errors(chrome)
    camera.label = "cat"
    all_show(chrome, handles, "cat")
    for closed, label in ((0, "cup"), (-1, "cat"), (0, "cup")):  # the one that reads for all; one that asks; again
        chrome.switch_to.window(handles.pop(closed))
        chrome.close()
        camera.label = label
        all_show(chrome, handles, label)

    assert sharing == [False] * 3 + [True] * (MANY - 3)
    assert complaints == []
    assert eventually(lambda: clients(server) == (3, 1))


def test_a_window_that_says_nothing_any_more_holds_up_nobody(chrome: Chrome, server: WebServer, camera: Camera) -> None:
    handles = open_windows(chrome, server.url, 2)
    chrome.switch_to.window(handles[0])
    chrome.execute_script("BroadcastChannel.prototype.postMessage = () => {}")  # as one that hangs
    chrome.switch_to.window(handles[1])
    camera.label = "cat"

    assert eventually(lambda: shows(chrome, "cat"), PATIENCE_S)
