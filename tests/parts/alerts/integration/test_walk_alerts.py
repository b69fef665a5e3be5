"""The first alert without a file: from an event of the history to a receiver that has it, with a real daemon."""

import json
import os
import stat
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.integration.web.browser import console_errors, resize
from tests.integration.web.page.accessibility import DESK, SCHEMES, SIZES, WALKED, WALKED_IDS, findings_at_every_size
from tests.integration.web.page.test_page import text, wait
from tests.integration.web.page.test_page_zones import drag
from tests.parts.alerts.ntfy_server import ntfy_server
from tests.parts.alerts.receiver import Receiver, receiver
from tests.push_service import Browser, decoded, push_service
from tests.secured import bearer, quick_hash
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token

pytestmark = pytest.mark.slow("vitcam/web", "vitcam/parts/alerts")

PATIENCE_S = 120
DOOR = (Keys.CONTROL, "a", Keys.NULL, "door")  # instead of the name that was proposed
CONFIG = '[camera]\nsource = "demo"\n\n[[on]]\nname = "lamp"\nlabel = "dog"\nfor_s = 5\ncommand = ["true"]\n'
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
    size_now = chrome.execute_script("return [innerWidth, innerHeight]")
    for size, scheme in product(SIZES, SCHEMES):
        resize(chrome, *size, scheme)
        assert chrome.execute_script(_WIDTH) <= size[0], (name, size)
        if folder := os.environ.get("VITCAM_SCREENSHOTS"):
            chrome.save_screenshot(str(Path(folder, f"{name}-{size[0]}-{scheme}.png")))
    resize(chrome, *size_now)


def is_sound(chrome: Chrome, name: str) -> None:
    """At the desk: at every size, and axe finds nothing. Else as it stands."""
    width, height = chrome.execute_script("return [innerWidth, innerHeight]")
    assert chrome.execute_script(_WIDTH) <= width, name
    if (width, height) == DESK:
        look(chrome, name)
        assert findings_at_every_size(chrome) == []
        resize(chrome, *DESK)
    elif folder := os.environ.get("VITCAM_SCREENSHOTS"):
        chrome.save_screenshot(str(Path(folder, f"walk-{name}-{width}.png")))


@pytest.mark.parametrize(("size", "scheme"), WALKED, ids=WALKED_IDS)
def test_the_first_alert_is_made_from_an_event_tried_and_delivered_with_the_keyboard_alone(
    running: Daemon, chrome: Chrome, there: Receiver, size: tuple[int, int], scheme: str
) -> None:
    resize(chrome, *size, scheme)
    alerts = f"{running.url}/api/alerts"
    until(chrome, lambda: get_json(f"{running.url}/api/events")["events"])
    event = get_json(f"{running.url}/api/events")["events"][0]
    chrome.get(f"{running.url}/#event/{event['id']}")
    next_time = (By.CSS_SELECTOR, "#event-change a[data-view=alerts]")
    until(chrome, lambda: chrome.find_element(*next_time).is_displayed())
    chrome.find_element(*next_time).send_keys(Keys.ENTER)
    name = event["shown"]["kind"] or event["label"]
    until(chrome, lambda: part(chrome, "alert-form").is_displayed())
    assert part(chrome, "alert-label").get_attribute("value") == name
    assert Select(part(chrome, "alert-what")).first_selected_option.text == "a certain thing"

    # what is missing is said, and stays to be mended; a phone is proposed
    until(chrome, lambda: part(chrome, "alert-phone-code").is_displayed())
    assert str(part(chrome, "alert-ntfy").get_attribute("value")).startswith("https://ntfy.sh/vitcam-")
    is_sound(chrome, "phone")
    press(chrome, part(chrome, "alert-by-ntfy"))
    part(chrome, "alert-label").send_keys(Keys.ENTER)
    until(chrome, lambda: "at least one way" in text(chrome, "alert-message"))
    press(chrome, part(chrome, "alert-by-webhook"))
    part(chrome, "alert-webhook").send_keys("ftp://home.example", Keys.ENTER)
    until(chrome, lambda: "such as https://" in text(chrome, "alert-message"))
    part(chrome, "alert-webhook").clear()
    part(chrome, "alert-webhook").send_keys(there.url)
    press(chrome, part(chrome, "alert-sound"))
    Select(part(chrome, "alert-when")).select_by_index(3)
    is_sound(chrome, "form")
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
    is_sound(chrome, "tried")

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
    is_sound(chrome, "none")
    assert [error for error in console_errors(chrome) if "400 (Bad Request)" not in error] == []


_SUBSCRIBE = """
  window.asked = null;
  PushManager.prototype.subscribe = async (options) => {
    window.asked = [...options.applicationServerKey];
    return { toJSON: () => JSON.parse(arguments[0]) };
  };
"""
_SCOPES = """
  const done = arguments[0];
  navigator.serviceWorker.getRegistrations().then((all) => done(all.map(({ active, scope }) => active && scope)));
"""
WORKER = (Path(__file__).parents[4] / "vitcam/parts/alerts/page/push_worker.js").read_text("utf-8")
# the worker itself, with what a browser gives it: a message comes, then its notification is pressed
_PUSHED = """
  const [text, page, done] = arguments;
  const told = [], heard = {};
  const open = { url: `${page}/#live`, postMessage: (data) => told.push(data), focus: () => told.push("focus") };
  const self = {
    addEventListener: (kind, listener) => { heard[kind] = listener; },
    registration: { scope: `${page}/page/alerts/`, showNotification: async (...shown) => told.push(shown) },
    clients: { matchAll: async () => [open], openWindow: async (address) => told.push(address) },
  };
"""
_THEN = """
  const wait = (listener, event) => new Promise((over) => listener({ ...event, waitUntil: (work) => work.then(over) }));
  (async () => {
    await wait(heard.push, { data: { json: () => JSON.parse(text) } });
    const notification = { close: () => told.push("close"), data: told[0][1].data };
    await wait(heard.notificationclick, { notification });
    self.clients.matchAll = async () => [];
    await wait(heard.notificationclick, { notification });
    done(told);
  })();
"""


def test_a_browser_is_allowed_by_a_press_gets_a_trial_shows_it_and_is_removed(tmp_path: Path, chrome: Chrome) -> None:
    """Chromium's own push service cannot be reached here: one of the tests takes its place, on both sides."""
    state = tmp_path / "state"
    with push_service(tmp_path) as service:
        browser = Browser()
        given = json.dumps(browser.subscription(f"{service.url}/one/secret-endpoint"))
        environment = {"STATE_DIRECTORY": str(state), "SSL_CERT_FILE": str(service.certificate)}
        with daemon("--source", "demo", "--loop", **environment) as running:
            running.wait_for("ok")
            granted = {"origin": running.url, "permissions": ["notifications"]}
            chrome.execute_cdp_cmd("Browser.grantPermissions", granted)
            chrome.get(f"{running.url}/#alerts")
            until(chrome, lambda: part(chrome, "alerts-allow").is_displayed())
            chrome.execute_script(_SUBSCRIBE, given)
            press(chrome, part(chrome, "alerts-allow"))
            until(chrome, lambda: "gets messages now" in text(chrome, "alerts-browser-message"))
            key = get_json(f"{running.url}/api/alerts/push")["key"]
            assert bytes(chrome.execute_script("return window.asked")) == decoded(key)
            assert "Chrome" in text(chrome, "alerts-devices")
            assert stat.S_IMODE((state / "push.json").stat().st_mode) == 0o600

            # an alert by message alone, made from nothing and tried
            press(chrome, part(chrome, "alerts-new"))
            part(chrome, "alert-label").send_keys("tabby cat")
            press(chrome, part(chrome, "alert-by-ntfy"))
            press(chrome, part(chrome, "alert-push"))
            press(chrome, part(chrome, "alert-save"))
            until(chrome, lambda: len(cards(chrome)) == 1)
            press(chrome, cards(chrome)[0].find_element(By.CLASS_NAME, "alert-try"))
            until(chrome, lambda: text(chrome, "alerts-said") == "It reached its receivers.")
            [body] = service.bodies
            message = browser.decrypt(body)
            assert service.claims(0, key)["aud"] == service.url
            assert json.loads(message)["title"] == "Test: tabby cat"

            # the worker runs, and shows what the browser hands to it; pressed, it leads to the event
            assert chrome.execute_async_script(_SCOPES) == [f"{running.url}/page/alerts/"]
            sent = json.dumps({**json.loads(message), "open": "#event/01A"})
            told = chrome.execute_async_script(_PUSHED + WORKER + _THEN, sent, running.url)
            assert (told[0][0], told[0][1]["tag"]) == ("Test: tabby cat", "page-tabby-cat")
            assert told[1:] == ["close", {"open": "#event/01A"}, "focus", "close", f"{running.url}/#event/01A"]
            look(chrome, "browsers")
            assert findings_at_every_size(chrome) == []

            press(chrome, part(chrome, "alerts-devices").find_element(By.TAG_NAME, "button"))
            until(chrome, lambda: "gets no messages any more" in text(chrome, "alerts-browser-message"))
            assert get_json(f"{running.url}/api/alerts")["devices"] == []
            assert "secret-endpoint" not in running.errors() + json.dumps(get_json(f"{running.url}/api/alerts"))


def test_a_cat_at_the_door_at_night_but_not_mimi_is_told_to_a_phone_in_nine_presses(
    tmp_path: Path, chrome: Chrome
) -> None:
    """From the opened page, with the zone that is drawn for it. A press, a drag or a field that is filled is one."""
    (tmp_path / "config.toml").write_text(f'{CONFIG}\n[names]\n"Egyptian cat" = "Mimi"\n')
    options = ("--config", str(tmp_path / "config.toml"), "--loop")
    with ntfy_server() as phone, daemon(*options, STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        done = list[bool]()
        chrome.get(running.url)
        until(chrome, lambda: part(chrome, "zones").is_enabled())
        for press_ in (
            lambda: part(chrome, "to-alerts").click(),
            lambda: part(chrome, "alerts-examples").find_element(By.TAG_NAME, "button").click(),
            lambda: Select(part(chrome, "alert-where")).select_by_visible_text("draw a zone …"),
            lambda: drag(chrome, (0.1, 0.1), (0.9, 0.9)),
            lambda: chrome.find_element(By.CSS_SELECTOR, "#zones-list .zone-name").send_keys(
                Keys.CONTROL, "a", Keys.NULL, "door"
            ),
            lambda: part(chrome, "zones-apply").click(),
            lambda: part(chrome, "alert-others").send_keys("Mimi"),
            lambda: part(chrome, "alert-save").click(),
        ):
            until(chrome, lambda now=press_: _does(now))
            done.append(True)
        until(chrome, lambda: len(cards(chrome)) == 1)
        said = cards(chrome)[0].find_element(By.TAG_NAME, "h3").text
        one = get_json(f"{running.url}/api/alerts")["alerts"][0]
        assert answer_to(f"{running.url}/api/alerts/{one['id']}", {"ntfy": f"{phone.url}/home"}, "PATCH")[0] == 200
        until(chrome, lambda: _does(lambda: cards(chrome)[0].find_element(By.CLASS_NAME, "alert-try").click()))
        until(chrome, lambda: cards(chrome)[0].find_elements(By.CSS_SELECTOR, ".alert-last img"))
        assert "has the picture" in cards(chrome)[0].text
        is_sound(chrome, "household")

    assert said.startswith("Tell me when cat but not Mimi is seen in door for a moment, at night")
    assert (one["label"], one["not_labels"], one["zone"], one["between"]) == ("cat", ["Mimi"], "door", "22:00-06:00")
    assert one["ntfy"] == "https://ntfy.sh/***"
    assert phone.received[0].title == "Test: cat (door)"
    assert len(done) <= 9


def _does(press_: Callable[[], object]) -> bool:
    """False: what is to be pressed is not there yet."""
    try:
        press_()
    except WebDriverException:
        return False
    return True


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
            assert "there is no zone “door”" in cards(chrome)[0].text
            look(chrome, "read")
        finally:
            chrome.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {}})


def _opens(chrome: Chrome, url: str) -> bool:
    try:
        chrome.get(url)
    except Exception:  # noqa: BLE001 - the daemon does not answer yet
        return False
    return bool(chrome.find_elements(By.ID, "alerts-list"))
