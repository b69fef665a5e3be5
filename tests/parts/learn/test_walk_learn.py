"""The view "Learn" as a person meets it, with a real daemon: pictures, patches, keyboard, another model, an address."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.daemon import Daemon, daemon
from tests.integration.web.browser import console_errors, resize
from tests.integration.web.page.accessibility import DESK, WALKED, WALKED_IDS, findings_at_every_size
from tests.integration.web.page.test_page import press_link, text, wait
from tests.integration.web.page.test_page_states import _DROP
from tests.integration.web.page.test_reflow import look

pytestmark = pytest.mark.slow("vitcam/web", "vitcam/parts/learn")

_DROP_LINK = """
  const dropped = new DataTransfer();
  dropped.setData("text/uri-list", arguments[0]);
  document.body.dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: dropped}));
"""
_MODEL_NAME = "return document.getElementById('model-name').textContent"
_LOADED = "return performance.getEntriesByType('resource').map(({name}) => name).filter((name) => /learn/.test(name))"


@pytest.fixture(scope="module")
def running() -> Iterator[Daemon]:
    with daemon("--source", "demo", "--loop", "--set", "web.fetch=true") as started:
        started.wait_for("ok")
        yield started


def element(chrome: Chrome, name: str) -> WebElement:
    return chrome.find_element(By.ID, f"learn-{name}")


def all_of(chrome: Chrome, selector: str) -> list[WebElement]:
    return chrome.find_elements(By.CSS_SELECTOR, selector)


def click(chrome: Chrome, found: WebElement) -> None:
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'}); arguments[0].click()", found)


def pixels(chrome: Chrome, name: str) -> Any:
    return chrome.execute_script("return document.getElementById(arguments[0]).toDataURL()", f"learn-{name}")


def says(chrome: Chrome, words: str) -> bool:
    return words in text(chrome, "learn-said")


def guesses(chrome: Chrome) -> list[str]:
    return [line.text for line in all_of(chrome, "#learn-top li")]


@pytest.mark.parametrize(("size", "scheme"), WALKED, ids=WALKED_IDS)
def test_from_a_sample_to_whom_a_patch_attends(
    chrome: Chrome, running: Daemon, size: tuple[int, int], scheme: str
) -> None:
    resize(chrome, *size, scheme)
    chrome.get(running.url)
    wait(chrome, lambda: text(chrome, "status") in ("Live", "Demo film"))
    assert chrome.execute_script(_LOADED) == [], "nothing of the view is loaded before it is opened"

    press_link(chrome, "to-learn")
    wait(chrome, lambda: guesses(chrome))

    assert "cat" in text(chrome, "learn-name")
    assert [line.split()[-1] for line in guesses(chrome)] == ["%"] * 5
    assert all(len(line.split()[-2].partition(".")[2]) == 2 for line in guesses(chrome)), "two decimals"
    assert "300 × 300 px" in text(chrome, "learn-original-size")
    assert "224 × 224 px" in text(chrome, "learn-input-size")
    assert "14 × 14 = 196 patches of 16 × 16 px" in text(chrome, "learn-cut-size")
    assert len(all_of(chrome, "#learn-looks figure")) == 3
    assert "5,730,154" in text(chrome, "learn-facts")
    assert "82.1 % of 700 photos" in text(chrome, "learn-facts")
    assert "ImageNet" in text(chrome, "learn-trained")
    assert not any("attention" in name for name in chrome.execute_script(_LOADED) if "api/" in name), "only on request"

    grid = element(chrome, "grid")
    grid.send_keys(Keys.ENTER)
    wait(chrome, lambda: len(all_of(chrome, ".learn-map")) == 36)
    wait(chrome, lambda: "Block 1, head 1" in text(chrome, "learn-shares"))
    assert text(chrome, "learn-chosen") == "Patch 106: row 8, column 8"
    before = pixels(chrome, "grid-picture")
    grid.send_keys(Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_UP)
    assert text(chrome, "learn-chosen") == "Patch 77: row 6, column 7"
    assert pixels(chrome, "grid-picture") != before
    assert len(all_of(chrome, ".learn-map:disabled")) == 3, "of the last block nobody reads the patches"

    first = all_of(chrome, ".learn-map")[0]
    first.send_keys(Keys.ARROW_RIGHT)
    there = "Block 2, head 1" if size[0] > 900 else "Block 1, head 2"
    wait(chrome, lambda: there in text(chrome, "learn-shares"))
    assert chrome.switch_to.active_element.get_attribute("aria-label") == there
    click(chrome, element(chrome, "class"))
    wait(chrome, lambda: not all_of(chrome, ".learn-map:disabled"))
    assert "class token" in text(chrome, "learn-chosen")

    assert chrome.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert console_errors(chrome) == []
    look(chrome, f"walk-learn-{size[0]}")
    if size == DESK:
        assert findings_at_every_size(chrome) == [], "on a phone, a desktop and a wide screen"


def test_a_click_on_the_picture_chooses_the_patch_under_it(chrome: Chrome, running: Daemon) -> None:
    chrome.get(f"{running.url}/#learn")
    wait(chrome, lambda: guesses(chrome))

    chrome.execute_script(
        """const box = document.getElementById("learn-grid-picture").getBoundingClientRect();
        const at = {clientX: box.left + box.width * 3.5 / 14, clientY: box.top + box.height * 1.5 / 14, bubbles: true};
        document.getElementById("learn-grid-picture").dispatchEvent(new MouseEvent("click", at));"""
    )

    wait(chrome, lambda: "Patch" in text(chrome, "learn-chosen"))
    assert text(chrome, "learn-chosen") == "Patch 18: row 2, column 4"


def test_other_pictures_come_in_every_way_and_bad_ones_get_a_sentence(chrome: Chrome, running: Daemon) -> None:
    chrome.get(f"{running.url}/#learn")
    wait(chrome, lambda: guesses(chrome))

    click(chrome, all_of(chrome, ".learn-sample")[1])
    wait(chrome, lambda: "cat" not in text(chrome, "learn-name").split())
    click(chrome, element(chrome, "now"))
    wait(
        chrome,
        lambda: "of it" not in text(chrome, "learn-original-size") and "bright" in text(chrome, "learn-original-size"),
    )
    chrome.execute_script(_DROP, "these are notes", "photo.jpg", "image/jpeg")
    wait(chrome, lambda: "not an image" in text(chrome, "learn-said").lower())
    assert chrome.execute_script("return location.hash") == "#learn", "what is dropped here stays here"

    chrome.execute_script(_DROP_LINK, "http://localhost/cat.jpg")
    wait(chrome, partial(says, chrome, "public internet"))

    for address, why in (
        ("http://127.1/", "public internet"),
        ("http://2130706433/", "public internet"),
        (f"{running.url}/snapshot.jpg", "port"),
        ("ftp://example.org/cat.jpg", "ftp"),
    ):
        element(chrome, "url").clear()
        element(chrome, "url").send_keys(address, Keys.ENTER)
        wait(chrome, partial(says, chrome, why))
    console_errors(chrome)  # the refusals


def test_another_model_shows_its_own_patches(chrome: Chrome, running: Daemon) -> None:
    chrome.get(f"{running.url}/#learn")
    wait(chrome, lambda: guesses(chrome))
    click(chrome, all_of(chrome, ".learn-sample")[1])
    wait(chrome, lambda: "cat" not in text(chrome, "learn-name").split())
    size, label = text(chrome, "learn-original-size"), text(chrome, "learn-name")

    chrome.execute_script(
        "window.before = 1; const [list] = arguments; list.value = 'mnist'; list.dispatchEvent(new Event('change'));",
        element(chrome, "model"),
    )
    wait(chrome, lambda: "4 × 4 = 16 patches" in text(chrome, "learn-cut-size"))
    wait(chrome, lambda: chrome.execute_script(_MODEL_NAME) == "mnist")
    assert chrome.execute_script("return window.before"), "the page was not loaded again"
    assert text(chrome, "learn-original-size").split(" px")[0] == size.split(" px")[0]
    assert text(chrome, "learn-name") != label
    click(chrome, all_of(chrome, ".learn-sample")[6])
    wait(chrome, lambda: text(chrome, "learn-name") == "2")

    element(chrome, "grid").send_keys(Keys.ENTER)
    wait(chrome, lambda: len(all_of(chrome, ".learn-map")) == 12)
    assert not element(chrome, "class").is_displayed(), "this model has none"
