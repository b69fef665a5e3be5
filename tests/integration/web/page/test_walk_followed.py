"""A cat that walks through a wide view: on the page and later in the history, with a real daemon."""

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.daemon import Daemon, daemon
from tests.integration.web.browser import console_errors, open_browser
from tests.integration.web.page.history.test_followed_events import loaded
from tests.integration.web.page.test_page import picture_width, text, wait
from tests.integration.web.page.test_page_followed import frames, rows
from tests.videos import write_video
from vitcam.frames import Image

pytestmark = pytest.mark.slow("vitcam/web")

GOLDEN = Path(__file__).parents[4] / "models/golden"
FPS, WIDTH, HEIGHT, SIDE = 15, 1280, 720, 150
REST_AT = (300, 430)  # px, of the cat's left upper corner
PATIENCE_S = 120
STILL_S, COMES_S, RESTS_S, GOES_S = 4, 3, 7, 2


def film(folder: Path) -> Path:
    """16 s, again and again: a lawn, and a cat that comes from the left, rests and goes back."""
    rng = np.random.default_rng(1)
    lawn = cv2.GaussianBlur(rng.normal(0, 60, (HEIGHT, WIDTH)).astype(np.float32), (0, 0), 3)[..., None] + (60, 130, 90)
    cat = cv2.resize(cv2.imread(str(GOLDEN / "cat.jpg")), (SIDE, SIDE))
    outline = cv2.ellipse(np.zeros((SIDE, SIDE), np.float32), (SIDE // 2, SIDE // 2), (72, 72), 0, 0, 360, 1, -1)
    soft = cv2.GaussianBlur(outline, (0, 0), 2)[..., None]
    pictures = []
    for number in range((STILL_S + COMES_S + RESTS_S + GOES_S) * FPS):
        picture = lawn + rng.normal(0, 2, lawn.shape)
        x = _place(number / FPS - STILL_S)
        if x > -SIDE:
            put(picture, cat, soft, x)
        pictures.append(picture.clip(0, 255).astype(np.uint8))
    return write_video(folder / "garden.mp4", pictures, fps=FPS)


def _place(since_s: float) -> int:
    """Where the cat is, in px from the left."""
    way = np.interp(since_s, (0, COMES_S, COMES_S + RESTS_S, COMES_S + RESTS_S + GOES_S), (0, 1, 1, 0))
    return round(-SIDE + float(way) * (SIDE + REST_AT[0]))


def put(picture: Image, cat: Image, soft: Image, x: int) -> None:
    """Draw it at that column, where it is inside."""
    left = max(0, -x)
    part = picture[REST_AT[1] : REST_AT[1] + SIDE, x + left : x + SIDE]
    part[:] = part * (1 - soft[:, left:]) + cat[:, left:] * soft[:, left:]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Daemon]:
    source = ("--source", str(film(tmp_path)), "--loop", "--follow", "motion")
    with daemon(*source, STATE_DIRECTORY=str(tmp_path / "state")) as started:
        started.wait_for("ok")
        yield started


@pytest.fixture(params=[(1280, 800), (390, 844)], ids=["desktop", "phone"])
def chrome(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Chrome]:
    with open_browser(tmp_path / "profile", *request.param) as driver:
        yield driver


def test_a_cat_that_walks_through_is_framed_named_shown_from_near_by_and_kept(
    running: Daemon, chrome: Chrome, tmp_path: Path
) -> None:
    chrome.get(running.url)
    wait(chrome, lambda: picture_width(chrome) > 100)
    chrome.execute_script("document.querySelector('#overlays input[value=none]').click()")
    wait(chrome, lambda: any("moving: " in row and "cat" in row for row in rows(chrome)), PATIENCE_S)
    wait(chrome, lambda: "cat" in text(chrome, "label") and loaded(chrome, "#inset img"), PATIENCE_S)
    wait(chrome, lambda: any(holds_cat(*frame) for frame in frames(chrome)), PATIENCE_S)
    chrome.save_screenshot(str(tmp_path / "live.png"))
    chrome.find_element(By.ID, "to-history").click()
    chip = chrome.find_element(By.CSS_SELECTOR, ".chip:has([name=view][value=all])")
    wait(chrome, chip.is_displayed)
    chip.click()
    card = "#grid .event:has(.detail)"
    wait(chrome, lambda: loaded(chrome, f"{card} .detail") and loaded(chrome, f"{card} .all"), PATIENCE_S)
    chrome.execute_script("document.querySelector(arguments[0]).click()", card)
    wait(chrome, lambda: loaded(chrome, "#event-detail"), PATIENCE_S)
    chrome.save_screenshot(str(tmp_path / "event.png"))

    assert "cat" in text(chrome, "event-title")
    assert chrome.find_element(By.ID, "event-box").is_displayed()
    assert console_errors(chrome) == []
    assert "Traceback" not in running.errors()


def holds_cat(x: float, y: float, width: float, height: float) -> bool:
    """Whether a frame lies around the cat where it rests, and around little else."""
    left, top = REST_AT[0] / WIDTH, REST_AT[1] / HEIGHT
    around = x <= left + 0.02 and y <= top + 0.03 and x + width >= left + SIDE / WIDTH - 0.02
    return around and y + height >= top + SIDE / HEIGHT - 0.03 and width < 0.4
