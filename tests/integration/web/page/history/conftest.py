"""One browser for all tests, and one page with a history for those of a file: both take seconds to start."""

from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome

from tests.integration.web.browser import console_errors, open_browser
from tests.integration.web.page.history.site import Site, history_site
from tests.integration.web.page.test_page_states import resize

EVENTS = 280


@pytest.fixture(scope="package")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with open_browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with history_site(tmp_path_factory.mktemp("state"), EVENTS) as running:
        yield running


@pytest.fixture
def page(chrome: Chrome) -> Iterator[Chrome]:
    resize(chrome, 1280, 800, "light")
    console_errors(chrome)  # what earlier tests provoked is said by now
    yield chrome
    chrome.get("about:blank")
