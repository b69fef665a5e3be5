"""A wrong name is corrected beside the live picture and learned there, in four presses; nobody is asked again."""

from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By

from tests.daemon import daemon, get_json
from tests.integration.web.browser import console_errors
from tests.integration.web.page.accessibility import findings_at_every_size
from tests.integration.web.page.test_page import text, wait
from tests.parts.teach.integration.test_page_teach import counts

pytestmark = pytest.mark.slow("vitcam/web", "vitcam/parts/teach")

PATIENCE_S = 120


def is_shown(chrome: Chrome, name: str) -> bool:
    return bool(chrome.find_elements(By.ID, name)) and chrome.find_element(By.ID, name).is_displayed()


def press(chrome: Chrome, name: str) -> None:
    wait(chrome, lambda: is_shown(chrome, name), PATIENCE_S)
    chrome.execute_script("document.getElementById(arguments[0]).scrollIntoView({block: 'center'})", name)
    wait(chrome, chrome.find_element(By.ID, name).is_enabled, PATIENCE_S)
    chrome.find_element(By.ID, name).click()


def test_a_wrong_name_is_corrected_and_learned_in_four_presses(tmp_path: Path, chrome: Chrome) -> None:
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        chrome.get(running.url)
        wait(chrome, lambda: len(chrome.find_elements(By.CSS_SELECTOR, "#strip-list .shot")) > 1, PATIENCE_S)
        words = text(chrome, "strip-list")

        press(chrome, "not-right")
        wait(chrome, lambda: chrome.find_elements(By.CSS_SELECTOR, "#mend-choices button"), PATIENCE_S)
        chrome.find_element(By.ID, "mend-label").send_keys("Mimi", Keys.ENTER)
        wait(chrome, lambda: "There is 1 picture of Mimi." in text(chrome, "mend-said"))
        said, named = text(chrome, "mend-said"), counts(running)
        press(chrome, "mend-undo")
        wait(chrome, lambda: not counts(running).get("Mimi"))
        chrome.find_element(By.ID, "mend-label").send_keys("Mimi", Keys.ENTER)
        press(chrome, "mend-learn")
        wait(chrome, lambda: is_shown(chrome, "mend-use"), PATIENCE_S)
        objections = findings_at_every_size(chrome, "#mend")
        press(chrome, "mend-use")
        wait(chrome, lambda: running.state()["model"] == "my things", PATIENCE_S)
        wait(chrome, lambda: "in use now" in text(chrome, "mend-said"))
        inbox = get_json(f"{running.url}/api/inbox")

    assert "sure" in words
    assert said == "It is called Mimi now. There is 1 picture of Mimi. It learns well with 9 more."
    assert named["Mimi"] == 1
    assert [each for each in inbox["pictures"] if each["why"] == "corrected"] == []
    assert inbox["corrections"] == 0
    assert objections == []
    # a page that axe holds up for long reads no predictions, so the daemon ends them
    assert [error for error in console_errors(chrome) if "/api/predictions" not in error] == []
