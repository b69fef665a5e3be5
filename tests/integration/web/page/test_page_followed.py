"""What is followed because it moves, as a person sees it on the page."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.integration.web.browser import console_errors
from tests.integration.web.camera import Camera, Followed
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.test_page import open_page, text, wait
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.pictures.view import Region
from vitcam.rects import Rect
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

BIRD, BRANCH = Followed(Rect(960, 90, 200, 200), "pagoda"), Followed(Rect(40, 500, 80, 80), known=False)
_SMALL = "const img = document.querySelector('#inset img'); return img.checkVisibility() && img.naturalWidth"


@pytest.fixture
def following(camera: Camera) -> Camera:
    camera.active_areas = ActiveAreas()
    camera.followed = {}
    return camera


@pytest.fixture
def site(following: Camera) -> Iterator[WebServer]:
    running = WebServer(following.parts(areas=following.active_areas), Binding())
    running.start()
    yield running
    running.stop(2)


def rows(chrome: Chrome) -> list[str]:
    """Each place, and what is there."""
    found: list[str] = chrome.execute_script(
        "return [...document.querySelectorAll('#places button')].map((row) => "
        "[...row.children].slice(0, 2).map((part) => part.textContent).join(': '))"
    )
    return found


def frames(chrome: Chrome) -> list[Any]:
    """Of the frames on the page that can be seen: where they lie, in fractions of the picture."""
    found: list[Any] = chrome.execute_script(
        "const fit = document.getElementById('fit').getBoundingClientRect();"
        "return [...document.querySelectorAll('.followed')].filter((each) => each.checkVisibility())"
        ".map((each) => each.getBoundingClientRect()).map(({x, y, width, height}) => "
        "[(x - fit.x) / fit.width, (y - fit.y) / fit.height, width / fit.width, height / fit.height])"
    )
    return found


def small_track(chrome: Chrome) -> str:
    source = str(chrome.find_element(By.CSS_SELECTOR, "#inset img").get_attribute("src"))
    return source.partition("track=")[2].partition("&")[0]


@pytest.mark.parametrize("chrome", [1280, 390], indirect=True)
def test_a_named_thing_that_moves_stands_in_front_with_a_picture_of_what_the_model_saw(
    following: Camera, site: WebServer, chrome: Chrome
) -> None:
    open_page(chrome, site)
    wait(chrome, lambda: text(chrome, "label").startswith("cup"))
    following.followed = {4: BRANCH, 7: BIRD}
    wait(chrome, lambda: text(chrome, "label").startswith("pagoda"))
    wait(chrome, lambda: chrome.execute_script(_SMALL) == 200)
    wait(chrome, lambda: rows(chrome) == ["whole view: cup", "moving 1: Not sure", "moving 2: pagoda"])
    title = chrome.find_element(By.CSS_SELECTOR, "#answer h2").get_attribute("textContent")
    alt = chrome.find_element(By.CSS_SELECTOR, "#inset img").get_attribute("alt")
    shown = small_track(chrome)
    chrome.execute_script("document.querySelectorAll('#places button')[1].click()")
    wait(chrome, lambda: text(chrome, "label").startswith("Not sure"))
    wait(chrome, lambda: small_track(chrome) == "4")

    assert title == "The model sees what moves"
    assert alt == "What the model saw of it: pagoda"
    assert shown == "7"
    assert console_errors(chrome) == []


def test_what_has_a_name_stays_in_front_until_it_has_none(following: Camera, site: WebServer, chrome: Chrome) -> None:
    following.followed = {7: BIRD}
    open_page(chrome, site)
    wait(chrome, lambda: text(chrome, "label").startswith("pagoda"))
    following.followed = {7: BIRD, 9: replace(BRANCH, label="kettle", known=True, p=0.99)}
    wait(chrome, lambda: rows(chrome)[-1] == "moving 2: kettle")
    first = text(chrome, "label")
    following.followed = {7: replace(BIRD, known=False), 9: replace(BRANCH, label="kettle", known=True)}
    wait(chrome, lambda: text(chrome, "label").startswith("kettle"))

    assert first.startswith("pagoda")


def test_a_thin_frame_is_around_each_box_also_where_nothing_is_drawn_over_the_picture(
    following: Camera, site: WebServer, chrome: Chrome
) -> None:
    following.followed = {4: BRANCH, 7: BIRD}
    open_page(chrome, site)
    wait(chrome, lambda: len(rows(chrome)) == 3)
    drawn = frames(chrome)
    chrome.find_element(By.CSS_SELECTOR, "#overlays input[value=none]").click()
    wait(chrome, lambda: len(frames(chrome)) == 2)

    assert drawn == [], "the picture itself has them"
    assert [side for frame in frames(chrome) for side in frame] == pytest.approx(
        [1 / 32, 25 / 36, 1 / 16, 1 / 9, 0.75, 1 / 8, 5 / 32, 5 / 18], abs=0.003
    )
    assert console_errors(chrome) == []


def test_what_left_loses_its_row_and_its_frame(following: Camera, site: WebServer, chrome: Chrome) -> None:
    following.followed = {7: BIRD}
    open_page(chrome, site)
    wait(chrome, lambda: text(chrome, "label").startswith("pagoda"))
    following.followed = {}
    wait(chrome, lambda: text(chrome, "label").startswith("cup"))

    assert rows(chrome) in ([], ["whole view: cup"])
    assert not chrome.find_elements(By.CSS_SELECTOR, ".followed")
    assert not chrome.execute_script(_SMALL)


def test_what_moves_in_a_zone_stands_below_its_zone(following: Camera, site: WebServer, chrome: Chrome) -> None:
    door, road = Zone("door", Region(0.5, 0, 0.5, 1)), Zone("road", Region(0, 0, 0.5, 1))
    following.active_areas.replace(Areas((door, road)))
    following.followed = {7: replace(BIRD, zone="door")}
    open_page(chrome, site)
    wait(chrome, lambda: rows(chrome) == ["door: cup", "moving: pagoda", "road: cup"])
    wait(chrome, lambda: text(chrome, "label").startswith("pagoda"))
    title = chrome.find_element(By.CSS_SELECTOR, "#answer h2").get_attribute("textContent")
    caption = chrome.find_element(By.ID, "caption").get_attribute("textContent")

    assert title == "The model sees what moves in door"
    assert caption == "door: cup\nroad: cup\ndoor: pagoda"


def test_the_page_with_something_that_moves_is_accessible(
    following: Camera, site: WebServer, chrome: Chrome, findings: Findings
) -> None:
    following.followed = {4: BRANCH, 7: BIRD}
    open_page(chrome, site)
    wait(chrome, lambda: chrome.execute_script(_SMALL))
    moving = findings(chrome)
    following.followed = {}
    wait(chrome, lambda: not chrome.execute_script(_SMALL))

    assert moving == []
    assert findings(chrome) == []
