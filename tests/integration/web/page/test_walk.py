"""The history as a person meets it: from two zones that are drawn to a label that is corrected, with a real daemon."""

import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.daemon import Daemon, daemon, get_json
from tests.eventually import eventually
from tests.integration.web.browser import console_errors, open_browser
from tests.integration.web.page.test_page import picture_width, text, wait
from tests.needs import need_program
from tests.videos import write_video

pytestmark = pytest.mark.slow("vitcam/web")

GOLDEN = Path(__file__).parents[4] / "models/golden"
FPS, SIDE = 10, 360
DOOR, ROAD = ((0.02, 0.05), (0.47, 0.95)), ((0.53, 0.05), (0.98, 0.95))
PATIENCE_S = 60
_OVERFLOW = """
  return document.documentElement.scrollWidth > innerWidth
    ? [...document.querySelectorAll("body *")].filter((each) => each.getBoundingClientRect().right > innerWidth + 1
        && each.offsetParent && !each.closest(".filters")).map((each) => each.id || each.className) : [];
"""


def film(folder: Path) -> Path:
    """12 s, again and again: on the left a cup for 4 s, later on the right a bird for 4 s, a wall around them."""
    cup, bird = (cv2.resize(cv2.imread(str(GOLDEN / name)), (SIDE, SIDE)) for name in ("coffee.jpg", "bird.jpg"))
    pictures = []
    for number in range(12 * FPS):
        picture = np.full((SIDE, 2 * SIDE, 3), 90, np.uint8)
        if FPS <= number < 5 * FPS:
            picture[:, :SIDE] = cup
        if 6 * FPS <= number < 10 * FPS:
            picture[:, SIDE:] = bird
        pictures.append(picture)
    return write_video(folder / "yard.mp4", pictures, fps=FPS)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def running(tmp_path: Path, state: Path) -> Iterator[Daemon]:
    need_program("ffmpeg")
    clips = ("--set", "clips.enabled=true", "--set", "clips.after_s=1", "--set", "clips.before_s=1")
    with daemon("--source", str(film(tmp_path)), "--loop", *clips, STATE_DIRECTORY=str(state)) as started:
        started.wait_for("ok")
        yield started


class Person:
    """Looks at a page and uses its parts, by mouse or with a finger; each step is a screenshot."""

    def __init__(self, chrome: Chrome, pictures: Path, finger: bool) -> None:
        self.chrome = chrome
        self._pictures = pictures
        self._finger = finger
        self.cut_off: list[str] = []
        pictures.mkdir()

    def look(self, name: str) -> None:
        """Keep what is on the screen, and note what reaches outside it."""
        self.cut_off += [f"{name}: {each}" for each in self.chrome.execute_script(_OVERFLOW)]
        assert self.chrome.save_screenshot(str(self._pictures / f"{name}.png"))

    def find(self, selector: str) -> WebElement:
        return self.chrome.find_element(By.CSS_SELECTOR, selector)

    def press(self, selector: str) -> None:
        """Bring it into view, and press it."""
        element = self.find(selector)
        self.chrome.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        element.click()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Over the picture, in fractions of it."""
        layer = self.find("#zones-layer")
        self.chrome.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", layer)
        width, height = layer.size["width"], layer.size["height"]
        points = [(round((x - 0.5) * width), round((y - 0.5) * height)) for x, y in (start, end)]
        kind = interaction.POINTER_TOUCH if self._finger else interaction.POINTER_MOUSE
        actions = ActionBuilder(self.chrome, mouse=PointerInput(kind, "hand"))  # type: ignore[no-untyped-call]
        hand: Any = actions.pointer_action
        hand.move_to(layer, *points[0]).pointer_down().move_to(layer, 0, 0).move_to(layer, *points[1]).pointer_up()
        actions.perform()

    def until(self, condition: Any) -> None:
        wait(self.chrome, condition, PATIENCE_S)


@pytest.fixture(params=[(1280, 800), (390, 844)], ids=["mouse", "finger"])
def person(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Person]:
    width, height = request.param
    with open_browser(tmp_path / "profile", width, height) as chrome:
        if width < 600:
            chrome.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})
        somebody = Person(chrome, tmp_path / "screenshots", finger=width < 600)
        yield somebody
        somebody.look("9-at-the-end")


def video(chrome: Chrome, wanted: str) -> Any:
    return chrome.execute_script(f"return document.getElementById('event-clip').{wanted}")


def test_two_zones_are_drawn_their_events_come_a_clip_plays_and_a_label_is_corrected(
    running: Daemon, person: Person, state: Path
) -> None:
    chrome = person.chrome
    chrome.get(running.url)
    person.until(lambda: picture_width(chrome) > 100)
    person.look("1-live")
    draw_zones(person)
    person.press("#to-history")
    person.until(lambda: person.find("#events").is_displayed())
    person.look("3-history-opened")
    person.press(".chip:has([name=view][value=all])")
    person.until(lambda: person.find("#grid").is_displayed())
    wait_for_cards(person)
    event_id = open_clip(person)
    length_s = play(person)
    correct(person, event_id)

    assert (state / f"datasets/corrections/teapot/{event_id}.jpg").read_bytes()[:2] == b"\xff\xd8"
    event = get_json(f"{running.url}/api/events/{event_id}")
    lasted_s = (datetime.fromisoformat(event["end"]) - datetime.fromisoformat(event["start"])).total_seconds()
    assert lasted_s < length_s < lasted_s + 4, "a second before and one after it, and what was not waited for"
    assert (event["corrected"], event["label"], event["zone"]) == ("teapot", "espresso", "door")
    assert [each["id"] for each in get_json(f"{running.url}/api/events?label=teapot")["events"]] == [event_id]
    with urllib.request.urlopen(f"{running.url}/api/predictions?only=events", timeout=10) as stream:
        assert stream.status == 200
    assert person.cut_off == []
    assert console_errors(chrome) == []
    assert "Traceback" not in running.errors()


def draw_zones(person: Person) -> None:
    """Two, with names."""
    fields = partial(person.chrome.find_elements, By.CSS_SELECTOR, "#zones-list input.zone-name")
    person.until(lambda: person.find("#zones").is_enabled())
    person.press("#zones")
    person.until(lambda: person.find("#zones-layer").is_displayed())
    for place, name, (start, end) in ((0, "door", DOOR), (1, "road", ROAD)):
        person.drag(start, end)
        person.until(lambda count=place + 1: len(fields()) == count)
        field = fields()[place]
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(name)
    person.look("2-zones-drawn")
    person.press("#zones-apply")
    person.until(lambda: "road" in text(person.chrome, "places"))
    person.look("2-zones-applied")


def wait_for_cards(person: Person) -> None:
    """Events of both zones appear by themselves, and one has a clip."""
    person.until(lambda: ids_of(person, "door", "") and ids_of(person, "road", ""))
    person.until(lambda: ids_of(person, "door", ":has(.has-clip)"))
    person.look("4-history-with-events")


def ids_of(person: Person, zone: str, more: str) -> list[str]:
    """Of the cards of a zone; more: a further condition, as a selector."""
    found: list[str] = person.chrome.execute_script(
        "return [...document.querySelectorAll(`#grid .event${arguments[1]}`)]"
        ".filter((card) => card.querySelector('.where')?.textContent === arguments[0]).map((card) => card.dataset.id)",
        zone,
        more,
    )
    return found


def open_clip(person: Person) -> str:
    """The id of the event at the door that was opened.

    Events come all the time, and each moves the cards: what is pressed may be another card by then, or none.
    """

    def opened() -> str | None:
        wanted = ids_of(person, "door", ":has(.has-clip)")
        with suppress(StaleElementReferenceException, NoSuchElementException, ElementClickInterceptedException):
            person.press(f"#grid .event[data-id='{wanted[0]}']")
        found = str(person.chrome.current_url).partition("#event/")[2]
        if found in wanted:
            return found
        if found:
            person.press("#event-back")
        return None

    event_id = eventually(opened, PATIENCE_S)
    assert event_id
    person.until(lambda: person.find("#event-clip").is_displayed())
    person.until(lambda: video(person.chrome, "readyState") >= 1)
    person.look("5-event")
    return event_id


def card_text(person: Person, event_id: str) -> str:
    """What the card of an event says, read at one moment: the next event makes new cards. Empty: there is none."""
    found = "document.querySelector(`#grid .event[data-id='${arguments[0]}']`)"
    return str(person.chrome.execute_script(f"return {found}?.innerText ?? ''", event_id))


def play(person: Person) -> float:
    """The clip runs, and goes to where it is sent; its length in s."""
    clip = person.find("#event-clip")
    person.chrome.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", clip)
    clip.send_keys(Keys.SPACE)
    person.until(lambda: video(person.chrome, "currentTime") > 0.5)
    person.look("6-clip-plays")
    assert video(person.chrome, "videoWidth") > 0
    clip.send_keys(Keys.SPACE)
    person.until(lambda: video(person.chrome, "paused"))
    length = video(person.chrome, "duration")
    video(person.chrome, f"currentTime = {length - 1}")
    person.until(lambda: not video(person.chrome, "seeking") and video(person.chrome, "readyState") >= 2)
    assert abs(video(person.chrome, "currentTime") - (length - 1)) < 0.2
    return float(length)


def correct(person: Person, event_id: str) -> None:
    """It was a teapot; the grid says so."""
    person.press("#event-label")
    person.find("#event-label").send_keys("teapot", Keys.ENTER)
    person.until(lambda: "Stored as “teapot”" in text(person.chrome, "event-message"))
    person.look("7-corrected")
    place = person.find("#event-message").rect["y"] - person.chrome.execute_script("return scrollY")
    assert 0 <= place < person.chrome.execute_script("return innerHeight"), "the answer is not on the screen"
    assert text(person.chrome, "event-chance") == "", "it was the chance of the model's label"
    person.press("#event-back")
    person.until(lambda: person.find("#grid").is_displayed())
    person.until(lambda: all(word in card_text(person, event_id) for word in ("teapot", "corrected")))
    person.look("8-history-corrected")
