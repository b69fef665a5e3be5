"""The whole page below a path, in a browser that speaks HTTP/2 to nginx or Caddy; and in a frame of another site."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.daemon import free_port
from tests.eventually import eventually
from tests.integration.web.browser import console_errors
from tests.integration.web.page.history.site import history_site
from tests.integration.web.page.test_page import picture_width, text, wait
from tests.integration.web.page.test_page_login import type_password
from tests.proxies import proxy
from tests.secured import PASSWORD, quick_hash
from vitcam.access.guard import Guard
from vitcam.access.password import save_password
from vitcam.web.given import Binding

pytestmark = pytest.mark.slow("vitcam/web")

_PROTOCOL = "return performance.getEntriesByType('navigation')[0].nextHopProtocol"
_PICTURE = "return document.getElementById('event-image').naturalWidth"


def guarded(folder: Path, **more: tuple[str, ...]) -> Binding:
    save_password(folder, quick_hash())
    return Binding(proxies=("127.0.0.1",), guard=Guard(quick_hash(), folder), **more)  # type: ignore[arg-type]


def watches(chrome: Chrome) -> bool:
    if not chrome.find_elements(By.ID, "picture"):
        return False  # still the login page
    said = chrome.find_element(By.ID, "caption").get_attribute("textContent") or ""  # in a frame, the look is simple
    return picture_width(chrome) > 100 and "cup" in said and text(chrome, "status-text") == "Live"


@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_a_person_logs_in_watches_looks_back_and_logs_out_below_a_path(
    chrome: Chrome, tmp_path: Path, name: str
) -> None:
    state = tmp_path / "state"
    with history_site(state, 5, guarded(state)) as site, proxy(name, site.server.url, tmp_path / "proxy") as url:
        chrome.get(url)
        wait(chrome, lambda: chrome.current_url == f"{url}login")
        type_password(chrome, PASSWORD)
        wait(chrome, lambda: watches(chrome))
        protocol = chrome.execute_script(_PROTOCOL)
        snapshot = chrome.find_element(By.ID, "snapshot").get_attribute("href")
        chrome.find_element(By.ID, "to-history").click()
        chip = chrome.find_element(By.CSS_SELECTOR, ".chip:has([name=view][value=all])")
        wait(chrome, chip.is_displayed)
        chip.click()
        wait(chrome, lambda: chrome.find_elements(By.CSS_SELECTOR, "#grid .event"))
        chrome.find_element(By.CSS_SELECTOR, "#grid .event").click()
        wait(chrome, lambda: chrome.execute_script(_PICTURE))
        complaints = console_errors(chrome)
        chrome.find_element(By.ID, "log-out").click()
        wait(chrome, lambda: chrome.current_url == f"{url}login")

    assert protocol == "h2"
    assert str(snapshot).startswith(f"{url}snapshot.jpg")
    assert complaints == []


@pytest.fixture
def dashboard() -> Iterator[tuple[str, list[str]]]:
    """The address of another site, and what its page holds."""
    held = [""]

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(held[0].encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", free_port()), Page)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}", held
    server.shutdown()
    server.server_close()


def test_a_named_site_shows_the_page_in_a_frame_with_its_login(
    chrome: Chrome, tmp_path: Path, dashboard: tuple[str, list[str]]
) -> None:
    home, held = dashboard
    state = tmp_path / "state"
    with (
        history_site(state, 1, guarded(state, frames=(home,))) as site,
        proxy("nginx", site.server.url, tmp_path / "proxy") as url,
    ):
        held[0] = f"<!doctype html><iframe src='{url}' style='width:1000px;height:700px'></iframe>"
        chrome.get(home)
        chrome.switch_to.frame(0)
        wait(chrome, lambda: chrome.find_elements(By.ID, "password"))
        type_password(chrome, PASSWORD)
        wait(chrome, lambda: watches(chrome))
        chrome.switch_to.default_content()
        chrome.get(home.replace("localhost", "127.0.0.1"))  # a site that is not named
        chrome.switch_to.frame(0)

        assert eventually(lambda: chrome.execute_script("return location.protocol") == "chrome-error:", 30)
