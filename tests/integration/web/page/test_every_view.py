"""Every view of the page opens, says nothing to the console, and axe-core finds nothing in it."""

import pytest
from selenium.webdriver import Chrome

from tests.integration.web.browser import console_errors
from tests.integration.web.page.accessibility import findings
from tests.integration.web.page.every_view import VIEWS, Visit


@pytest.mark.smoke
@pytest.mark.parametrize("name", VIEWS)
def test_every_view_opens_without_a_complaint(chrome: Chrome, visit: Visit, name: str) -> None:
    visit.open(chrome, name)

    assert findings(chrome, VIEWS[name].part) == []
    assert console_errors(chrome) == []
