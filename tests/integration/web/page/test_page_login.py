"""Logging in and out in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.integration.web.browser import console_errors
from tests.integration.web.camera import Camera
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.test_page import wait
from tests.secured import PASSWORD, protected, quick_hash
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token, load_tokens
from vitcam.web.server import WebServer


@pytest.fixture
def guarded(camera: Camera, tmp_path: Path) -> Iterator[WebServer]:
    with protected(camera, tmp_path / "state") as server:
        yield server


def type_password(chrome: Chrome, password: str) -> None:
    field = chrome.find_element(By.ID, "password")
    field.clear()
    field.send_keys(password)
    chrome.find_element(By.ID, "send").click()


def message(chrome: Chrome) -> str:
    return chrome.find_element(By.ID, "message").text


def is_page(chrome: Chrome) -> bool:
    return bool(chrome.find_elements(By.ID, "status-text")) and chrome.find_element(By.ID, "status-text").text == "Live"


def test_a_person_logs_in_watches_and_logs_out(chrome: Chrome, guarded: WebServer) -> None:
    chrome.get(guarded.url)
    at_first = chrome.current_url
    complaints = console_errors(chrome)
    type_password(chrome, "wrong password")
    wait(chrome, lambda: message(chrome) == "This is not the password.")
    type_password(chrome, PASSWORD)
    wait(chrome, lambda: is_page(chrome))
    wait(chrome, lambda: chrome.find_element(By.ID, "log-out").is_displayed())
    wait(chrome, lambda: chrome.execute_script("return document.getElementById('picture').naturalWidth") > 0)
    chrome.get(f"{guarded.url}/login")  # there is a session already
    wait(chrome, lambda: is_page(chrome))
    wait(chrome, lambda: chrome.find_element(By.ID, "log-out").is_displayed())
    chrome.find_element(By.ID, "log-out").click()
    wait(chrome, lambda: chrome.current_url.endswith("/login"))
    chrome.get(guarded.url)

    assert at_first.endswith("/login")
    assert complaints == []
    assert chrome.current_url.endswith("/login")


def test_a_page_whose_session_ended_elsewhere_leads_to_the_login(
    chrome: Chrome, guarded: WebServer, tmp_path: Path
) -> None:
    chrome.get(guarded.url)
    type_password(chrome, PASSWORD)
    wait(chrome, lambda: is_page(chrome))
    save_password(tmp_path / "state", quick_hash("another password", b"fedcba9876543210"))
    wait(chrome, lambda: chrome.current_url.endswith("/login"))

    assert not is_page(chrome)


def test_after_too_many_guesses_the_page_says_how_long_to_wait(chrome: Chrome, guarded: WebServer) -> None:
    chrome.get(guarded.url)
    for i in range(6):
        wait(chrome, lambda: chrome.find_element(By.ID, "send").is_enabled())
        type_password(chrome, f"wrong {i}")
    wait(chrome, lambda: "Too many wrong passwords" in message(chrome))

    assert " s." in message(chrome)


def test_the_login_page_has_nothing_that_axe_objects_to(chrome: Chrome, guarded: WebServer, findings: Findings) -> None:
    chrome.get(guarded.url)

    assert findings(chrome) == []


def test_tokens_are_listed_below_settings_and_taken_back_there(
    chrome: Chrome, guarded: WebServer, tmp_path: Path
) -> None:
    for name in ("kitchen", "wall"):
        create_token(tmp_path / "state", name, Scope.READ)
    chrome.get(guarded.url)
    type_password(chrome, PASSWORD)
    wait(chrome, lambda: is_page(chrome))
    chrome.execute_script("location.hash = '#settings'")
    wait(chrome, lambda: len(chrome.find_elements(By.CSS_SELECTOR, "#settings-tokens-list li")) == 2)
    chrome.find_element(By.CSS_SELECTOR, "#settings-tokens-list button").click()
    chrome.find_element(By.ID, "settings-tokens-sure-yes").click()
    wait(chrome, lambda: len(chrome.find_elements(By.CSS_SELECTOR, "#settings-tokens-list li")) == 1)

    assert chrome.find_element(By.ID, "settings-tokens-list").text.startswith("wall may watch, since ")
    assert [token.name for token in load_tokens(tmp_path / "state")] == ["wall"]
