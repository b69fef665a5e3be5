"""The page in German: names of things, what is typed, and what the daemon says follow the language of the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By

from tests.daemon import answer_to, daemon, get_json
from tests.integration.web.browser import console_errors
from tests.integration.web.page.test_page import text, wait
from tests.parts.teach.integration.test_page_mend import PATIENCE_S, is_shown, press
from vitcam.names.languages import translations

_GERMAN = {"source": 'try { localStorage["vitcam language"] = "de" } catch { /* about:blank */ }'}


@pytest.fixture
def german(chrome: Chrome) -> Iterator[Chrome]:
    script = chrome.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", _GERMAN)
    yield chrome
    chrome.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    chrome.execute_script("localStorage.removeItem('vitcam language')")


def test_a_cat_is_called_katze_a_katze_that_is_typed_is_a_cat_and_a_refusal_is_german(
    tmp_path: Path, german: Chrome
) -> None:
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        german.get(running.url)
        names = {*translations("de").values()}
        wait(german, lambda: names & {*text(german, "strip-list").splitlines()}, PATIENCE_S)
        said = text(german, "caption")
        press(german, "not-right")
        wait(german, lambda: is_shown(german, "mend-label"), PATIENCE_S)
        german.find_element(By.ID, "mend-label").send_keys("katze", Keys.ENTER)
        wait(german, lambda: "heißt jetzt Katze" in text(german, "mend-said"))
        corrected = get_json(f"{running.url}/api/events?corrected=1")["events"]
        german.get(f"{running.url}/#teach")
        wait(german, lambda: german.find_elements(By.ID, "teach-go"), PATIENCE_S)
        press(german, "teach-go")
        press(german, "teach-go")
        wait(german, lambda: "nur Bilder" in text(german, "teach-message"), PATIENCE_S)
        refused = answer_to(f"{running.url}/api/teach", {"dataset": "mine", "name": "my things"})
        message, errors = text(german, "teach-message"), console_errors(german)
        look = german.get_screenshot_as_file(str(tmp_path / "teach.png"))

    assert "cat" not in said.split()
    assert [each["corrected"] for each in corrected] == ["cat"]
    assert message == ("Es gibt nur Bilder von „Katze“; bitte auch etwas anderes oder die leere Szene aufnehmen.")
    assert refused[0] == 400
    assert "holds photos of 1 label, 'cat'" in refused[1]["error"]
    assert look
    assert [error for error in errors if "400" not in error] == []
