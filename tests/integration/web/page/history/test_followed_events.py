"""Events of what was followed because it moved: where it was, and what the model saw of it."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from selenium.webdriver import Chrome

from tests.eventually import eventually
from tests.integration.web.browser import console_errors, resize
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.history.site import Site, cards, history_site, open_history, seen_at
from tests.integration.web.page.test_page import text, wait
from tests.integration.web.page.test_page_states import hidden
from vitcam.rects import Box, Rect

BOX = Rect(240, 20, 40, 40)
_WIDE, _TALL, _SQUARE = (320, 180), (180, 320), (240, 240)
_PLACES = """
  const rect = (selector) => document.querySelector(selector).getBoundingClientRect();
  const [box, img] = [rect(arguments[0]), rect(arguments[1])];
  const scale = Math.min(img.width / arguments[2], img.height / arguments[3]); // of a picture that is contained
  const [left, top] = [img.x + (img.width - arguments[2] * scale) / 2, img.y + (img.height - arguments[3] * scale) / 2];
  return [(box.x - left) / scale, (box.y - top) / scale, box.width / scale, box.height / scale];
"""
_SIDE = """
  const [small, card] = [...arguments].map((selector) => document.querySelector(selector).getBoundingClientRect());
  return (small.x + small.width / 2 - card.x) / card.width;
"""


def jpeg(size: tuple[int, int], value: int) -> bytes:
    return cv2.imencode(".jpg", np.full((size[1], size[0], 3), value, np.uint8))[1].tobytes()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with history_site(tmp_path, 1) as running:
        yield running


def see_bird(site: Site, size: tuple[int, int] = _WIDE) -> None:
    seen = seen_at(int(time.time() * 1000) - 30_000, 1)
    rect = Rect(min(BOX.x, size[0] - 60), BOX.y, BOX.width, BOX.height)
    summary = replace(seen.summary, size=size, crop=rect, detail=(160, 160))
    bird = replace(seen, id="bird", label="bird", track=7, box=Box.around(rect, size), summary=summary)
    site.see(bird, jpeg(size, 90), jpeg((160, 160), 200))
    assert eventually(lambda: site.store.get("bird"))


def loaded(page: Chrome, selector: str) -> int:
    """The width of a picture in px; 0 until it is there."""
    found: Any = page.execute_script(
        "const img = document.querySelector(arguments[0]);"
        "return img?.complete && img.checkVisibility() && img.naturalWidth",
        selector,
    )
    return int(found or 0)


@pytest.mark.parametrize("chrome", [1280, 390], indirect=True)
def test_the_card_shows_where_it_was_and_what_the_model_saw(chrome: Chrome, site: Site) -> None:
    see_bird(site)
    open_history(chrome, site)
    wait(chrome, lambda: len(cards(chrome)) == 2)
    card = "[data-id=bird]"
    wait(chrome, lambda: loaded(chrome, f"{card} .all") and loaded(chrome, f"{card} .detail") == 160)
    found = chrome.execute_script(_PLACES, f"{card} .box", f"{card} .all", *_WIDE)
    other = chrome.execute_script("return document.querySelectorAll('[data-id=e0] :is(.box, .detail)').length")

    assert found == pytest.approx([BOX.x, BOX.y, BOX.width, BOX.height], abs=2)
    assert other == 0
    corner = chrome.execute_script(_SIDE, f"{card} .detail", f"{card} .thumb")
    assert corner < 0.5, "what is to the right is not hidden by its own small picture"
    assert console_errors(chrome) == []


@pytest.mark.parametrize("chrome", [1280, 390], indirect=True)
@pytest.mark.parametrize("size", [_WIDE, _TALL, _SQUARE], ids=["wide", "tall", "square"])
def test_the_view_of_the_event_frames_it_and_shows_it_from_near_by(
    chrome: Chrome, site: Site, size: tuple[int, int]
) -> None:
    see_bird(site, size)
    open_history(chrome, site, "event/bird")
    wait(chrome, lambda: loaded(chrome, "#event-image") and loaded(chrome, "#event-detail") == 160)
    wait(chrome, lambda: not hidden(chrome, "event-box"))
    found = chrome.execute_script(_PLACES, "#event-box", "#event-image", *size)
    chrome.execute_script("document.getElementById('event-overlay').click()")
    wait(chrome, lambda: "overlay=evidence" in str(chrome.find_element("id", "event-detail").get_attribute("src")))
    wait(chrome, lambda: loaded(chrome, "#event-detail") == 160)

    assert found == pytest.approx([min(BOX.x, size[0] - 60), BOX.y, BOX.width, BOX.height], abs=2)
    assert chrome.find_element("id", "event-detail").get_attribute("alt") == "What the model saw: bird"
    assert console_errors(chrome) == []


def test_the_next_event_without_a_box_has_no_frame_and_no_second_picture(
    chrome: Chrome, site: Site, findings: Findings
) -> None:
    see_bird(site)
    open_history(chrome, site, "event/bird")
    wait(chrome, lambda: not hidden(chrome, "event-detail") and not hidden(chrome, "event-box"))
    found = findings(chrome)
    resize(chrome, 1280, 800, "light")
    chrome.execute_script("location.hash = '#event/e0'")
    wait(chrome, lambda: text(chrome, "event-title") == "cup")
    wait(chrome, lambda: hidden(chrome, "event-detail"))

    assert found == []
    assert hidden(chrome, "event-box")
