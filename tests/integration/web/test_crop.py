"""The crop, set by programs and by viewers of the page."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.actions import interaction
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By

from tests.daemon import answer_to, get_json
from tests.integration.web.browser import console_errors, open_browser
from tests.integration.web.camera import Camera
from tests.integration.web.page.test_page import open_page, text, wait
from vitcam.pictures.view import Region
from vitcam.sources.active_crop import ActiveCrop
from vitcam.web.given import Binding
from vitcam.web.server import WebServer


class Memory:
    """Stores crops until it is full."""

    def __init__(self) -> None:
        self.kept: list[Region | None] = []
        self.reason = ""

    def __call__(self, region: Region | None) -> str:
        self.kept.append(region)
        return self.reason


@pytest.fixture
def memory() -> Memory:
    return Memory()


@pytest.fixture
def active_crop(memory: Memory) -> ActiveCrop:
    return ActiveCrop(save=memory)


@pytest.fixture
def aimed(camera: Camera, active_crop: ActiveCrop) -> Iterator[WebServer]:
    camera.active_crop = active_crop
    running = WebServer(camera.parts(crop=active_crop), Binding())
    running.start()
    yield running
    running.stop(2)


@pytest.fixture
def camera() -> Iterator[Camera]:
    """Slow enough for a browser without a graphics card."""
    with Camera(fps=8) as running:
        yield running


def post(url: str, body: str, **headers: str) -> tuple[int, dict[str, Any]]:
    return answer_to(f"{url}/api/crop", body, headers=headers)


def test_a_crop_is_set_reported_and_removed_again(aimed: WebServer, active_crop: ActiveCrop, memory: Memory) -> None:
    before = get_json(f"{aimed.url}/api/state")["view"]
    status, answer = post(aimed.url, '{"crop": [0.25, 0, 0.5, 0.5]}')
    during = get_json(f"{aimed.url}/api/state")["view"]
    region = active_crop.region
    _, whole = post(aimed.url, '{"crop": null}')

    assert before == {
        "picture": [1280, 720], "crop": None, "seen": [0.21875, 0, 0.5625, 1], "line": 'crop = "0,0,1,1"',
        "remembered": False, "fixed": "",
    }  # fmt: skip
    assert status == 200
    assert answer == during | {"remembered": True, "reason": ""}
    assert during["seen"] == [0.359375, 0, 0.28125, 0.5]
    assert during["line"] == 'crop = "0.25,0,0.5,0.5"'
    assert region == Region(0.25, 0, 0.5, 0.5)
    assert whole["crop"] is None
    assert memory.kept == [region, None]


@pytest.mark.fault(
    "the state folder cannot be written",
    injected="a saver that fails with a full disk",
    observed="the crop is in force; the answer says that it was not saved",
)
def test_a_crop_that_cannot_be_saved_is_still_active(aimed: WebServer, active_crop: ActiveCrop, memory: Memory) -> None:
    memory.reason = "/var cannot be written: Read-only file system"
    status, answer = post(aimed.url, '{"crop": [0, 0, 0.5, 1]}')

    assert (status, answer["remembered"], answer["reason"]) == (200, False, memory.reason)
    assert active_crop.region == Region(0, 0, 0.5, 1)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "not JSON"),
        ("[1]", "send"),
        ("{}", "send"),
        ('{"crop": [0, 0, 1]}', "four numbers"),
        ('{"crop": [0, 0, 640, 480]}', "four numbers"),
        ('{"crop": [0, 0, true, 1]}', "four numbers"),
        ('{"crop": [NaN, 0, 1, 1]}', "NaN in it is no number"),
        ('{"crop": [0.6, 0, 0.5, 1]}', "outside"),
        ('{"crop": [0.5, 0.5, 0, 0.5]}', "empty"),
    ],
)
def test_an_invalid_crop_is_refused_and_changes_nothing(
    aimed: WebServer, active_crop: ActiveCrop, memory: Memory, body: str, reason: str
) -> None:
    status, answer = post(aimed.url, body)

    assert status == 400
    assert reason in answer["error"]
    assert active_crop.region is None
    assert memory.kept == []


def box(chrome: Chrome, element: str) -> list[float]:
    """Left, top, width, height of an element, as shares of the picture."""
    found: list[float] = chrome.execute_script(
        "const a = document.getElementById('fit').getBoundingClientRect();"
        "const b = document.getElementById(arguments[0]).getBoundingClientRect();"
        "return [(b.x - a.x) / a.width, (b.y - a.y) / a.height, b.width / a.width, b.height / a.height]",
        element,
    )
    return found


def near(found: list[float], wanted: list[float]) -> bool:
    return all(abs(a - b) < 0.02 for a, b in zip(found, wanted, strict=True))


def drag(chrome: Chrome, start: tuple[float, float], end: tuple[float, float], *, touch: bool = False) -> None:
    layer = chrome.find_element(By.ID, "crop-layer")
    width, height = layer.size["width"], layer.size["height"]
    points = [(round((x - 0.5) * width), round((y - 0.5) * height)) for x, y in (start, end)]
    kind = interaction.POINTER_TOUCH if touch else interaction.POINTER_MOUSE
    actions = ActionBuilder(chrome, mouse=PointerInput(kind, "pointer"))  # type: ignore[no-untyped-call]
    pointer: Any = actions.pointer_action
    pointer.move_to(layer, *points[0]).pointer_down().move_to(layer, 0, 0).move_to(layer, *points[1]).pointer_up()
    actions.perform()


def type_number(chrome: Chrome, side: str, percent: str) -> None:
    field = chrome.find_element(By.ID, f"crop-{side}")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(percent)


def numbers(chrome: Chrome) -> list[float]:
    """Left, top, width, height in the panel, in percent."""
    fields = [chrome.find_element(By.ID, f"crop-{side}") for side in "xywh"]
    return [float(field.get_property("value")) for field in fields]  # type: ignore[arg-type]


def test_a_rectangle_that_is_dragged_becomes_what_the_model_sees(
    aimed: WebServer, active_crop: ActiveCrop, chrome: Chrome
) -> None:
    open_page(chrome, aimed)
    wait(chrome, lambda: near(box(chrome, "seen"), [0.21875, 0, 0.5625, 1]))
    chrome.find_element(By.ID, "crop").click()
    drag(chrome, (0.1, 0.2), (0.6, 0.8))
    chosen = box(chrome, "crop-box")
    inner = box(chrome, "crop-inner")
    chrome.find_element(By.ID, "crop-apply").click()
    wait(chrome, lambda: active_crop.region is not None)
    wait(chrome, lambda: near(box(chrome, "seen"), [0.18125, 0.2, 0.3375, 0.6]))
    said = text(chrome, "crop-message")

    assert near(chosen, [0.1, 0.2, 0.5, 0.6])
    assert near(inner, [0.18125, 0.2, 0.3375, 0.6])
    region = active_crop.region
    assert region is not None
    assert near([region.x, region.y, region.width, region.height], chosen)
    assert "next start" in said
    assert console_errors(chrome) == []


def test_a_rectangle_is_moved_by_its_middle_and_resized_by_its_corners(
    aimed: WebServer, active_crop: ActiveCrop, chrome: Chrome
) -> None:
    active_crop.replace(Region(0.2, 0.2, 0.4, 0.4))
    open_page(chrome, aimed)
    wait(chrome, lambda: text(chrome, "crop") == "Cropped")
    chrome.find_element(By.ID, "crop").click()
    drag(chrome, (0.4, 0.4), (0.5, 0.5))
    moved = box(chrome, "crop-box")
    drag(chrome, (0.7, 0.7), (0.9, 0.95))
    sized = box(chrome, "crop-box")

    assert near(moved, [0.3, 0.3, 0.4, 0.4])
    assert near(sized, [0.3, 0.3, 0.6, 0.65])


def test_a_crop_can_be_drawn_by_touch(aimed: WebServer, tmp_path: Path) -> None:
    with open_browser(tmp_path / "phone", 390, 844) as phone:
        open_page(phone, aimed)
        wait(phone, lambda: phone.find_element(By.ID, "crop").is_enabled())
        phone.find_element(By.ID, "crop").click()
        drag(phone, (0.2, 0.2), (0.8, 0.9), touch=True)
        wait(phone, lambda: near(box(phone, "crop-box"), [0.2, 0.2, 0.6, 0.7]))
        sideways = phone.execute_script("return document.documentElement.scrollWidth - innerWidth")

        assert sideways <= 0


def test_a_crop_can_be_chosen_applied_and_cancelled_with_the_keyboard(
    aimed: WebServer, active_crop: ActiveCrop, chrome: Chrome
) -> None:
    open_page(chrome, aimed)
    wait(chrome, lambda: chrome.find_element(By.ID, "crop").is_enabled())
    chrome.find_element(By.ID, "crop").send_keys(Keys.ENTER)
    type_number(chrome, "w", "50")
    type_number(chrome, "h", "40")
    rectangle = chrome.find_element(By.ID, "crop-box")
    rectangle.send_keys(Keys.ARROW_RIGHT * 5 + Keys.ARROW_DOWN * 3)
    rectangle.send_keys(Keys.SHIFT + Keys.ARROW_RIGHT * 2)
    moved = box(chrome, "crop-box")
    chrome.find_element(By.ID, "crop-apply").send_keys(Keys.ENTER)
    wait(chrome, lambda: active_crop.region is not None)
    applied = active_crop.region
    chrome.find_element(By.ID, "crop").send_keys(Keys.ENTER)
    rectangle.send_keys(Keys.ARROW_RIGHT * 9 + Keys.ESCAPE)

    assert near(moved, [0.05, 0.03, 0.52, 0.4])
    assert applied == Region(0.05, 0.03, 0.52, 0.4)
    assert not chrome.find_element(By.ID, "crop-panel").is_displayed()
    assert active_crop.region == applied


def test_a_typed_number_is_kept_and_the_others_are_adjusted(aimed: WebServer, chrome: Chrome) -> None:
    open_page(chrome, aimed)
    wait(chrome, lambda: chrome.find_element(By.ID, "crop").is_enabled())
    chrome.find_element(By.ID, "crop").click()
    type_number(chrome, "x", "30")
    shrunk = numbers(chrome)
    type_number(chrome, "w", "40")
    type_number(chrome, "x", "70")
    pushed = numbers(chrome)

    assert shrunk == [30, 0, 70, 100]
    assert pushed == [70, 0, 30, 100]
    assert near(box(chrome, "crop-box"), [0.7, 0, 0.3, 1])


def test_a_crop_can_be_chosen_while_the_camera_gives_no_picture(
    camera: Camera, aimed: WebServer, active_crop: ActiveCrop, chrome: Chrome
) -> None:
    open_page(chrome, aimed)
    wait(chrome, lambda: chrome.find_element(By.ID, "seen").is_displayed())
    camera.lose_signal("the cable is loose")
    wait(chrome, lambda: text(chrome, "status") == "No picture")
    marked = chrome.find_element(By.ID, "seen").is_displayed()
    chrome.find_element(By.ID, "crop").click()
    drag(chrome, (0.1, 0.2), (0.6, 0.8))
    chrome.find_element(By.ID, "crop-apply").click()
    wait(chrome, lambda: active_crop.region is not None)
    camera.find_signal()
    wait(chrome, lambda: near(box(chrome, "seen"), [0.18125, 0.2, 0.3375, 0.6]))

    assert not marked, "a border around a part of the card that says why there is no picture"
    assert console_errors(chrome) == []


def test_before_the_first_picture_only_programs_can_set_a_crop(active_crop: ActiveCrop, chrome: Chrome) -> None:
    camera = Camera()
    camera.lose_signal("no camera is connected")
    server = WebServer(camera.parts(crop=active_crop), Binding())
    server.start()
    status, answer = post(server.url, '{"crop": [0.5, 0, 0.5, 1]}')
    chrome.get(server.url)
    wait(chrome, lambda: text(chrome, "crop") == "Cropped")
    enabled = chrome.find_element(By.ID, "crop").is_enabled()
    errors = console_errors(chrome)
    server.stop(2)

    assert status == 200
    assert answer["crop"] == [0.5, 0, 0.5, 1]
    assert answer["picture"] is answer["seen"] is None
    assert not enabled
    assert errors == []


def test_a_crop_chosen_while_vitcam_is_away_stays_on_the_page_until_it_is_back(
    camera: Camera, aimed: WebServer, active_crop: ActiveCrop, chrome: Chrome
) -> None:
    open_page(chrome, aimed)
    wait(chrome, lambda: chrome.find_element(By.ID, "crop").is_enabled())
    chrome.find_element(By.ID, "crop").click()
    drag(chrome, (0.1, 0.2), (0.6, 0.8))
    aimed.stop(2)
    chrome.find_element(By.ID, "crop-apply").click()
    wait(chrome, lambda: "did not answer" in text(chrome, "crop-message"))
    before = active_crop.region
    again = WebServer(camera.parts(crop=active_crop), Binding(port=int(aimed.url.rsplit(":", 1)[1])))
    again.start()
    wait(chrome, lambda: text(chrome, "status") == "Live")
    chrome.find_element(By.ID, "crop-apply").click()
    wait(chrome, lambda: text(chrome, "crop") == "Cropped")
    again.stop(2)

    assert before is None
    assert active_crop.region is not None
    assert near(
        [active_crop.region.x, active_crop.region.y, active_crop.region.width, active_crop.region.height],
        [0.1, 0.2, 0.5, 0.6],
    )


def test_the_whole_picture_comes_back_and_a_full_disk_is_explained(
    aimed: WebServer, active_crop: ActiveCrop, memory: Memory, chrome: Chrome
) -> None:
    active_crop.replace(Region(0.2, 0.2, 0.4, 0.4))
    memory.reason = "/var/lib/vitcam/crops.json cannot be written: Read-only file system"
    open_page(chrome, aimed)
    wait(chrome, lambda: text(chrome, "crop") == "Cropped")
    chrome.find_element(By.ID, "crop").click()
    chrome.find_element(By.ID, "crop-whole").click()
    wait(chrome, lambda: text(chrome, "crop") == "Crop")

    assert active_crop.region is None
    assert "until vitcam ends" in text(chrome, "crop-message")
    assert "Read-only file system" in text(chrome, "crop-message")


def test_the_page_says_that_the_model_rests_while_nothing_moves(
    camera: Camera, aimed: WebServer, chrome: Chrome
) -> None:
    open_page(chrome, aimed)
    before = chrome.find_element(By.ID, "resting").is_displayed()
    camera.resting_since = "2026-11-28T12:04:59.000Z"
    wait(chrome, lambda: chrome.find_element(By.ID, "resting").is_displayed())
    said = text(chrome, "resting")
    camera.resting_since = None
    wait(chrome, lambda: not chrome.find_element(By.ID, "resting").is_displayed())

    assert not before
    assert re.fullmatch(r"resting since \d\d:\d4( [AP]M)?", said)
