"""A second camera is added on the page in four presses, renamed and removed; what cannot be added says why."""

from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By

from tests.integration.web.browser import console_errors
from tests.integration.web.camera import Camera
from tests.integration.web.page.accessibility import findings_at_every_size
from tests.integration.web.page.test_page import text, wait
from tests.parts.peers.test_adding import household
from tests.secured import PASSWORD, protected

pytestmark = pytest.mark.slow("vitcam/web", "vitcam/parts/peers")


def tiles(chrome: Chrome) -> list[str]:
    return [each.text for each in chrome.find_elements(By.CSS_SELECTOR, ".tile h3")]


def press(chrome: Chrome, words: str) -> None:
    """The button of a camera that was added."""
    button = next(each for each in chrome.find_elements(By.CSS_SELECTOR, ".tile-acts button") if each.text == words)
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def test_a_second_camera_is_added_in_four_presses(tmp_path: Path, camera: Camera, chrome: Chrome) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    with protected(camera, there) as garden, household(camera, here) as (page, _):
        chrome.get(page.url)
        wait(chrome, lambda: chrome.find_element(By.ID, "to-wall").is_displayed())
        chrome.find_element(By.ID, "to-wall").click()
        wait(chrome, lambda: chrome.find_element(By.ID, "wall-address").is_displayed())
        address, secret = (chrome.find_element(By.ID, f"wall-{name}") for name in ("address", "secret"))
        address.send_keys(garden.url)
        secret.send_keys("wrong", Keys.ENTER)
        wait(chrome, lambda: "does not accept this password" in text(chrome, "wall-said"))
        before = tiles(chrome)
        secret.clear()
        secret.send_keys(PASSWORD, Keys.ENTER)
        wait(chrome, lambda: text(chrome, "wall-said") == "camera-1 is there now.")
        wait(chrome, lambda: tiles(chrome) == ["This camera", "camera-1"])
        wait(chrome, lambda: len(chrome.find_elements(By.CSS_SELECTOR, ".tile img")) == 2, 30)
        objections = findings_at_every_size(chrome)
        press(chrome, "Rename")
        fields = chrome.find_elements(By.CSS_SELECTOR, ".tile-acts input")
        next(each for each in fields if each.is_displayed()).send_keys("garden", Keys.ENTER)
        wait(chrome, lambda: tiles(chrome) == ["This camera", "garden"])
        press(chrome, "Remove")
        wait(chrome, lambda: chrome.find_element(By.ID, "wall-sure-yes").is_displayed())
        chrome.find_element(By.ID, "wall-sure-yes").click()
        wait(chrome, lambda: tiles(chrome) == ["This camera"])
        errors = [each for each in console_errors(chrome) if "400 (Bad Request)" not in each]

    assert before == ["This camera"]
    assert objections == []
    assert errors == []
