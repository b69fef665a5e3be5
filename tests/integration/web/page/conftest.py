"""One browser for all tests of the page, which takes a second to start, and a camera that leaves it the processor."""

from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome

from tests.integration.web.browser import console_errors, open_browser, resize
from tests.integration.web.camera import Camera
from tests.integration.web.page.accessibility import Findings, findings, findings_at_every_size
from tests.integration.web.page.every_view import Visit, visited


@pytest.fixture
def camera() -> Iterator[Camera]:
    """Slower than others: to draw 30 pictures/s of this size takes a browser without a graphics card a whole core."""
    with Camera(fps=8) as running:
        yield running


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


@pytest.fixture(
    name="findings",
    params=[findings, pytest.param(findings_at_every_size, marks=pytest.mark.slow("vitcam/web"))],
    ids=["one size", "every size"],
)
def what_axe_objects_to(request: pytest.FixtureRequest) -> Findings:
    """A look at the page as it stands; once its files have changed, also at every size, light and dark."""
    found: Findings = request.param
    return found


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visited(tmp_path_factory.mktemp("state")) as found:
        yield found
