"""Every state of the page: what it says, what a person can do there, and that axe-core finds nothing in it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.integration.web.browser import console_errors, resize
from tests.integration.web.camera import MODEL, Camera, Photos
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.test_page import open_page, text, wait
from vitcam.frames import Image, Shown
from vitcam.parts.heat.state import Heat
from vitcam.pictures.decode import Decoded
from vitcam.pictures.view import Region
from vitcam.sources.active_crop import ActiveCrop
from vitcam.sources.playback import Playback
from vitcam.state import History
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

_DRAG = """
  const drag = (kind) => document.getElementById(arguments[0]).dispatchEvent(
    new DragEvent(kind, {bubbles: true, cancelable: true}));
  return drag(arguments[1]);
"""
_DROP = """
  const dropped = new DataTransfer();
  for (const name of arguments[1].split(" ")) dropped.items.add(new File([arguments[0]], name, {type: arguments[2]}));
  document.body.dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: dropped}));
"""


def figure(_: Decoded, scheme: str = "") -> Image:
    return np.full((900, 700, 3), 255, np.uint8)


@pytest.fixture(scope="module")
def playback() -> Playback:
    return Playback()


@pytest.fixture(scope="module")
def site(playback: Playback) -> Iterator[tuple[Camera, WebServer]]:
    model = replace(MODEL, gives=frozenset({"rollout"}), groups={"pet": (1,)})
    with Camera(fps=10) as camera:
        parts = camera.parts(model, Photos(explain=figure), crop=camera.active_crop, playback=playback)
        server = WebServer(parts, Binding())
        server.start()
        yield camera, server
        server.stop(2)


@pytest.fixture
def page(site: tuple[Camera, WebServer], chrome: Chrome, playback: Playback) -> Iterator[Chrome]:
    camera, server = site
    open_page(chrome, server)
    yield chrome
    camera.known, camera.blank = True, False
    camera.p, camera.others = 0.9, {"cat": 0.05}
    camera.find_signal()
    playback.withdraw()


def hidden(chrome: Chrome, element: str) -> bool:
    return not chrome.find_element(By.ID, element).is_displayed()


def guessed(chrome: Chrome) -> list[str]:
    """The labels of the bars, the best first."""
    names: list[str] = chrome.execute_script(
        "return [...document.querySelectorAll('#guesses .name')].map((name) => name.textContent)"
    )
    return names


def photo(folder: Path, name: str = "photo.png") -> str:
    path = folder / name
    assert cv2.imwrite(str(path), np.full((120, 200, 3), 200, np.uint8))
    return str(path)


def test_a_drag_that_began_on_the_page_is_not_an_upload(page: Chrome) -> None:
    page.execute_script(_DRAG, "snapshot", "dragstart")
    page.execute_script(_DROP, "a frame", "frame.jpg", "image/jpeg")

    assert hidden(page, "photo-message")
    page.execute_script(_DRAG, "snapshot", "dragend")
    page.execute_script(_DROP, "these are notes", "photo.jpg", "image/jpeg")
    wait(page, lambda: "not an image" in text(page, "photo-message").lower())


def test_the_live_picture_cannot_be_dragged_and_photos_can_be_dropped_afterwards(page: Chrome) -> None:
    allowed = page.execute_script(_DRAG, "picture", "dragstart")
    page.execute_script(_DROP, "these are notes", "photo.jpg", "image/jpeg")

    assert not allowed, "the browser would drag the frame off as a file"
    wait(page, lambda: "not an image" in text(page, "photo-message").lower())


def test_several_files_at_once_get_a_sentence(page: Chrome) -> None:
    page.execute_script(_DROP, "x", "one.jpg two.jpg three.jpg", "image/jpeg")

    wait(page, lambda: "These are 3 files" in text(page, "photo-message"))

    assert hidden(page, "photo-result")


def test_a_link_from_another_page_gets_a_sentence(page: Chrome) -> None:
    page.execute_script(
        "const link = new DataTransfer(); link.setData('text/uri-list', 'http://example.org/cat.jpg');"
        "document.body.dispatchEvent(new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: link}));"
    )

    wait(page, lambda: "only a link" in text(page, "photo-message"))

    assert hidden(page, "photo-result")


def test_an_unfamiliar_picture_has_no_name_and_says_why(
    site: tuple[Camera, WebServer], page: Chrome, findings: Findings
) -> None:
    site[0].known = False
    wait(page, lambda: text(page, "label").strip() == "Not sure")
    card = page.find_element(By.ID, "answer")

    assert "none of the 2 things that the model knows" in card.find_element(By.CSS_SELECTOR, ".note").text
    wait(page, lambda: card.find_element(By.CSS_SELECTOR, ".familiarity .word").text == "too low")
    assert findings(page) == []


def test_a_picture_whose_best_guess_is_unlikely_is_not_sure_and_shows_the_three_best(
    site: tuple[Camera, WebServer], page: Chrome, findings: Findings
) -> None:
    site[0].p, site[0].others = 0.4, {"cat": 0.2, "dog": 0.1, "fox": 0.09, "ant": 0.01}
    wait(page, lambda: text(page, "label").strip() == "Not sure")
    wait(page, lambda: guessed(page) == ["cup", "cat", "dog"])
    note = page.find_element(By.ID, "answer").find_element(By.CSS_SELECTOR, ".note").text

    assert note == "No name is likely enough. Most probable:"
    caption = page.find_element(By.ID, "caption")
    wait(page, lambda: caption.get_attribute("textContent") == "Not sure")
    assert page.find_element(By.ID, "caption-more").get_attribute("textContent") == "cup or cat?"
    assert findings(page) == []


def test_what_stands_over_the_picture_is_the_newest_looks_own_answer_whatever_the_headline_says(
    site: tuple[Camera, WebServer], page: Chrome
) -> None:
    site[0].headline, site[0].label = Shown("pet", 0.93, "group"), "cat"
    try:
        wait(page, lambda: text(page, "label").split() == ["cat", "90", "%"])
        wait(page, lambda: page.execute_script(_CAPTION) == ["cat", "90 %", "cat", ""])
        first = page.execute_script(_SEQ)
        wait(page, lambda: page.execute_script(_SEQ) > first)
        site[0].known = False
        wait(page, lambda: page.execute_script(_CAPTION)[::2] == ["Not sure", ""])
    finally:
        site[0].label, site[0].headline, site[0].known = "cup", None, True


_CAPTION = """
  const [caption, more] = ["caption", "caption-more"].map((id) => document.getElementById(id));
  return [caption.textContent, more.textContent, caption.dataset.label, caption.className];
"""
_SEQ = "return Number(document.getElementById('caption').dataset.seq)"


def test_while_nothing_moves_the_caption_says_so(site: tuple[Camera, WebServer], page: Chrome) -> None:
    site[0].resting_since = "2026-01-02T03:04:05.678Z"
    try:
        wait(page, lambda: page.execute_script(_CAPTION)[:2] == ["cup", "90 % · nothing moves"])
    finally:
        site[0].resting_since = None


_STANDING = """
  const done = arguments[arguments.length - 1];
  import("./page/standing.js").then(({ Standing }) => {
    const standing = new Standing();
    done(arguments[0].map(([now, kind, path = null]) => {
      const shown = { label: kind, kind, level: kind ? "label" : "none", p: 0.9 };
      if (kind !== null) standing.add({ shown, path, blank: false }, now);
      standing.settle(now);
      return `${standing.look.shown.kind || "-"}${standing.isDimmed ? "?" : ""}`;
    }));
  });
"""


@pytest.mark.parametrize(
    ("looks", "stood"),
    [
        pytest.param([(0, "cat"), (100, "dog"), (200, "cat"), (300, "cat")], "cat cat? cat cat", id="agrees again"),
        pytest.param([(0, "cat"), (100, "dog"), (200, "dog"), (350, "dog")], "cat cat? cat? dog", id="agree"),
        pytest.param([(0, "cat"), (100, "dog"), (350, None)], "cat cat? dog", id="one look, and no other for a while"),
        pytest.param([(0, "cat"), (100, ""), (400, None), (500, None)], "cat cat? cat? -", id="no name"),
        pytest.param(
            [(0, "cat"), (100, "dog"), (300, "fox"), (400, "dog"), (500, "fox"), (600, "dog"), (700, "cat")],
            "cat cat? cat? cat? - - cat",
            id="they disagree with each other, then one agrees",
        ),
        pytest.param([(0, "cat", "a.jpg"), (10, "dog", "b.jpg")], "cat dog", id="another photo"),
    ],
)
def test_a_look_that_disagrees_dims_what_stands_there_and_something_else_takes_its_place_in_half_a_second(
    page: Chrome, looks: list[tuple[object, ...]], stood: str
) -> None:
    assert page.execute_async_script(_STANDING, looks) == stood.split()


def test_guesses_below_five_per_cent_are_not_shown(site: tuple[Camera, WebServer], page: Chrome) -> None:
    site[0].p, site[0].others = 0.8, {"cat": 0.06, "dog": 0.04}
    wait(page, lambda: guessed(page) == ["cup", "cat"])
    room = page.find_element(By.ID, "guesses").size["height"]
    site[0].others = {"dog": 0.04}
    wait(page, lambda: guessed(page) == ["cup"])

    assert page.find_element(By.ID, "guesses").size["height"] == room, "what is below does not move"


def test_a_blank_picture_has_no_name_and_the_page_says_that_there_is_nothing_to_see(
    site: tuple[Camera, WebServer], page: Chrome, findings: Findings
) -> None:
    site[0].known, site[0].blank = False, True
    wait(page, lambda: text(page, "label").strip() == "Nothing to see")
    note = page.find_element(By.ID, "answer").find_element(By.CSS_SELECTOR, ".note").text

    assert note == "The picture is too dark, too bright or too plain."
    assert guessed(page) == []
    caption = page.find_element(By.ID, "caption").get_attribute("textContent")
    assert caption == "Nothing to see"
    assert findings(page) == []


def test_each_overlay_is_explained_in_a_sentence(page: Chrome, findings: Findings) -> None:
    sentences = set()
    for choice in page.find_elements(By.CSS_SELECTOR, "#overlays label"):
        choice.click()
        sentences.add(text(page, "overlay-sentence"))

    assert len(sentences) == len(page.find_elements(By.CSS_SELECTOR, "#overlays label"))
    assert any("stores things" in sentence for sentence in sentences), "what attention shows besides"
    assert findings(page) == []


def test_a_photo_is_shown_next_to_the_models_input_and_can_be_explained(
    page: Chrome, tmp_path: Path, findings: Findings
) -> None:
    page.find_element(By.ID, "file").send_keys(photo(tmp_path))
    wait(page, lambda: "cat" in text(page, "photo-label"))
    given = "return document.querySelector('#photo-given img').naturalWidth"
    wait(page, lambda: page.execute_script(given) == 64)
    seen = page.find_element(By.ID, "photo-seen").size
    shown = page.find_element(By.ID, "photo-canvas").size
    answered = findings(page)
    resize(page, 1280, 800, "light")
    page.find_element(By.ID, "explain").click()
    wait(page, lambda: page.execute_script("return document.getElementById('explanation-image').naturalWidth") == 700)
    explained = findings(page)
    page.find_element(By.ID, "explanation-close").click()

    assert seen["width"] / shown["width"] == pytest.approx(120 / 200, abs=0.02), "the square in the middle"
    assert answered == []
    assert explained == []
    assert console_errors(page) == []


@pytest.mark.parametrize(
    ("name", "kind", "sentence"),
    [
        ("notes.txt", "text/plain", "not a picture"),
        ("photo.jpg", "image/jpeg", "not an image"),
        ("no.png", "", "empty"),
    ],
)
def test_a_file_that_is_not_a_photo_gets_a_sentence_and_clears_the_old_answer(
    page: Chrome, tmp_path: Path, name: str, kind: str, sentence: str, findings: Findings
) -> None:
    page.find_element(By.ID, "file").send_keys(photo(tmp_path))
    wait(page, lambda: "cat" in text(page, "photo-label"))
    page.execute_script(_DROP, "" if sentence == "empty" else "these are notes", name, kind)
    wait(page, lambda: sentence in text(page, "photo-message").lower())

    assert hidden(page, "photo-result")
    assert findings(page) == []


def test_a_slideshow_can_be_paused_and_stepped_through(page: Chrome, playback: Playback, findings: Findings) -> None:
    playback.offer(60, can_step_back=True)
    playback.arrive(2, "test/cup/coffee.jpg")  # `test` is the source: what is the same for all photos says nothing
    wait(page, lambda: text(page, "position") == "3 of 60 · cup/coffee.jpg")
    page.find_element(By.TAG_NAME, "body").send_keys(Keys.SPACE)
    wait(page, lambda: playback.paused)
    wait(page, lambda: text(page, "status") == "Paused")
    page.find_element(By.ID, "step-back").click()

    wait(page, lambda: playback.wait(0.5) == -1)
    assert findings(page) == []


def test_there_is_no_pause_button_for_a_camera(page: Chrome) -> None:
    assert hidden(page, "playback")


def test_a_camera_that_somebody_has_paused_says_so_and_goes_on_by_a_press(chrome: Chrome, findings: Findings) -> None:
    with Camera(fps=10) as camera:
        camera.pause(True)
        server = WebServer(camera.parts(pause=camera.pause), Binding())
        server.start()
        chrome.get(server.url)
        wait(chrome, lambda: not hidden(chrome, "held"))
        said, found = text(chrome, "status"), findings(chrome)
        main = chrome.find_element(By.TAG_NAME, "main")
        old = main.get_attribute("class")
        chrome.find_element(By.ID, "held-end").click()
        wait(chrome, lambda: hidden(chrome, "held"))
        wait(chrome, lambda: text(chrome, "status") != "Paused")
        server.stop(2)

    assert said == "Paused"
    assert "stale" in str(old), "the answer is of an older picture"
    assert found == []
    assert not camera.paused


def test_the_page_shows_a_crop_from_an_earlier_run_and_can_remove_it(page: Chrome, findings: Findings) -> None:
    camera = Camera(fps=10)
    camera.active_crop = ActiveCrop(Region(0.2, 0.2, 0.5, 0.5), from_earlier_run=True)
    with camera:
        server = WebServer(camera.parts(crop=camera.active_crop), Binding())
        server.start()
        open_page(page, server)
        wait(page, lambda: not hidden(page, "crop-kept"))
        found = findings(page)
        resize(page, 1280, 800, "light")
        page.find_element(By.ID, "crop-kept-whole").click()
        wait(page, lambda: hidden(page, "crop-kept"))
        region = camera.active_crop.region
        server.stop(2)

    assert found == []
    assert region is None


def test_without_a_picture_the_reason_is_visible_once(
    site: tuple[Camera, WebServer], page: Chrome, findings: Findings
) -> None:
    site[0].lose_signal("the cable is loose")
    wait(page, lambda: text(page, "status") == "No picture")
    line = page.find_element(By.ID, "reason")

    assert line.get_attribute("textContent") == "the cable is loose", "for those who listen"
    assert line.size["height"] <= 1, "the card in the picture says it to those who look"
    assert findings(page) == []


def test_several_reasons_are_all_said_also_beside_the_card_without_a_picture(
    site: tuple[Camera, WebServer], page: Chrome, findings: Findings
) -> None:
    site[0].troubles = ("the disk is full", "x.tflite cannot be read")
    site[0].notices = ("outbox.db was set aside",)
    wait(page, lambda: text(page, "status") == "Degraded")
    live, found = text(page, "reason").splitlines(), findings(page)
    site[0].lose_signal("the cable is loose")
    wait(page, lambda: text(page, "status") == "No picture")
    lost = text(page, "reason").splitlines()

    assert live == ["the disk is full", "x.tflite cannot be read", "outbox.db was set aside"]
    assert lost == ["the cable is loose", *live[:2], "outbox.db was set aside"]
    assert found == []


def test_a_problem_of_the_camera_is_said_while_its_picture_is_shown(
    site: tuple[Camera, WebServer], page: Chrome, findings: Findings
) -> None:
    site[0].problem = "the camera is frozen"
    wait(page, lambda: text(page, "reason") == "the camera is frozen")
    status, found = text(page, "status"), findings(page)
    site[0].problem = None
    wait(page, lambda: hidden(page, "reason"))

    assert status == "Live"
    assert found == []


def test_choosing_a_crop_is_accessible(page: Chrome, findings: Findings) -> None:
    page.find_element(By.ID, "crop").click()
    wait(page, lambda: not hidden(page, "crop-panel"))

    assert findings(page) == []


def test_zoom_shows_only_what_the_model_sees(page: Chrome, findings: Findings) -> None:
    shape = "const {width, height} = document.querySelector('.frame').getBoundingClientRect(); return width / height"
    before = page.execute_script(shape)
    page.find_element(By.ID, "zoom").click()
    wait(page, lambda: page.execute_script(shape) != before)

    assert page.find_element(By.ID, "zoom").get_attribute("aria-pressed") == "true"
    assert findings(page) == []
    page.find_element(By.ID, "zoom").click()


def test_the_picture_is_large_on_a_wide_screen_and_a_phone_in_landscape_shows_the_answer(page: Chrome) -> None:
    resize(page, 2560, 1440, "light")
    wide = page.find_element(By.ID, "fit").size["width"]
    resize(page, 844, 390, "light")
    box = page.find_element(By.ID, "label").rect
    picture = page.find_element(By.ID, "fit").rect

    assert wide > 1800
    assert box["y"] + box["height"] < 390
    assert box["x"] >= picture["x"] + picture["width"], "beside the picture"


def test_a_phone_in_landscape_shows_the_pause_button_without_scrolling(page: Chrome, playback: Playback) -> None:
    playback.offer(60, can_step_back=True)
    playback.arrive(2, "test/cup/coffee.jpg")
    resize(page, 844, 390, "light")
    wait(page, lambda: not hidden(page, "playback"))
    bar = page.find_element(By.ID, "playback").rect

    assert bar["y"] + bar["height"] <= 390


def test_a_clock_that_is_not_believed_is_shown_until_it_is(
    page: Chrome, site: tuple[Camera, WebServer], findings: Findings
) -> None:
    camera, _ = site
    camera.history = History(True, clock="The clock of this machine says 2018-01-01.")
    wait(page, lambda: text(page, "clock") == "The clock of this machine says 2018-01-01.")
    objections = findings(page)
    camera.history = History()
    wait(page, lambda: hidden(page, "clock"))

    assert objections == []


def test_a_hot_processor_and_a_weak_supply_are_shown_with_what_to_do(
    page: Chrome, site: tuple[Camera, WebServer], findings: Findings
) -> None:
    camera, _ = site
    camera.of_parts["heat"] = Heat(
        celsius=79.4, limit_celsius=80.0, max_fps=12.5, advice="The processor is hot. Add a fan."
    )
    wait(page, lambda: text(page, "advice") == "The processor is hot. Add a fan.")
    hot = text(page, "celsius")
    objections = findings(page)
    camera.of_parts["heat"] = Heat()
    wait(page, lambda: hidden(page, "advice"))

    assert hot == "Processor 79 °C, limit 80 °C"
    assert objections == []
    assert hidden(page, "celsius")
