"""One page with a history for the tests of a file: it takes seconds to start."""

from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome

from tests.integration.web.browser import resize
from tests.integration.web.page.history.site import Site, history_site

EVENTS = 280


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with history_site(tmp_path_factory.mktemp("state"), EVENTS) as running:
        yield running


@pytest.fixture
def page(chrome: Chrome) -> Chrome:
    resize(chrome, 1280, 800, "light")
    return chrome
