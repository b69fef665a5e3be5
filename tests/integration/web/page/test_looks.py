"""The two looks of the page: the answer first for everybody, and all that there is for who wants it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.integration.web.browser import open_browser, resize
from tests.integration.web.camera import Camera
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.history.site import history_site
from tests.integration.web.page.test_page import open_page, text, wait
from vitcam.state import History
from vitcam.web.server import WebServer


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """Somebody who was never here."""
    with open_browser(tmp_path_factory.mktemp("visitor"), 390, 844, look="") as chrome:
        yield chrome


def shown(chrome: Chrome, *names: str) -> list[str]:
    return [name for name in names if any(each.is_displayed() for each in chrome.find_elements(By.ID, name))]


def test_a_visitor_sees_the_answer_on_the_picture_and_chooses_to_see_all(
    visitor: Chrome, camera: Camera, server: WebServer, findings: Findings
) -> None:
    open_page(visitor, server)
    wait(visitor, lambda: text(visitor, "caption") == "cup")

    assert shown(visitor, "caption", "where", "answer", "controls", "stages") == ["caption", "where"]
    caption = visitor.find_element(By.ID, "caption")
    assert caption.location["y"] + caption.size["height"] < 422, "in the upper half of the phone"
    assert findings(visitor) == []
    resize(visitor, 844, 390)
    assert caption.location["y"] + caption.size["height"] <= 390, "on a phone held sideways, too"

    resize(visitor, 390, 844)
    visitor.find_element(By.CSS_SELECTOR, "#looks input:checked").send_keys(Keys.ARROW_RIGHT)
    assert shown(visitor, "where", "answer", "controls") == ["answer", "controls"]
    assert visitor.find_element(By.ID, "answer").location["y"] < visitor.find_element(By.ID, "controls").location["y"]
    visitor.refresh()
    wait(visitor, lambda: shown(visitor, "answer") == ["answer"])
    visitor.find_element(By.CSS_SELECTOR, "#looks input:checked").send_keys(Keys.ARROW_LEFT)
    camera.known = False
    try:
        wait(visitor, lambda: text(visitor, "caption").startswith("Not sure"))
    finally:
        camera.known = True


def test_where_it_looked_is_switched_off_and_on_again_as_it_was(visitor: Chrome, server: WebServer) -> None:
    open_page(visitor, server)
    visitor.execute_script("localStorage.vitcam = JSON.stringify({look: 'simple', overlay: 'heat'})")
    visitor.refresh()
    where = visitor.find_element(By.ID, "where")
    wait(visitor, where.is_selected)
    chosen = "return document.getElementById('controls')?.elements.overlay?.value"

    where.click()
    off = visitor.execute_script(chosen)
    visitor.refresh()
    wait(visitor, lambda: visitor.execute_script(chosen) == "none")
    visitor.find_element(By.ID, "where").click()

    assert off == "none"
    assert visitor.execute_script(chosen) == "heat"


def test_what_happened_today_is_told_with_pictures(
    visitor: Chrome, tmp_path_factory: pytest.TempPathFactory, findings: Findings
) -> None:
    folder: Path = tmp_path_factory.mktemp("state")
    with history_site(folder, 40) as site:
        site.camera.history = History(enabled=True)
        visitor.get(site.server.url)
        wait(visitor, lambda: len(visitor.find_elements(By.CSS_SELECTOR, "#today-list li")) > 0)
        first = visitor.find_element(By.CSS_SELECTOR, "#today-list a")

        assert " at " in visitor.find_element(By.ID, "today-list").text  # "once, at 10:41", or "3 times, last at 10:41"
        assert findings(visitor) == []
        resize(visitor, 390, 844)
        first.click()
        wait(visitor, lambda: visitor.find_element(By.ID, "event").is_displayed())


def test_a_page_that_is_opened_at_the_address_of_a_panel_has_it_open(visitor: Chrome, server: WebServer) -> None:
    for name in ("names", "models"):
        visitor.get("about:blank")
        visitor.get(f"{server.url}/#{name}")
        wait(visitor, lambda name=name: shown(visitor, f"{name}-panel") == [f"{name}-panel"])  # type: ignore[misc]


def test_the_language_is_chosen_and_kept(visitor: Chrome, server: WebServer) -> None:
    open_page(visitor, server)
    chooser = "const list = document.getElementById('language'); list.value = arguments[0];"
    visitor.execute_script(f"{chooser} list.dispatchEvent(new Event('change'))", "de")
    wait(visitor, lambda: text(visitor, "to-history") == "Verlauf")
    visitor.refresh()
    wait(visitor, lambda: text(visitor, "to-history") == "Verlauf")
    german = visitor.find_element(By.TAG_NAME, "html").get_attribute("lang")
    visitor.execute_script(f"{chooser} list.dispatchEvent(new Event('change'))", "")
    wait(visitor, lambda: text(visitor, "to-history") == "History")

    assert german == "de"
