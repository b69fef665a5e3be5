"""The page in a real browser."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from tests.integration.web.browser import console_errors, resize
from tests.integration.web.camera import MODEL, Camera, Client
from vitcam.slot import Current
from vitcam.web.given import Binding
from vitcam.web.server import WebServer
from vitcam.web.stream.variant import Variant

_PIXELS = """
  const img = document.getElementById("picture");
  const canvas = document.createElement("canvas");
  canvas.width = 64; canvas.height = 36;
  const context = canvas.getContext("2d");
  context.drawImage(img, 0, 0, 64, 36);
  return [...context.getImageData(0, 0, 64, 36).data];
"""


def wait(chrome: Chrome, condition: Callable[[], object], timeout_s: float = 60) -> None:
    WebDriverWait(chrome, timeout_s, 0.1).until(lambda _: condition())


def text(chrome: Chrome, element: str) -> str:
    return chrome.find_element(By.ID, element).text


def press_link(chrome: Chrome, name: str) -> None:
    """Of a view, with the keyboard; on a phone it may lie below "More"."""
    link, more = (chrome.find_element(By.ID, each) for each in (name, "more"))
    wait(chrome, lambda: link.is_displayed() or more.is_displayed())
    if not link.is_displayed():
        more.send_keys(Keys.ENTER)
    link.send_keys(Keys.ENTER)


def pixels(chrome: Chrome) -> list[int]:
    found: list[int] = chrome.execute_script(_PIXELS)
    return found


def picture_width(chrome: Chrome) -> int:
    return int(chrome.execute_script("return document.getElementById('picture').naturalWidth"))


def open_page(chrome: Chrome, server: WebServer) -> None:
    chrome.get(server.url)
    wait(chrome, lambda: picture_width(chrome) > 100 and text(chrome, "status") == "Live")


def bar(chrome: Chrome, label: str) -> float:
    """How much of a label's bar is filled as drawn now, 0 to 1."""
    inset = chrome.execute_script(
        "const row = [...document.querySelectorAll('#guesses .guess')]"
        ".find((row) => row.querySelector('.name').textContent === arguments[0]);"
        "return getComputedStyle(row.querySelector('.fill')).getPropertyValue('--p')",
        label,
    )
    return float(inset)


def test_the_picture_and_the_bars_are_updated_without_console_errors(
    camera: Camera, server: WebServer, chrome: Chrome
) -> None:
    open_page(chrome, server)
    first = pixels(chrome)
    wait(chrome, lambda: pixels(chrome) != first)
    wait(chrome, lambda: abs(bar(chrome, "cup") - 0.9) < 0.01)
    camera.p = 0.35
    wait(chrome, lambda: abs(bar(chrome, "cup") - 0.35) < 0.01)
    camera.label, camera.p = "<b>teapot</b>", 0.9
    wait(chrome, lambda: "<b>teapot</b>" in text(chrome, "label"))

    assert text(chrome, "source") == "test"
    assert text(chrome, "model-name") == "toy"
    assert console_errors(chrome) == []


def test_the_controls_change_the_overlay_and_are_remembered(server: WebServer, chrome: Chrome) -> None:
    open_page(chrome, server)
    chrome.find_element(By.CSS_SELECTOR, "input[value=heat]").click()
    Select(chrome.find_element(By.ID, "head")).select_by_visible_text("2")
    source = "return document.getElementById('picture').src"
    wait(chrome, lambda: "overlay=heat&head=1" in str(chrome.execute_script(source)))
    chrome.refresh()
    wait(chrome, lambda: "overlay=heat&head=1" in str(chrome.execute_script(source)))
    wait(chrome, lambda: picture_width(chrome) > 100)

    assert console_errors(chrome) == []


def test_a_photo_is_shown_with_its_answer(server: WebServer, chrome: Chrome, tmp_path: Path) -> None:
    photo = tmp_path / "photo.png"
    cv2.imwrite(str(photo), np.full((120, 200, 3), 200, np.uint8))
    open_page(chrome, server)
    chrome.find_element(By.ID, "file").send_keys(str(photo))
    wait(chrome, lambda: "cat" in text(chrome, "photo-label"))
    width, corner, hot = chrome.execute_script(
        "const canvas = document.getElementById('photo-canvas');"
        "const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
        "const at = (x, y) => [...data.slice(4 * (y * canvas.width + x), 4 * (y * canvas.width + x) + 3)];"
        "return [canvas.width, at(2, 2), at(150, 110)]"
    )

    assert width == 200
    assert corner == [200, 200, 200]  # outside the crop nothing is drawn
    assert hot != [200, 200, 200]
    assert console_errors(chrome) == []


def test_the_page_says_why_there_is_no_picture_and_recovers(camera: Camera, server: WebServer, chrome: Chrome) -> None:
    open_page(chrome, server)
    camera.lose_signal("the cable is loose")
    wait(chrome, lambda: text(chrome, "status") == "No picture")
    reason = text(chrome, "reason")
    camera.find_signal()
    wait(chrome, lambda: text(chrome, "status") == "Live")

    assert reason.lower() == "the cable is loose"
    assert text(chrome, "reason") == ""


def test_the_page_reconnects_by_itself_after_a_restart(camera: Camera, server: WebServer, chrome: Chrome) -> None:
    open_page(chrome, server)
    port = int(server.url.rsplit(":", 1)[1])
    server.stop(2)
    wait(chrome, lambda: text(chrome, "status") == "Reconnecting")
    again = WebServer(camera.parts(), Binding(port=port))
    again.start()
    wait(chrome, lambda: text(chrome, "status") == "Live")
    camera.label = "kettle"
    wait(chrome, lambda: "kettle" in text(chrome, "label"))
    wait(chrome, lambda: picture_width(chrome) > 100)
    first = pixels(chrome)
    wait(chrome, lambda: pixels(chrome) != first)
    status = text(chrome, "status")
    again.stop(2)

    assert status == "Live"


def test_the_page_offers_what_another_model_can_do_after_a_restart(
    camera: Camera, server: WebServer, chrome: Chrome
) -> None:
    open_page(chrome, server)
    port = int(server.url.rsplit(":", 1)[1])
    before = chrome.find_elements(By.CSS_SELECTOR, "input[value=rollout]")
    server.stop(2)
    wait(chrome, lambda: text(chrome, "status") == "Reconnecting")
    other = replace(MODEL, card=replace(MODEL.card, name="other"), gives=frozenset({"rollout"}))
    again = WebServer(camera.parts(other), Binding(port=port))
    again.start()
    wait(chrome, lambda: chrome.find_elements(By.CSS_SELECTOR, "input[value=rollout]"))
    wait(chrome, lambda: text(chrome, "status") == "Live")
    name = text(chrome, "model-name")
    again.stop(2)

    assert before == []
    assert name == "other"


def test_the_default_replaces_a_saved_overlay_that_the_model_lacks(server: WebServer, chrome: Chrome) -> None:
    open_page(chrome, server)
    chrome.execute_script("localStorage.setItem('vitcam', JSON.stringify({look: 'expert', overlay: 'rollout'}))")
    chrome.refresh()
    wait(chrome, lambda: picture_width(chrome) > 100)
    chosen = chrome.find_element(By.CSS_SELECTOR, "#overlays input:checked").get_attribute("value")

    assert chosen == "attention"
    assert console_errors(chrome) == []


@pytest.mark.parametrize("turned", [False, True])
def test_the_picture_fits_its_card_in_landscape_and_portrait(
    camera: Camera, server: WebServer, chrome: Chrome, turned: bool
) -> None:
    camera.turned = turned
    open_page(chrome, server)
    upright = "return parseFloat(document.querySelector('.frame').style.getPropertyValue('--ratio')) < 1"
    wait(chrome, lambda: chrome.execute_script(upright) == turned)
    frame, stage, fit, ratio = chrome.execute_script(
        "const size = (name) => document.querySelector(name).getBoundingClientRect();"
        "return [size('.frame').width, document.querySelector('.stage').clientWidth,"
        " size('.fit').width / size('.fit').height, size('.frame').height / innerHeight]"
    )

    assert frame == pytest.approx(stage, abs=1)
    assert fit == pytest.approx(720 / 1280 if turned else 1280 / 720, rel=0.01)
    assert ratio < 0.83


def test_a_hidden_tab_has_no_stream(camera: Camera, server: WebServer, chrome: Chrome) -> None:
    open_page(chrome, server)
    page = chrome.current_window_handle
    chrome.switch_to.new_window("tab")

    def encoded_of(frames: int) -> int:
        before = server.encoder.encoded
        camera.wait_for_frames(frames)
        return server.encoder.encoded - before

    wait(chrome, lambda: not encoded_of(15))
    idle = encoded_of(30)
    before = server.encoder.encoded
    chrome.switch_to.window(page)
    wait(chrome, lambda: server.encoder.encoded > before + 5)

    assert idle == 0


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_page_fits_its_window_without_scrolling_sideways(server: WebServer, chrome: Chrome, width: int) -> None:
    resize(chrome, width, 844)
    open_page(chrome, server)
    content, window = chrome.execute_script("return [document.documentElement.scrollWidth, innerWidth]")

    assert content <= window == width


def test_the_page_shows_the_default_variant_while_all_others_are_watched(camera: Camera, chrome: Chrome) -> None:
    server = WebServer(camera.parts(default=Current(Variant(width=640))), Binding())  # less than the page asks for
    server.start()
    with ExitStack() as stack:
        stack.callback(server.stop, 2)
        for n, quality in enumerate(range(30, 30 + 7 * 5, 5)):
            target, address = f"/stream?width=160&quality={quality}", f"127.0.0.{2 + n // 4}"
            stack.enter_context(Client(server, target, address=address)).read_part()
        open_page(chrome, server)

        assert picture_width(chrome) == 640


_ORDER = """
  const done = arguments[arguments.length - 1];
  import("./page/guesses.js").then(({ Guesses }) => {
    const list = document.body.appendChild(document.createElement("ol"));
    const guesses = new Guesses(list);
    done(arguments[0].map((top, turn) => {
      guesses.show([...top].map((label, place) => ({ label, p: 0.5 / (place + 1) })), 10, arguments[1] * turn);
      return [[...list.querySelectorAll(".name")].map(({ textContent }) => textContent).join(""),
              [...list.children].map(({ style }) => style.getPropertyValue("--place")).join("")];
    }));
  });
"""


def test_guesses_stand_in_the_document_as_on_the_screen_the_best_first(chrome: Chrome, server: WebServer) -> None:
    open_page(chrome, server)
    orders = ["abc", "cab", "bca", "xab", "bax", "y", "yabcd", "dcbay"]

    assert chrome.execute_async_script(_ORDER, orders, 2000) == [[order, "01234"[: len(order)]] for order in orders]


def test_guesses_that_waver_change_places_once_a_second(chrome: Chrome, server: WebServer) -> None:
    open_page(chrome, server)
    found = chrome.execute_async_script(_ORDER, ["abc", "bac", "abc", "acb", "bca"], 300)

    assert [order for order, _ in found] == ["abc", "abc", "abc", "abc", "bca"]


def test_the_buttons_on_the_picture_are_on_the_screen_of_a_phone_held_sideways(
    camera: Camera, chrome: Chrome, server: WebServer
) -> None:
    resize(chrome, 844, 390)
    camera.turned = True  # a tall picture takes all of the height
    camera.of_parts["heat"] = replace(
        camera.of_parts["heat"], advice="The processor is hot. Put a cooler on it, and it classifies faster."
    )
    open_page(chrome, server)
    wait(chrome, lambda: chrome.find_element(By.ID, "advice").is_displayed())
    rect = chrome.execute_script("return document.getElementById('fullscreen').getBoundingClientRect().toJSON()")

    assert rect["bottom"] <= 390
    assert rect["right"] <= 844
    assert chrome.execute_script("return scrollY") == 0
