"""The first minutes with vitcam, as one walk on a phone: from the first look at the page to the first alert."""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.daemon import daemon, get_json
from tests.integration.web.browser import console_errors, open_browser
from tests.integration.web.page.accessibility import PHONE, findings
from tests.integration.web.page.test_page import picture_width, text, wait

pytestmark = pytest.mark.slow("vitcam/web", "vitcam/parts/guide", "vitcam/parts/alerts")

PATIENCE_S = 120
_SCROLL = "arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })"
_IS_THERE = "return [...document.querySelectorAll(arguments[0])].some((part) => part.getClientRects().length)"
_WIDER = "return document.documentElement.scrollWidth - innerWidth"


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Chrome]:
    """The phone of somebody who was never here."""
    with open_browser(tmp_path / "profile", *PHONE, look="") as chrome:
        yield chrome


def part(chrome: Chrome, name: str) -> WebElement:
    return chrome.find_element(By.CSS_SELECTOR, name)


def is_there(chrome: Chrome, name: str) -> bool:
    return bool(chrome.execute_script(_IS_THERE, name))


def tap(chrome: Chrome, name: str) -> None:
    """As a thumb does: what is covered by something else cannot be pressed."""
    wait(chrome, lambda: is_there(chrome, f"{name}:not(:disabled)"))
    chrome.execute_script(_SCROLL, part(chrome, name))
    part(chrome, name).click()


def test_a_new_user_comes_from_the_first_look_to_the_first_alert_on_a_phone(visitor: Chrome, tmp_path: Path) -> None:
    chrome, numbers = visitor, count(1)

    def look(name: str) -> None:
        if folder := os.environ.get("VITCAM_SCREENSHOTS"):
            chrome.save_screenshot(str(Path(folder, f"first-run-{next(numbers):02}-{name}.png")))
        assert (name, chrome.execute_script(_WIDER)) == (name, 0)
        assert (name, findings(chrome)) == (name, [])

    def step(title: str) -> None:
        wait(chrome, lambda: text(chrome, "guide-title") == title)
        look(title.split()[0].lower())

    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path / "state")) as running:
        running.wait_for("ok")
        chrome.get(running.url)

        # the picture is there, and the guide opens by itself
        wait(chrome, lambda: text(chrome, "status") in ("Live", "Demo film") and picture_width(chrome) > 100)
        wait(chrome, lambda: is_there(chrome, ".guide-camera img[src]"))
        step("Which camera?")

        # the place that matters is drawn, and the guide goes on where it was
        tap(chrome, "#guide-next")
        step("Is the picture upright?")
        tap(chrome, "#guide-next")
        step("What should it watch?")
        tap(chrome, "#guide-zone")
        tap(chrome, "#zones-add")
        look("zone")
        tap(chrome, "#zones-apply")
        wait(chrome, lambda: get_json(f"{running.url}/api/zones")["zones"])
        zone = next(iter(get_json(f"{running.url}/api/zones")["zones"]))
        look("zone-applied")
        for title in (
            "What is it called?",
            "Who may look?",
            "Open it on your phone",
            "What is kept?",
            "Do you want to be told?",
        ):
            tap(chrome, "#guide-next")
            step(title)

        # from now on it tells what comes into that zone
        tap(chrome, "[data-step=alerts] a")
        tap(chrome, "#alerts-new")
        wait(chrome, lambda: is_there(chrome, "#alert-form"))
        look("new-alert")
        _choose(chrome, "#alert-what", "anything")
        _choose(chrome, "#alert-where", f"in {zone}")
        tap(chrome, "#alert-sound")
        look("alert")
        tap(chrome, "#alert-save")
        wait(chrome, lambda: is_there(chrome, "#alerts-list .alert"))
        look("saved")
        tap(chrome, "#to-live")
        wait(chrome, lambda: is_there(chrome, "#today-list li a") and not is_there(chrome, "#guide"))
        look("today")
        wait(chrome, lambda: is_there(chrome, "#alert-heard"), PATIENCE_S)
        look("alerted")
        assert text(chrome, "alert-heard").startswith("Alert:")
        assert f"in {zone}" in text(chrome, "alert-heard")
        tap(chrome, "#alert-heard a")
        wait(chrome, lambda: is_there(chrome, "#event-image"))
        wait(chrome, lambda: not is_there(chrome, "#alert-heard"))
        look("event")
        assert zone in text(chrome, "event-facts")
        assert console_errors(chrome) == []


def _choose(chrome: Chrome, select: str, words: str) -> None:
    """By what stands there, as people do."""
    options = part(chrome, select).find_elements(By.TAG_NAME, "option")
    next(each for each in options if each.text == words).click()
