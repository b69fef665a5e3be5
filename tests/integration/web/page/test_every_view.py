"""Every view of the page opens, says nothing to the console, and axe-core finds nothing in it."""

from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome

from tests.integration.web.browser import console_errors
from tests.integration.web.page.accessibility import findings
from tests.integration.web.page.every_view import VIEWS, Visit, visited


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visited(tmp_path_factory.mktemp("state")) as found:
        yield found


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_opens_without_a_complaint(chrome: Chrome, visit: Visit, name: str) -> None:
    visit.open(chrome, name)

    assert findings(chrome, VIEWS[name].part) == []
    assert console_errors(chrome) == []
