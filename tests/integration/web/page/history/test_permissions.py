"""The history for a caller who may only look, and where no events are stored."""

from pathlib import Path

from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.integration.web.browser import console_errors
from tests.integration.web.camera import Camera
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.history.site import cards, history_site, open_history
from tests.integration.web.page.test_page import text, wait
from tests.integration.web.page.test_page_states import hidden
from tests.secured import bearer, quick_hash
from vitcam.access.guard import Guard
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token
from vitcam.web.given import Binding
from vitcam.web.server import WebServer


def test_a_caller_who_may_only_look_gets_no_buttons_that_change(
    page: Chrome, tmp_path: Path, findings: Findings
) -> None:
    save_password(tmp_path, quick_hash())
    token = create_token(tmp_path, "screen", Scope.READ)
    page.execute_cdp_cmd("Network.enable", {})
    page.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": bearer(token)})
    try:
        with history_site(tmp_path, 3, Binding(guard=Guard(quick_hash(), tmp_path))) as site:
            open_history(page, site, "event/e1")
            wait(page, lambda: not hidden(page, "event-body") and hidden(page, "event-change"))
            shown = [name for name in ("event-favourite", "event-delete", "event-correct") if not hidden(page, name)]
            page.find_element(By.TAG_NAME, "body").send_keys("f")
            objections = findings(page)
            kept = site.store.get("e1")
            complaints = console_errors(page)
    finally:
        page.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {}})

    assert shown == []
    assert kept is not None
    assert not kept.favourite
    assert objections == []
    assert complaints == []


def test_where_no_events_are_stored_the_page_says_how_to_change_that(page: Chrome, findings: Findings) -> None:
    with Camera(fps=5) as camera:
        server = WebServer(camera.parts(), Binding())
        server.start()
        page.get(f"{server.url}/#events")
        wait(page, lambda: "switch it on in the settings" in text(page, "history-message"))
        objections = findings(page)
        server.stop(2)

    assert cards(page) == []
    assert hidden(page, "filters")
    assert objections == []
