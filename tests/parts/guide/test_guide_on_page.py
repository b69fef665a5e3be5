"""The guide as a visitor meets it on a phone."""

from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.daemon import daemon, get_json
from tests.integration.web.browser import open_browser, resize
from tests.integration.web.page.accessibility import findings
from tests.integration.web.page.test_looks import shown
from tests.integration.web.page.test_page import text, wait

pytestmark = pytest.mark.long

_CALLED = "return document.getElementById('source').textContent"  # a phone has no room for it


def test_next_saves_what_was_typed_and_the_guide_is_left_and_opened_again(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    with (
        open_browser(tmp_path / "visitor", 390, 844, look="") as visitor,
        daemon("--source", "demo", "--loop", STATE_DIRECTORY=state) as running,
    ):

        def go_on() -> str:
            """Press Next, and the title of the step that comes."""
            before = text(visitor, "guide-title")
            visitor.execute_script("document.getElementById('guide-next').click()")
            wait(visitor, lambda: text(visitor, "guide-title") != before)
            return text(visitor, "guide-title")

        running.wait_for("ok")
        visitor.get(running.url)
        wait(visitor, lambda: shown(visitor, "guide") == ["guide"])
        wait(visitor, lambda: len(visitor.find_elements(By.CSS_SELECTOR, ".guide-camera img[src]")) == 1)
        assert findings(visitor) == []
        assert "No camera was found" in text(visitor, "guide-hint")
        assert text(visitor, "guide-message") == ""
        resize(visitor, 390, 844)
        assert [go_on() for _ in range(3)] == ["Is the picture upright?", "What should it watch?", "What is it called?"]
        wait(visitor, lambda: visitor.find_element(By.NAME, "language").get_property("value") == "en")
        visitor.find_element(By.NAME, "called").send_keys("Front door")
        assert go_on() == "Who may look?"
        assert get_json(f"{running.url}/api/state")["name"] == "Front door"
        wait(visitor, lambda: visitor.execute_script(_CALLED) == "Front door")
        visitor.find_element(By.NAME, "control").send_keys("a household")
        assert go_on() == "Open it on your phone"
        wait(visitor, lambda: "--host 0.0.0.0" in text(visitor, "guide-command"))
        assert go_on() == "What is kept?"
        days = visitor.find_element(By.NAME, "keep_days")
        wait(visitor, lambda: days.get_property("value") != "")
        days.clear()
        days.send_keys("0", Keys.ENTER)  # what is not allowed stays where it was typed
        assert text(visitor, "guide-title") == "What is kept?"
        days.clear()
        days.send_keys("9")
        go_on()
        saved = {each["name"]: each["value"] for each in get_json(f"{running.url}/api/settings")["settings"]}
        assert saved["store.keep_days"] == 9
        assert get_json(f"{running.url}/api/guide")["passwords"]["control"]

        visitor.execute_script("document.getElementById('guide-next').click()")
        wait(visitor, lambda: shown(visitor, "guide") == [])
        visitor.refresh()
        wait(visitor, lambda: shown(visitor, "open-guide") == ["open-guide"])
        assert shown(visitor, "guide") == []
        visitor.execute_script("document.getElementById('open-guide').click()")
        wait(visitor, lambda: shown(visitor, "guide") == ["guide"])
