"""The first alert without a file: from an event of the history to a receiver that has it, with a real daemon."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

from tests.daemon import Daemon, daemon, get_json
from tests.integration.web.browser import console_errors, resize
from tests.integration.web.page.test_page import text, wait
from tests.integration.web.page.test_page_states import findings
from tests.secured import bearer, quick_hash
from tests.unit.actions.receiver import Receiver, receiver
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token

pytestmark = pytest.mark.long

PATIENCE_S = 120
CONFIG = '[camera]\nsource = "demo"\n\n[[on]]\nname = "lamp"\nlabel = "dog"\nfor_s = 5\nfile = "seen.jsonl"\n'
_WIDTH = "return Math.max(document.documentElement.scrollWidth, innerWidth)"  # a phone shrinks a page that is wider


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as found:
        yield found


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Daemon]:
    (tmp_path / "config.toml").write_text(CONFIG)
    with daemon("--config", str(tmp_path / "config.toml"), "--loop", STATE_DIRECTORY=str(tmp_path)) as started:
        started.wait_for("ok")
        yield started


def part(chrome: Chrome, name: str) -> WebElement:
    return chrome.find_element(By.ID, name)


def cards(chrome: Chrome) -> list[WebElement]:
    return part(chrome, "alerts-list").find_elements(By.CLASS_NAME, "alert")


def press(chrome: Chrome, element: WebElement) -> bool:
    """With the keyboard; true."""
    chrome.execute_script("arguments[0].focus()", element)
    assert chrome.switch_to.active_element == element
    element.send_keys(Keys.ENTER if element.tag_name == "button" else Keys.SPACE)
    return True


def until(chrome: Chrome, condition: Any) -> None:
    """The list is drawn again when something has come of an alert."""

    def holds() -> Any:
        try:
            return condition()
        except StaleElementReferenceException:
            return False

    wait(chrome, holds, PATIENCE_S)


def received(there: Receiver, trial: bool) -> list[dict[str, Any]]:
    """The events that came, made up or not."""
    return [event for event in map(json.loads, list(there.bodies)) if event.get("test", False) is trial]


def look(chrome: Chrome, name: str) -> None:
    """Screenshots for a person, where somebody wants some; and nothing may be wider than the screen."""
    for size, scheme in (((390, 844), "light"), ((390, 844), "dark"), ((1280, 800), "light"), ((1280, 800), "dark")):
        resize(chrome, *size, scheme)
        assert chrome.execute_script(_WIDTH) <= size[0], (name, size)
        if folder := os.environ.get("VITCAM_SCREENSHOTS"):
            chrome.save_screenshot(str(Path(folder, f"{name}-{size[0]}-{scheme}.png")))
    resize(chrome, 1280, 800)


def test_the_first_alert_is_made_from_an_event_tried_and_delivered_with_the_keyboard_alone(
    running: Daemon, chrome: Chrome, there: Receiver
) -> None:
    alerts = f"{running.url}/api/alerts"
    until(chrome, lambda: get_json(f"{running.url}/api/events")["events"])
    event = get_json(f"{running.url}/api/events")["events"][0]
    chrome.get(f"{running.url}/#event/{event['id']}")
    until(chrome, lambda: part(chrome, "event-alert").is_displayed())
    part(chrome, "event-alert").send_keys(Keys.ENTER)
    name = event["shown"]["label"] or event["label"]
    until(chrome, lambda: part(chrome, "alert-form").is_displayed())
    assert part(chrome, "alert-label").get_attribute("value") == name
    assert Select(part(chrome, "alert-what")).first_selected_option.text == "this:"

    # what is missing is said, and stays to be mended
    part(chrome, "alert-label").send_keys(Keys.ENTER)
    until(chrome, lambda: "at least one way" in text(chrome, "alert-message"))
    assert findings(chrome) == []
    press(chrome, part(chrome, "alert-by-webhook"))
    part(chrome, "alert-webhook").send_keys("ftp://home.example", Keys.ENTER)
    until(chrome, lambda: "such as https://" in text(chrome, "alert-message"))
    part(chrome, "alert-webhook").clear()
    part(chrome, "alert-webhook").send_keys(there.url)
    press(chrome, part(chrome, "alert-sound"))
    Select(part(chrome, "alert-when")).select_by_index(3)
    look(chrome, "form")
    Select(part(chrome, "alert-when")).select_by_index(0)
    press(chrome, part(chrome, "alert-save"))
    until(chrome, lambda: len(cards(chrome)) == 1)

    # tried: the receiver has it, this window shows it, and the card says both
    until(chrome, lambda: "alert-try" in str(chrome.switch_to.active_element.get_attribute("class")))
    chrome.switch_to.active_element.send_keys(Keys.ENTER)
    until(chrome, lambda: text(chrome, "alerts-said") == "It reached its receivers.")
    assert [each["rule"] for each in received(there, trial=True)] == [get_json(alerts)["alerts"][0]["name"]]
    until(chrome, lambda: "Trial · delivered: a webhook" in cards(chrome)[0].text)
    assert "Trial · delivered: a sound on this page" in cards(chrome)[0].text
    assert text(chrome, "alert-heard").startswith("Alert:")
    assert "secret-path" not in chrome.page_source
    look(chrome, "tried")
    assert findings(chrome) == []

    # delivered, when it is seen again; and the rule of the file stands beside it with its line
    until(chrome, lambda: received(there, trial=False))
    until(chrome, lambda: cards(chrome)[0].find_elements(By.CSS_SELECTOR, ".alert-last a[href^='#event/']"))
    rule = part(chrome, "alerts-rules").text
    assert "Tell me when dog is seen anywhere for 5 seconds, at any time." in rule
    assert "line 5 of" in rule
    assert not part(chrome, "alerts-rules").find_elements(By.TAG_NAME, "button")

    # switched off, changed, deleted
    until(chrome, lambda: press(chrome, cards(chrome)[0].find_element(By.CSS_SELECTOR, "[role=switch]")))
    until(chrome, lambda: not get_json(alerts)["alerts"][0]["enabled"])
    until(chrome, lambda: "off" in str(cards(chrome)[0].get_attribute("class")))
    press(chrome, cards(chrome)[0].find_element(By.CLASS_NAME, "alert-change"))
    Select(part(chrome, "alert-what")).select_by_index(1)
    Select(part(chrome, "alert-when")).select_by_index(1)
    press(chrome, part(chrome, "alert-save"))
    until(chrome, lambda: "when anything is seen anywhere for a moment, at night" in cards(chrome)[0].text)
    assert get_json(alerts)["alerts"][0]["webhook"].endswith("/***")
    press(chrome, cards(chrome)[0].find_element(By.CLASS_NAME, "alert-delete"))
    press(chrome, part(chrome, "alerts-sure-yes"))
    until(chrome, lambda: part(chrome, "alerts-none").is_displayed())
    assert get_json(alerts)["alerts"] == []
    look(chrome, "none")
    assert [error for error in console_errors(chrome) if "400 (Bad Request)" not in error] == []


def test_who_may_only_look_gets_no_buttons_that_change(tmp_path: Path, chrome: Chrome) -> None:
    gone = {"id": "0123abcd", "enabled": True, "sound": True, "label": "tabby cat", "zone": "door"}
    (tmp_path / "alerts.json").write_text(json.dumps({"alerts": [gone]}))
    save_password(tmp_path, quick_hash())
    token = create_token(tmp_path, "reader", Scope.READ)
    with daemon("--source", "demo", "--loop", "--host", "0.0.0.0", STATE_DIRECTORY=str(tmp_path)) as running:
        chrome.execute_cdp_cmd("Network.enable", {})
        chrome.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": bearer(token)})
        try:
            until(chrome, lambda: _opens(chrome, f"{running.url}/#alerts"))
            until(chrome, lambda: len(cards(chrome)) == 1)
            until(chrome, lambda: not part(chrome, "alerts-new").is_displayed())
            assert not cards(chrome)[0].find_elements(By.CSS_SELECTOR, "button, input")
            assert "no zone is called 'door'" in cards(chrome)[0].text
            look(chrome, "read")
        finally:
            chrome.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {}})


def _opens(chrome: Chrome, url: str) -> bool:
    try:
        chrome.get(url)
    except Exception:  # noqa: BLE001 - the daemon does not answer yet
        return False
    return bool(chrome.find_elements(By.ID, "alerts-list"))
