"""Firefox shows the page, its live picture and the history as Chromium does."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from selenium.webdriver import Firefox
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.household import FIRST, make_history
from tests.integration.web.browser import open_firefox
from tests.integration.web.page.history.site import history_site

_PATIENCE_S = 30
_PIXELS = """
  const picture = document.getElementById("picture");
  if (!picture.naturalWidth) return null;
  const canvas = Object.assign(document.createElement("canvas"), { width: 32, height: 18 });
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0, 32, 18);
  return [...context.getImageData(0, 0, 32, 18).data].join();
"""
_FACES = """
  return [...document.querySelectorAll("#stories .told-face")].map((face) => face.getAttribute("aria-label"));
"""


@pytest.mark.slow("vitcam/web")
def test_firefox_shows_page_stream_and_history(tmp_path: Path) -> None:
    make_history(tmp_path, 3, 300, now=(datetime.now() - timedelta(days=1)).replace(hour=23, minute=59))
    with history_site(tmp_path, 0) as site, open_firefox() as (firefox, complaints):
        firefox.get(site.server.url)
        watches(firefox)
        firefox.save_screenshot(str(tmp_path / "live.png"))
        firefox.find_element(By.ID, "to-history").click()
        until(firefox, lambda: any(face.startswith(f"{FIRST}, First time") for face in faces(firefox)))
        opens_and_closes_a_story(firefox)
        compares(firefox)
        firefox.save_screenshot(str(tmp_path / "history.png"))
        wide = firefox.execute_script("return document.documentElement.scrollWidth - innerWidth")

    assert wide <= 0
    assert complaints == []


def until(firefox: Firefox, condition: object) -> None:
    WebDriverWait(firefox, _PATIENCE_S, 0.1).until(lambda _: condition())  # type: ignore[operator]


def faces(firefox: Firefox) -> list[str]:
    found: list[str] = firefox.execute_script(_FACES)
    return found


def watches(firefox: Firefox) -> None:
    """Pictures come, one after the other, with their label."""
    until(firefox, lambda: firefox.execute_script(_PIXELS))
    first = firefox.execute_script(_PIXELS)
    until(firefox, lambda: firefox.execute_script(_PIXELS) != first)
    until(firefox, lambda: "cup" in firefox.find_element(By.TAG_NAME, "main").text)
    assert firefox.find_element(By.ID, "status-text").text == "Live"


def opens_and_closes_a_story(firefox: Firefox) -> None:
    """By keyboard alone."""
    firefox.find_element(By.CSS_SELECTOR, "#stories [data-key='seen:espresso']").send_keys(Keys.ENTER)
    until(firefox, lambda: firefox.find_elements(By.CSS_SELECTOR, "#opened .event img[src]"))
    assert firefox.find_element(By.ID, "opened-title").text.startswith("espresso, ")
    firefox.find_element(By.ID, "opened-close").send_keys(Keys.ENTER)
    until(firefox, lambda: not firefox.find_element(By.ID, "opened").is_displayed())


def compares(firefox: Firefox) -> None:
    """Two days side by side."""
    firefox.find_element(By.CSS_SELECTOR, "#compare summary").send_keys(Keys.ENTER)
    until(firefox, lambda: FIRST in firefox.find_element(By.ID, "compare-table").text)
