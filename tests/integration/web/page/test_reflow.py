"""Every view at the sizes that people look at it, and at 200 % and 400 % zoom (WCAG 1.4.10): nothing is lost."""

import os
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.integration.web.browser import console_errors, resize
from tests.integration.web.page.accessibility import DESK, PHONE, PHONE_SIDEWAYS, SCHEMES, WIDE
from tests.integration.web.page.every_view import VIEWS, Visit
from tests.integration.web.page.test_page import wait

pytestmark = pytest.mark.slow("vitcam/web")

ZOOMED_TWICE, ZOOMED_FOUR_TIMES = (640, 400), (320, 640)
SIZES = (PHONE, PHONE_SIDEWAYS, DESK, WIDE, ZOOMED_TWICE, ZOOMED_FOUR_TIMES)
LEAST_PX = 24  # of what is pressed: WCAG 2.5.8
_OUTSIDE = """
  const scrolls = (part) => part && part !== document.body
    && (/auto|scroll/.test(getComputedStyle(part).overflowX) || scrolls(part.parentElement));
  return [...document.querySelectorAll("a, button, input, select, summary, textarea, h2, h3, p")]
    .filter((part) => part.offsetParent && !part.closest(".quiet") && !scrolls(part.parentElement))
    .filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
    .map((part) => part.id || part.outerHTML.slice(0, 80));
"""
_SMALL = """
  const boxOf = (part) => (part.closest("label") ?? part).getBoundingClientRect();
  return [...document.querySelectorAll("a, button, input, select, summary")]
    .filter((part) => part.offsetParent && !part.matches(".quiet, p a, .zone-box *"))
    .map((part) => [part, boxOf(part)])
    .filter(([, { width, height }]) => width > 0 && (width < arguments[0] || height < arguments[0]))
    .map(([part, box]) => `${part.id || part.outerHTML.slice(0, 60)}, ${box.width | 0}×${box.height | 0}`);
"""
_WIDER = "return document.documentElement.scrollWidth - innerWidth"


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_fits_every_window_and_can_be_used_with_a_thumb(chrome: Chrome, visit: Visit, name: str) -> None:
    visit.open(chrome, name)
    found: list[str] = []
    for size in SIZES:
        for scheme in SCHEMES:
            resize(chrome, *size, scheme)
            place = f"{name} {size[0]}×{size[1]}"
            found += [f"{place} is {wider} px wider" for wider in [chrome.execute_script(_WIDER)] if wider > 0]
            found += [f"{place} loses {each}" for each in chrome.execute_script(_OUTSIDE)]
            found += [f"{place} has {each}" for each in chrome.execute_script(_SMALL, LEAST_PX)]
            look(chrome, f"{name} {size[0]} {scheme}".replace(" ", "-"))

    assert found == []
    assert console_errors(chrome) == []


def look(chrome: Chrome, name: str) -> None:
    """A screenshot for a person, where somebody wants some."""
    if folder := os.environ.get("VITCAM_SCREENSHOTS"):
        chrome.save_screenshot(str(Path(folder, f"{name}.png")))


def test_the_bar_takes_one_row_of_a_phone_held_sideways(chrome: Chrome, visit: Visit) -> None:
    for language in ("en", "de", "fr", "es", "pt"):
        visit.open(chrome, "live")
        chrome.execute_script("localStorage.setItem('vitcam language', arguments[0])", language)
        visit.open(chrome, "live")
        resize(chrome, *PHONE_SIDEWAYS)
        assert chrome.execute_script("return document.querySelector('.bar').offsetHeight") < 48, language
        look(chrome, f"bar-{language}")
    chrome.execute_script("localStorage.removeItem('vitcam language')")


@pytest.mark.parametrize("size", [PHONE, PHONE_SIDEWAYS, DESK, WIDE])
def test_the_caption_stands_on_the_picture_also_in_full_screen(
    chrome: Chrome, visit: Visit, size: tuple[int, int]
) -> None:
    visit.open(chrome, "live")
    resize(chrome, *size)
    windowed = chrome.execute_script(_CAPTION)
    chrome.execute_cdp_cmd(
        "Runtime.evaluate",
        {"expression": "document.getElementById('fullscreen').click()", "userGesture": True, "awaitPromise": True},
    )
    wait(chrome, lambda: chrome.execute_script("return Boolean(document.fullscreenElement)"))
    whole = chrome.execute_script(_CAPTION)
    chrome.execute_script("document.exitFullscreen()")

    assert windowed == whole == [True, True, True]


_CAPTION = """
  const caption = document.getElementById("caption");
  const { left, right, top, bottom, width } = caption.getBoundingClientRect();
  const picture = document.querySelector(".frame").getBoundingClientRect();
  return [width > 0 && caption.textContent !== "",
          top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth,
          top >= picture.top && bottom <= picture.bottom + 1];
"""
