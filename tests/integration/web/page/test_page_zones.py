"""Zones and masks on the page, as a person draws them and looks at them."""

from collections.abc import Iterator
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By

from tests.integration.web.browser import console_errors
from tests.integration.web.camera import Camera, Followed
from tests.integration.web.page.test_page import open_page, text, wait
from vitcam.look.active_areas import ActiveAreas
from vitcam.look.areas import Areas, Zone
from vitcam.pictures.view import Region
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

TWO = Areas((Zone("door", Region(0.1, 0.1, 0.3, 0.6), ("cup",), 0.6), Zone("road", Region(0.5, 0.1, 0.4, 0.4))))


class Keeper:
    """Keeps what is drawn, or says why not."""

    def __init__(self) -> None:
        self.kept: list[Areas] = []
        self.reason = ""

    def __call__(self, areas: Areas) -> str:
        self.kept.append(areas)
        return self.reason


@pytest.fixture
def keeper() -> Keeper:
    return Keeper()


@pytest.fixture
def areas(camera: Camera, keeper: Keeper) -> ActiveAreas:
    camera.active_areas = ActiveAreas(save=keeper)
    return camera.active_areas


@pytest.fixture
def drawable(camera: Camera, areas: ActiveAreas) -> Iterator[WebServer]:
    running = WebServer(camera.parts(areas=areas), Binding())
    running.start()
    yield running
    running.stop(2)


def drag(chrome: Chrome, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Over the picture, in fractions of it."""
    layer = chrome.find_element(By.ID, "zones-layer")
    width, height = layer.size["width"], layer.size["height"]
    points = [(round((x - 0.5) * width), round((y - 0.5) * height)) for x, y in (start, end)]
    middle = tuple((a + b) // 2 for a, b in zip(*points, strict=True))
    actions = ActionBuilder(chrome, mouse=PointerInput(interaction.POINTER_TOUCH, "finger"))  # type: ignore[no-untyped-call]
    pointer: Any = actions.pointer_action
    pointer.move_to(layer, *points[0]).pointer_down().move_to(layer, *middle).move_to(layer, *points[1]).pointer_up()
    actions.perform()


def begin(chrome: Chrome, server: WebServer) -> None:
    open_page(chrome, server)
    wait(chrome, lambda: chrome.find_element(By.ID, "zones").is_enabled())
    button = chrome.find_element(By.ID, "zones")
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", button)
    button.click()
    wait(chrome, lambda: chrome.find_element(By.ID, "zones-layer").is_displayed())
    chrome.execute_script("document.getElementById('fit').scrollIntoView({block: 'start'})")


def apply(chrome: Chrome) -> None:
    button = chrome.find_element(By.ID, "zones-apply")
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def fields(chrome: Chrome, name: str) -> list[Any]:
    return chrome.find_elements(By.CSS_SELECTOR, f"#zones-list input.{name}")


def type_over(field: Any, words: str) -> None:
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(words)


def near(region: Region, sides: tuple[float, float, float, float]) -> bool:
    found = (region.x, region.y, region.width, region.height)
    return all(abs(a - b) < 0.03 for a, b in zip(found, sides, strict=True))


@pytest.mark.parametrize("chrome", [1280, 390], indirect=True)
def test_two_zones_and_a_mask_are_drawn_named_and_applied(
    drawable: WebServer, areas: ActiveAreas, keeper: Keeper, chrome: Chrome
) -> None:
    begin(chrome, drawable)
    drag(chrome, (0.1, 0.2), (0.4, 0.8))
    drag(chrome, (0.5, 0.2), (0.9, 0.6))
    chrome.find_element(By.CSS_SELECTOR, "#zones-panel input[value=mask]").find_element(By.XPATH, "..").click()
    chrome.execute_script("document.getElementById('fit').scrollIntoView({block: 'start'})")
    drag(chrome, (0.6, 0.7), (0.9, 0.9))
    type_over(fields(chrome, "zone-name")[0], "door")
    type_over(fields(chrome, "zone-labels")[0], "cup, cat ")
    apply(chrome)
    wait(chrome, lambda: len(keeper.kept) == 1)
    wait(chrome, lambda: "Saved for the next start" in text(chrome, "zones-message"))
    drawn = areas.areas
    wait(chrome, lambda: "door" in text(chrome, "places"))

    assert drawn.names == ("door", "zone2")
    assert drawn.zones[0].labels == ("cup", "cat")
    assert near(drawn.zones[0].region, (0.1, 0.2, 0.3, 0.6))
    assert near(drawn.zones[1].region, (0.5, 0.2, 0.4, 0.4))
    assert len(drawn.masks) == 1
    assert near(drawn.masks[0], (0.6, 0.7, 0.3, 0.2))
    assert console_errors(chrome) == []


def test_a_zone_is_moved_resized_and_deleted_and_keeps_its_thresholds(
    drawable: WebServer, areas: ActiveAreas, chrome: Chrome
) -> None:
    areas.replace(TWO)
    begin(chrome, drawable)
    drag(chrome, (0.25, 0.4), (0.35, 0.5))
    drag(chrome, (0.5, 0.8), (0.6, 0.9))  # the lower right corner of the box that was just moved
    chrome.find_elements(By.CSS_SELECTOR, "#zones-list button")[1].click()
    apply(chrome)
    wait(chrome, lambda: areas.areas.names == ("door",))
    (zone,) = areas.areas.zones

    assert near(zone.region, (0.2, 0.2, 0.4, 0.7))
    assert (zone.labels, zone.enter) == (("cup",), 0.6)


def test_the_keyboard_adds_moves_resizes_and_deletes(drawable: WebServer, areas: ActiveAreas, chrome: Chrome) -> None:
    begin(chrome, drawable)
    add = chrome.find_element(By.ID, "zones-add")
    add.send_keys(Keys.ENTER)
    box = chrome.switch_to.active_element
    for keys in ([Keys.ARROW_LEFT] * 10, [Keys.ARROW_UP] * 10, [Keys.SHIFT, *[Keys.ARROW_RIGHT] * 10]):
        box.send_keys(*keys)
    add.send_keys(Keys.ENTER)
    chrome.switch_to.active_element.send_keys(Keys.DELETE)
    apply(chrome)
    wait(chrome, lambda: areas.areas.names == ("zone1",))

    assert near(areas.areas.zones[0].region, (0.2, 0.2, 0.5, 0.4))


def ticks(chrome: Chrome) -> list[bool]:
    return [tick.is_selected() for tick in chrome.find_elements(By.CSS_SELECTOR, ".zone-follow input")]


@pytest.mark.parametrize("followed", [None, {}], ids=["off", "on"])
def test_a_zone_follows_what_moves_where_it_is_ticked_and_as_the_settings_say_where_nobody_did(
    camera: Camera, drawable: WebServer, areas: ActiveAreas, chrome: Chrome, followed: dict[int, Followed] | None
) -> None:
    camera.followed = followed
    areas.replace(Areas((*TWO.zones, Zone("lawn", Region(0.5, 0.6, 0.4, 0.3), follow="motion"))))
    begin(chrome, drawable)
    first = ticks(chrome)
    chrome.find_elements(By.CSS_SELECTOR, ".zone-follow")[1].click()
    chrome.find_elements(By.CSS_SELECTOR, ".zone-follow")[2].click()
    apply(chrome)
    wait(chrome, lambda: areas.areas.zones[2].follow == "off")

    assert first == [followed is not None, followed is not None, True]
    assert areas.areas.zones[0].follow is None
    assert areas.areas.zones[1].follow == ("motion" if followed is None else "off")
    assert console_errors(chrome) == []


def test_names_that_are_not_allowed_are_said_and_nothing_is_lost(
    drawable: WebServer, areas: ActiveAreas, chrome: Chrome
) -> None:
    areas.replace(TWO)
    begin(chrome, drawable)
    type_over(fields(chrome, "zone-name")[0], "the door")
    apply(chrome)
    wait(chrome, lambda: "cannot be the name of a zone" in text(chrome, "zones-message"))
    type_over(fields(chrome, "zone-name")[0], "road")
    apply(chrome)
    wait(chrome, lambda: "Two zones are called “road”" in text(chrome, "zones-message"))
    chrome.find_element(By.ID, "zones-cancel").click()

    assert areas.areas is TWO
    assert not chrome.find_element(By.ID, "zones-layer").is_displayed()


def test_zones_that_are_not_kept_say_why(
    drawable: WebServer, areas: ActiveAreas, keeper: Keeper, chrome: Chrome
) -> None:
    areas.replace(TWO)
    keeper.reason = "zones and masks are kept for cameras only"
    begin(chrome, drawable)
    apply(chrome)
    wait(chrome, lambda: "for cameras only" in text(chrome, "zones-message"))

    assert areas.areas.zones == TWO.zones


@pytest.mark.parametrize("chrome", [1280, 390], indirect=True)
def test_each_zone_has_a_row_and_the_one_that_is_chosen_is_shown_in_full(
    camera: Camera, drawable: WebServer, areas: ActiveAreas, chrome: Chrome
) -> None:
    areas.replace(TWO)
    camera.labels = {"road": "pagoda"}
    open_page(chrome, drawable)
    wait(chrome, lambda: "pagoda" in text(chrome, "places"))
    first = text(chrome, "label")
    rows = chrome.find_elements(By.CSS_SELECTOR, "#places button")
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", rows[1])
    rows[1].click()
    wait(chrome, lambda: "pagoda" in text(chrome, "label"))
    crop_is_off = not chrome.find_element(By.ID, "crop").is_enabled()
    areas.replace(Areas())
    wait(chrome, lambda: not chrome.find_element(By.ID, "places").is_displayed())
    wait(chrome, lambda: chrome.find_element(By.ID, "seen").is_displayed())

    assert "cup" in first
    assert crop_is_off
    assert console_errors(chrome) == []
