"""The guide as a visitor meets it on a phone."""

from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.integration.web.browser import open_browser, resize
from tests.integration.web.camera import Camera
from tests.integration.web.page.accessibility import findings
from tests.integration.web.page.test_looks import shown
from tests.integration.web.page.test_page import text, wait
from vitcam.parts.guide.first_run import FirstRun
from vitcam.run.objects import Objects
from vitcam.web.parts import Binding
from vitcam.web.server import WebServer

pytestmark = pytest.mark.long


def test_the_guide_of_a_first_run_is_left_and_opened_again(tmp_path: Path) -> None:
    with open_browser(tmp_path / "visitor", 390, 844, look="") as visitor, Camera(fps=5) as camera:
        objects = Objects()
        objects.add(FirstRun(tmp_path, False, False))
        server = WebServer(camera.parts(objects=objects), Binding())
        server.start()
        visitor.get(server.url)
        wait(visitor, lambda: shown(visitor, "guide") == ["guide"])
        wait(visitor, lambda: len(visitor.find_elements(By.CSS_SELECTOR, ".guide-camera img[src]")) == 1)
        assert findings(visitor) == []
        resize(visitor, 390, 844)
        titles = []
        for _ in range(7):
            titles.append(text(visitor, "guide-title"))
            if titles[-1] == "Who may look?":
                visitor.find_element(By.NAME, "control").send_keys("a household", Keys.ENTER)
                wait(visitor, lambda: text(visitor, "guide-passwords") == "A password is set.")
            visitor.execute_script("document.getElementById('guide-next').click()")
        assert len(set(titles)) == 7
        wait(visitor, lambda: shown(visitor, "guide") == [])
        visitor.refresh()
        wait(visitor, lambda: shown(visitor, "open-guide") == ["open-guide"])
        assert shown(visitor, "guide") == []
        visitor.execute_script("document.getElementById('open-guide').click()")
        wait(visitor, lambda: shown(visitor, "guide") == ["guide"])
        server.stop(2)
