"""Labels of one's own are taught on the page: collected, taught, used and taken back, with a real daemon."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.integration.web.browser import console_errors
from tests.integration.web.camera import Camera
from tests.integration.web.page.accessibility import findings_at_every_size
from tests.integration.web.page.test_page import open_page, text, wait
from tests.parts.teach.integration.test_teach_in_a_run import pictures
from tests.secured import bearer, quick_hash
from vitcam.access.guard import Guard
from vitcam.access.password import save_password
from vitcam.access.tokens import Scope, create_token
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

pytestmark = pytest.mark.slow("vitcam/web", "vitcam/parts/teach")

NOTHING = "nothing special"
PATIENCE_S = 300
_OVERFLOW = "return document.documentElement.scrollWidth - innerWidth"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Daemon]:
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as started:
        started.wait_for("ok")
        yield started


def part(chrome: Chrome, name: str) -> WebElement:
    return chrome.find_element(By.ID, f"teach-{name}")


def until(chrome: Chrome, condition: Any) -> None:
    wait(chrome, condition, PATIENCE_S)


def begin(chrome: Chrome, url: str) -> None:
    """Open the view with the keyboard."""
    chrome.get(url)
    until(chrome, lambda: chrome.find_element(By.ID, "to-teach").is_displayed())
    chrome.find_element(By.ID, "to-teach").send_keys(Keys.ENTER)
    until(chrome, lambda: "MB" in text(chrome, "teach-room") and part(chrome, "name").get_attribute("value"))


def row(chrome: Chrome, label: str) -> WebElement:
    return next(
        each
        for each in part(chrome, "labels").find_elements(By.TAG_NAME, "li")
        if each.find_element(By.CLASS_NAME, "teach-name").text == label
    )


def inside(chrome: Chrome, label: str, name: str) -> WebElement:
    found = row(chrome, label).find_element(By.CLASS_NAME, f"teach-{name}")
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
    return found


def press(chrome: Chrome, name: str) -> None:
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", part(chrome, name))
    part(chrome, name).click()


def thumbs(chrome: Chrome, label: str) -> list[WebElement]:
    return row(chrome, label).find_elements(By.CLASS_NAME, "teach-picture")


def add(chrome: Chrome, label: str) -> None:
    part(chrome, "new").send_keys(label, Keys.ENTER)
    until(chrome, lambda: row(chrome, label))


def counts(running: Daemon) -> dict[str, int]:
    found: list[dict[str, Any]] = get_json(f"{running.url}/api/datasets")["datasets"]
    return {label: count for each in found for label, count in each["labels"].items()}


def taken(running: Daemon) -> int:
    return int(get_json(f"{running.url}/api/collect")["taken"])


def hold(chrome: Chrome, running: Daemon, button: WebElement, kind: str, least: int) -> None:
    """Keep a button pressed until so many pictures were taken."""
    area = chrome.execute_script("return arguments[0].getBoundingClientRect().toJSON()", button)
    place = {"x": area["x"] + area["width"] / 2, "y": area["y"] + area["height"] / 2}
    one = {**place, "button": "left", "clickCount": 1}
    # Selenium cannot end a touch that an earlier call has begun
    down, up = {
        "mouse": (
            ("Input.dispatchMouseEvent", {"type": "mousePressed", **one}),
            ("Input.dispatchMouseEvent", {"type": "mouseReleased", **one}),
        ),
        "finger": (
            ("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [place]}),
            ("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []}),
        ),
    }[kind]
    chrome.execute_cdp_cmd(*down)
    until(chrome, lambda: get_json(f"{running.url}/api/collect")["active"] and taken(running) >= least)
    chrome.execute_cdp_cmd(*up)
    until(chrome, lambda: not get_json(f"{running.url}/api/collect")["active"])
    until(chrome, lambda: "taken" in text(chrome, "teach-message"))


@pytest.mark.parametrize(
    ("chrome", "kind"),
    [(1280, "mouse"), (390, "finger")],
    ids=["mouse", "finger"],
    indirect=["chrome"],
)
def test_two_labels_are_collected_taught_used_and_taken_back(
    running: Daemon, chrome: Chrome, kind: str, tmp_path: Path
) -> None:
    begin(chrome, running.url)
    first = row(chrome, NOTHING).is_displayed()
    hold(chrome, running, inside(chrome, NOTHING, "hold"), kind, 3)
    add(chrome, "my cup")
    hold(chrome, running, inside(chrome, "my cup", "hold"), kind, 3)
    until(chrome, lambda: len(thumbs(chrome, "my cup")) >= 3)
    collected = counts(running)
    look(chrome, tmp_path, "collected")
    press(chrome, "go")
    until(chrome, lambda: part(chrome, "report").is_displayed() and part(chrome, "use").is_displayed())
    report = text(chrome, "teach-report")
    wide = chrome.execute_script(_OVERFLOW)
    look(chrome, tmp_path, "report")
    press(chrome, "use")
    until(chrome, lambda: text(chrome, "teach-message") == "my things is in use now.")
    until(chrome, lambda: running.state()["model"] == "my things")
    objections = findings_at_every_size(chrome)
    press(chrome, "back")
    until(chrome, lambda: running.state()["model"] == "everyday")

    assert first, "the empty scene is offered first"
    assert set(collected) == {NOTHING, "my cup"}
    assert report.startswith("my things has learned 2 labels from")
    assert wide <= 0
    assert objections == []
    assert console_errors(chrome) == []


def test_pictures_are_taken_moved_and_deleted_with_the_keyboard_alone(running: Daemon, chrome: Chrome) -> None:
    begin(chrome, running.url)
    part(chrome, "new").send_keys("cup", Keys.ENTER)
    until(chrome, lambda: chrome.switch_to.active_element.get_attribute("aria-label") == "Hold to collect: cup")
    chrome.switch_to.active_element.send_keys(Keys.ENTER)
    until(chrome, lambda: text(chrome, "teach-message") == "1 picture of cup was taken.")
    ActionChains(chrome).key_down(Keys.SPACE).perform()
    until(chrome, lambda: taken(running) >= 2)
    ActionChains(chrome).key_up(Keys.SPACE).perform()
    until(chrome, lambda: not get_json(f"{running.url}/api/collect")["active"])
    until(chrome, lambda: len(thumbs(chrome, "cup")) == min(counts(running)["cup"], 12))
    before = counts(running)["cup"]
    chrome.execute_script("arguments[0].focus()", thumbs(chrome, "cup")[0])
    chrome.switch_to.active_element.send_keys(Keys.SPACE)
    chrome.execute_script("arguments[0].focus()", inside(chrome, "cup", "move"))
    chrome.switch_to.active_element.send_keys(Keys.ENTER)
    until(chrome, lambda: counts(running) == {"cup": before - 1, NOTHING: 1})
    until(chrome, lambda: len(thumbs(chrome, NOTHING)) == 1)
    chrome.execute_script("arguments[0].focus()", thumbs(chrome, NOTHING)[0])
    chrome.switch_to.active_element.send_keys(Keys.SPACE)
    chrome.execute_script("arguments[0].focus()", inside(chrome, NOTHING, "delete"))
    chrome.switch_to.active_element.send_keys(Keys.ENTER)
    question, kept = inside(chrome, NOTHING, "delete").text, counts(running)
    chrome.switch_to.active_element.send_keys(Keys.ENTER)
    until(chrome, lambda: NOTHING not in counts(running))
    add(chrome, "a/b")
    inside(chrome, "a/b", "hold").click()
    until(chrome, lambda: "cannot be a label" in text(chrome, "teach-message"))

    assert (question, kept[NOTHING]) == ("Delete 1 picture for good?", 1)


def test_a_wrongly_named_picture_is_shown_and_moved_and_lost_labels_are_named(tmp_path: Path, chrome: Chrome) -> None:
    mine = tmp_path / "datasets" / "mine"
    pictures(mine, "red disc", (0, 0, 255))
    pictures(mine, "blue disc", (255, 0, 0))
    wrong = next((mine / "blue disc").iterdir())
    wrong.rename(mine / "red disc" / "20270102T000000-001.jpg")
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        zone = {"rect": [0, 0, 0.5, 1], "labels": ["tabby cat"]}
        answer_to(f"{running.url}/api/zones", {"zones": {"door": zone}, "masks": []}, "PUT")
        begin(chrome, running.url)
        zones = part(chrome, "zone").is_displayed()
        until(chrome, lambda: thumbs(chrome, "red disc"))
        press(chrome, "go")
        until(chrome, lambda: "pictures of the empty scene" in text(chrome, "teach-message"))
        press(chrome, "go")
        until(chrome, lambda: part(chrome, "lost").is_displayed())
        lost, suspects = text(chrome, "teach-lost"), text(chrome, "teach-said")
        buttons = part(chrome, "said").find_elements(By.XPATH, ".//button[text()='Move it to blue disc']")
        shown = chrome.execute_script("return document.querySelector('#teach-said img').naturalWidth")
        chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", buttons[0])
        buttons[0].click()
        until(chrome, lambda: counts(running) == {"red disc": 12, "blue disc": 12})
        other = answer_to(f"{running.url}/api/model", {"name": "my things"})
        until(chrome, lambda: running.state()["model"] == "my things")
        objections, errors = findings_at_every_size(chrome), console_errors(chrome)

    assert zones
    assert "tabby cat" in lost
    assert "Named red disc. It looks like blue disc" in suspects
    assert shown > 0
    assert other[0] == 200
    assert (objections, errors) == ([], [])


def test_a_model_that_a_file_sets_cannot_be_used_here_and_the_panel_says_so(tmp_path: Path, chrome: Chrome) -> None:
    with daemon("--source", "demo", "--loop", "--model", "everyday", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        begin(chrome, running.url)
        until(chrome, lambda: part(chrome, "fixed").is_displayed())
        said = text(chrome, "teach-fixed")
        press(chrome, "go")
        press(chrome, "go")
        until(chrome, lambda: "no pictures yet" in text(chrome, "teach-message"))

    assert "command line" in said


def test_who_may_only_look_gets_no_link_to_teach(camera: Camera, chrome: Chrome, tmp_path: Path) -> None:
    save_password(tmp_path, quick_hash())
    tokens = [create_token(tmp_path, scope.value, scope) for scope in (Scope.READ, Scope.CONTROL)]
    server = WebServer(camera.parts(), Binding(guard=Guard(quick_hash(), tmp_path)))
    server.start()
    chrome.execute_cdp_cmd("Network.enable", {})
    shown = []
    try:
        for token in tokens:
            chrome.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": bearer(token)})
            open_page(chrome, server)
            shown.append(chrome.find_element(By.ID, "to-teach").is_displayed())
    finally:
        chrome.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {}})
        server.stop(2)

    assert shown == [False, True]


def look(chrome: Chrome, folder: Path, name: str) -> None:
    """Keep what is on the screen."""
    width = chrome.execute_script("return innerWidth")
    assert chrome.save_screenshot(str(folder / f"{name}-{width}.png"))
