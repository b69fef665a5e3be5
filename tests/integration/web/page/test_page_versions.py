"""Two browsers that have the same panel open: what both did is kept, and they are asked about what both changed."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.integration.web.browser import console_errors, open_browser
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.test_page import text, wait
from tests.integration.web.page.test_page_zones import apply, drag, fields, type_over
from tests.soak.camera import FaultyCamera

ZONES = {"zones": {"door": {"rect": [0.1, 0.1, 0.3123456, 0.6]}, "road": {"rect": [0.5, 0.1, 0.4, 0.4]}}, "masks": []}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("state")
    with (
        FaultyCamera(size=(320, 180)) as camera,
        daemon("--source", camera.url, "--model", "mnist", STATE_DIRECTORY=str(folder)) as running,
    ):
        running.wait_for("ok")
        yield running


@pytest.fixture(scope="module")
def other_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with open_browser(tmp_path_factory.mktemp("other")) as driver:
        yield driver


@pytest.fixture
def two(chrome: Chrome, other_browser: Chrome) -> Iterator[tuple[Chrome, Chrome]]:
    console_errors(other_browser)
    yield chrome, other_browser
    other_browser.get("about:blank")


def change(running: Daemon, path: str, body: object, method: str = "PUT") -> dict[str, Any]:
    status, answer = answer_to(f"{running.url}/api/{path}", body, method)
    assert status == 200, answer
    return answer


def open_at(browser: Chrome, running: Daemon, part: str) -> None:
    """The page with a panel or a view of it."""
    browser.get("about:blank")
    browser.get(f"{running.url}/{part if part.startswith('#') else ''}")
    if not part.startswith("#"):
        wait(browser, lambda: browser.find_element(By.ID, part).is_enabled())
        browser.find_element(By.ID, part).click()
        wait(browser, lambda: browser.find_element(By.ID, f"{part}-panel").is_displayed())


def asked(browser: Chrome) -> WebElement:
    """The dialog, once it is there."""
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "dialog.versions[open]"))
    return browser.find_element(By.CSS_SELECTOR, "dialog.versions")


def choose(browser: Chrome, which: str) -> None:
    """which: mine or theirs."""
    dialog = asked(browser)
    dialog.find_element(By.CSS_SELECTOR, f"input[value={which}]").click()
    dialog.find_element(By.CSS_SELECTOR, "button[value=save]").click()


def refusals_but_412(browser: Chrome) -> list[str]:
    """A browser notes each 412, which is no fault."""
    return [line for line in console_errors(browser) if "412" not in line]


def draw_mask(browser: Chrome, start: tuple[float, float], end: tuple[float, float]) -> None:
    browser.find_element(By.CSS_SELECTOR, "#zones-panel input[name=draw][value=mask]").click()
    drag(browser, start, end)


def test_a_mask_and_a_zone_of_two_browsers_are_both_kept(running: Daemon, two: tuple[Chrome, Chrome]) -> None:
    one, other = two
    change(running, "zones", ZONES)
    for browser in two:
        open_at(browser, running, "zones")
    draw_mask(one, (0.55, 0.6), (0.85, 0.9))
    apply(one)
    wait(one, lambda: "Saved" in text(one, "zones-message"))
    type_over(fields(other, "zone-name")[1], "street")
    apply(other)
    wait(other, lambda: "both changes are kept" in text(other, "zones-message"))
    found = get_json(f"{running.url}/api/zones")

    assert len(found["masks"]) == 1
    assert [*found["zones"]] == ["door", "street"]
    assert found["zones"]["door"]["rect"] == ZONES["zones"]["door"]["rect"]  # type: ignore[index]
    assert [refusals_but_412(browser) for browser in two] == [[], []]


@pytest.mark.parametrize(("which", "labels"), [("mine", ["3"]), ("theirs", ["7"])])
def test_a_zone_that_both_have_changed_is_asked_about(
    which: str, labels: list[str], running: Daemon, two: tuple[Chrome, Chrome], findings: Findings
) -> None:
    one, other = two
    change(running, "zones", ZONES)
    for browser in two:
        open_at(browser, running, "zones")
    type_over(fields(one, "zone-labels")[0], "7")
    draw_mask(one, (0.55, 0.6), (0.85, 0.9))
    apply(one)
    wait(one, lambda: "Saved" in text(one, "zones-message"))
    type_over(fields(other, "zone-labels")[0], "3")
    apply(other)
    words = asked(other).text
    objections = findings(other)
    choose(other, which)
    wait(other, lambda: "Saved" in text(other, "zones-message"))
    found = get_json(f"{running.url}/api/zones")

    assert "Another browser changed this (" in words
    assert "door" in words
    assert ("As I want it: 3;" in words, "As it is now: 7;" in words) == (True, True)
    assert objections == []
    assert found["zones"]["door"]["labels"] == labels
    assert len(found["masks"]) == 1
    assert refusals_but_412(other) == []


def test_who_gives_up_changes_nothing_and_still_sees_what_was_drawn(running: Daemon, chrome: Chrome) -> None:
    change(running, "zones", ZONES)
    open_at(chrome, running, "zones")
    type_over(fields(chrome, "zone-labels")[0], "3")
    change(running, "zones", {"zones": {"road": ZONES["zones"]["road"]}, "masks": []})  # type: ignore[index]
    apply(chrome)
    words = asked(chrome).text
    asked(chrome).find_element(By.CSS_SELECTOR, "button[value='']").click()
    wait(chrome, lambda: "not saved" in text(chrome, "zones-message"))

    assert "As it is now: deleted" in words
    assert [*get_json(f"{running.url}/api/zones")["zones"]] == ["road"]
    assert fields(chrome, "zone-labels")[0].get_attribute("value") == "3"


def name(browser: Chrome, label: str, given: str) -> None:
    """Select a label, and give it a name."""
    type_over(browser.find_element(By.ID, "names-search"), label)
    wait(browser, lambda: browser.find_elements(By.CSS_SELECTOR, f"#names-list input[value='{label}']"))
    browser.find_element(By.CSS_SELECTOR, f"#names-list input[value='{label}']").click()
    type_over(browser.find_element(By.ID, "names-name"), given)
    browser.find_element(By.ID, "names-give").click()


def test_names_of_two_browsers_are_both_kept_and_the_same_one_is_asked_about(
    running: Daemon, two: tuple[Chrome, Chrome]
) -> None:
    one, other = two
    change(running, "names", {"names": {"9": "nine"}})
    for browser in two:
        open_at(browser, running, "names")
    name(one, "3", "three")
    wait(one, lambda: "three" in text(one, "names-message"))
    name(other, "7", "seven")
    wait(other, lambda: "both changes are kept" in text(other, "names-message"))
    both = get_json(f"{running.url}/api/names")["names"]
    name(one, "7", "VII")
    words = asked(one).text
    choose(one, "mine")
    wait(one, lambda: "VII" in text(one, "names-message"))

    assert both == {"9": "nine", "3": "three", "7": "seven"}
    assert ("As I want it: VII" in words, "As it is now: seven" in words) == (True, True)
    assert get_json(f"{running.url}/api/names")["names"] == {"9": "nine", "3": "three", "7": "VII"}
    assert [refusals_but_412(browser) for browser in two] == [[], []]


def set_number(browser: Chrome, setting: str, value: str) -> None:
    field = browser.find_element(By.ID, f"setting-{setting}")
    browser.execute_script(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))", field, value
    )


def said_of(browser: Chrome, setting: str) -> str:
    """Also where it lies below "More settings"."""
    said = browser.find_element(By.CSS_SELECTOR, f"[data-name='{setting}'] [role=status]")
    return said.get_attribute("textContent") or ""


def test_settings_of_two_browsers_are_both_kept_and_the_same_one_is_asked_about(
    running: Daemon, two: tuple[Chrome, Chrome]
) -> None:
    one, other = two
    change(running, "settings", {"events.enter": None, "events.gap_s": None}, "PATCH")
    for browser in two:
        open_at(browser, running, "#settings")
        wait(browser, partial(browser.find_elements, By.ID, "setting-events.gap_s"))
    set_number(one, "events.enter", "0.9")
    wait(one, lambda: "Saved" in said_of(one, "events.enter"))
    set_number(other, "events.gap_s", "7")
    wait(other, lambda: "both changes are kept" in said_of(other, "events.gap_s"))
    set_number(one, "events.gap_s", "9")
    words = asked(one).text
    choose(one, "theirs")
    wait(one, lambda: "not saved" in said_of(one, "events.gap_s"))
    rows = {row["name"]: row["value"] for row in get_json(f"{running.url}/api/settings")["settings"]}

    assert ("As I want it: 9" in words, "As it is now: 7" in words) == (True, True)
    assert (rows["events.enter"], rows["events.gap_s"]) == (0.9, 7.0)
    assert [refusals_but_412(browser) for browser in two] == [[], []]


def test_an_alert_that_another_browser_changed_is_merged_and_is_not_deleted_unseen(
    running: Daemon, chrome: Chrome
) -> None:
    alert = change(running, "alerts", {"sound": True, "label": "3", "for_s": 2}, "POST")["alert"]
    open_at(chrome, running, "#alerts")
    card = f"[data-id='{alert['id']}']"
    wait(chrome, lambda: chrome.find_elements(By.CSS_SELECTOR, card))
    change(running, f"alerts/{alert['id']}", {"for_s": 30}, "PATCH")
    chrome.find_element(By.CSS_SELECTOR, f"{card} .alert-switch").click()
    wait(chrome, lambda: not listed(running)[alert["id"]]["enabled"])
    merged = listed(running)[alert["id"]]
    wait(chrome, lambda: chrome.find_elements(By.CSS_SELECTOR, f"{card}.off"))
    change(running, f"alerts/{alert['id']}", {"for_s": 60}, "PATCH")
    chrome.find_element(By.CSS_SELECTOR, f"{card} .alert-delete").click()
    chrome.find_element(By.ID, "alerts-sure-yes").click()
    choose(chrome, "theirs")
    wait(chrome, lambda: "not saved" in text(chrome, "alerts-said"))
    kept = alert["id"] in listed(running)
    chrome.find_element(By.CSS_SELECTOR, f"{card} .alert-delete").click()
    chrome.find_element(By.ID, "alerts-sure-yes").click()
    wait(chrome, lambda: alert["id"] not in listed(running))

    assert (merged["for_s"], merged["enabled"]) == (30.0, False)
    assert kept
    assert refusals_but_412(chrome) == []


def listed(running: Daemon) -> dict[str, Any]:
    return {each["id"]: each for each in get_json(f"{running.url}/api/alerts")["alerts"]}
