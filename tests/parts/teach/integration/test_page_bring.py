"""Photos come to the labels on the page: chosen, dropped, from the phone's camera, and in a zip; then another model."""

import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By

from tests.daemon import answer_to, daemon, get_json
from tests.exif import photo, scene
from tests.integration.web.browser import console_errors
from tests.integration.web.page.accessibility import findings_at_every_size
from tests.integration.web.page.test_page import text
from tests.parts.teach.integration.test_page_teach import add, begin, counts, look, part, row, until
from tests.parts.teach.taught import drawn
from vitcam.parts.teach.teach import Task, teach

pytestmark = pytest.mark.slow("vitcam/web", "vitcam/parts/teach")

TAKEN = "2026:01:02 03:04:05"
_DROP = """
const [target, name, data, type] = arguments;
const transfer = new DataTransfer();
transfer.items.add(new File([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], name, {type}));
const veils = [];
for (const kind of ["dragenter", "dragover", "drop"]) {
  target.dispatchEvent(new DragEvent(kind, {dataTransfer: transfer, bubbles: true, cancelable: true}));
  veils.push(document.getElementById("drop").hidden);
}
return veils;
"""

_DROP_FOLDER = """
const [target, tree] = arguments;
const bytes = (data) => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
const entry = (name, inner) => {
  if (typeof inner === "string") {
    return {name, isFile: true, file: (done) => done(new File([bytes(inner)], name, {type: "image/jpeg"}))};
  }
  const some = [Object.entries(inner).map(([each, within]) => entry(each, within)), []];
  return {name, isDirectory: true, createReader: () => ({readEntries: (done) => done(some.shift())})};
};
const event = new DragEvent("drop", {bubbles: true, cancelable: true});
const items = [{webkitGetAsEntry: () => entry("pets", tree)}];
Object.defineProperty(event, "dataTransfer", {value: {types: ["Files"], files: [], items}});
target.dispatchEvent(event);
"""


def encoded(data: bytes) -> str:
    import base64

    return base64.b64encode(data).decode()


def result(chrome: Chrome) -> str:
    return text(chrome, "bring-result") if chrome.find_element(By.ID, "bring-result").is_displayed() else ""


@pytest.mark.parametrize("chrome", [390], indirect=True)
def test_photos_are_chosen_dropped_and_sent_in_a_zip_and_each_left_out_says_why(tmp_path: Path, chrome: Chrome) -> None:
    files = [tmp_path / f"photo{number}.jpg" for number in range(4)]
    for number, file in enumerate(files):
        file.write_bytes(photo(scene(number), taken=TAKEN))
    (tmp_path / "notes.txt").write_text("these are cups")
    with zipfile.ZipFile(tmp_path / "things.zip", "w") as made:
        for number in range(10, 14):
            made.writestr(f"things/{'mug' if number % 2 else 'plate'}/{number}.jpg", photo(scene(number)))
        made.writestr("things/again.jpg", photo(scene(0), taken=TAKEN))
        made.writestr("alone.jpg", photo(scene(20)))
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path / "state")) as running:
        running.wait_for("ok")
        begin(chrome, running.url)
        add(chrome, "my cup")
        chooser = row(chrome, "my cup").find_element(By.CLASS_NAME, "bring-file")
        chooser.send_keys("\n".join(map(str, [*files[:3], tmp_path / "notes.txt"])))
        until(chrome, lambda: "3 photos were added." in result(chrome))
        chosen, first = result(chrome), counts(running)
        camera = row(chrome, "my cup").find_element(By.CLASS_NAME, "bring-camera")
        facing, accepted = camera.get_attribute("capture"), camera.get_attribute("accept")
        camera.send_keys(str(files[3]))
        until(chrome, lambda: "1 photo was added." in result(chrome))
        veils = chrome.execute_script(_DROP, row(chrome, "my cup"), "d.jpg", encoded(photo(scene(5))), "image/jpeg")
        until(chrome, lambda: counts(running).get("my cup") == 5)
        until(chrome, lambda: "1 photo was added." in result(chrome))
        chrome.execute_script(_DROP, part(chrome, "room"), "d.jpg", encoded(photo(scene(6))), "image/jpeg")
        until(chrome, lambda: "no label" in result(chrome))
        chrome.find_element(By.ID, "bring-zip").send_keys(str(tmp_path / "things.zip"))
        until(chrome, lambda: "4 photos were added." in result(chrome))
        zipped, every = result(chrome), counts(running)
        names = get_json(f"{running.url}/api/datasets/mine/my%20cup")["pictures"]
        until(chrome, lambda: len(row(chrome, "mug").find_elements(By.CLASS_NAME, "teach-picture")) == 2)
        chrome.execute_script("document.getElementById('bring-result').scrollIntoView({block: 'center'})")
        look(chrome, tmp_path, "brought")
        wide, objections = (
            chrome.execute_script("return document.documentElement.scrollWidth - innerWidth"),
            findings_at_every_size(chrome),
        )
        chrome.find_element(By.CSS_SELECTOR, ".teach-more-ways summary").send_keys(Keys.ENTER)
        part(chrome, "yes").send_keys("gate open")
        part(chrome, "no").send_keys("gate shut", Keys.ENTER)
        until(
            chrome, lambda: chrome.switch_to.active_element.get_attribute("aria-label") == "Hold to collect: gate open"
        )
        both = [row(chrome, label).is_displayed() for label in ("gate open", "gate shut")]
        errors = [error for error in console_errors(chrome) if "notes.txt" not in error]

    assert "notes.txt: not an image" in chosen
    assert first == {"my cup": 3}
    assert (facing, accepted) == ("environment", "image/*")
    assert veils == [True] * 3, "the page does not offer to classify what is dropped here"
    assert every == {"my cup": 5, "mug": 2, "plate": 2}
    assert {line.partition(":")[0] for line in zipped.split("\n")[1:]} == {"alone.jpg", "things/again.jpg"}
    assert len([name for name in names if "s20260102T030405" in name]) == 4, "one recording"
    assert both == [True, True]
    assert wide <= 0
    assert objections == []
    assert errors == []


def test_models_are_listed_used_taken_back_and_deleted_with_the_keyboard_alone(
    tmp_path: Path, chrome: Chrome, monkeypatch: pytest.MonkeyPatch
) -> None:
    state: dict[str, Any] = {"STATE_DIRECTORY": str(tmp_path)}
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    teach(Task(drawn(tmp_path / "shapes"), "shapes"))

    def press(element_id: str) -> None:
        chrome.execute_script("document.getElementById(arguments[0]).focus()", element_id)
        chrome.switch_to.active_element.send_keys(Keys.ENTER)

    def press_in(model: str, name: str) -> None:
        button = chrome.find_element(By.CSS_SELECTOR, f'[data-model="{model}"] .models-{name}')
        chrome.execute_script("arguments[0].focus()", button)
        button.send_keys(Keys.ENTER)

    with daemon("--source", "demo", "--loop", **state) as running:
        running.wait_for("ok")
        zone = {"rect": [0, 0, 0.5, 1], "labels": ["tabby cat"]}
        answer_to(f"{running.url}/api/zones", {"zones": {"door": zone}, "masks": []}, "PUT")
        chrome.get(running.url)
        until(chrome, lambda: chrome.find_element(By.ID, "models").is_displayed())
        press("models")
        until(chrome, lambda: "everyday" in text(chrome, "models-list"))
        listed = text(chrome, "models-list")
        press_in("shapes", "use")
        until(chrome, lambda: chrome.switch_to.active_element.get_attribute("id") == "models-yes")
        asked, unchanged = text(chrome, "models-sure"), running.state()["model"]
        look(chrome, tmp_path, "asked")
        objections = findings_at_every_size(chrome)
        chrome.switch_to.active_element.send_keys(Keys.ENTER)
        until(chrome, lambda: text(chrome, "models-message") == "shapes is in use now.")
        until(chrome, lambda: chrome.switch_to.active_element.get_attribute("id") == "models-back")
        used = running.state()["model"], text(chrome, "model-name")
        hidden = chrome.find_element(By.CSS_SELECTOR, '[data-model="shapes"] .models-delete').is_displayed()
        chrome.switch_to.active_element.send_keys(Keys.ENTER)
        until(chrome, lambda: text(chrome, "models-message") == "everyday is in use now.")
        until(
            chrome, lambda: chrome.find_element(By.CSS_SELECTOR, '[data-model="everyday"] .models-used').is_displayed()
        )
        until(chrome, lambda: chrome.switch_to.active_element.get_attribute("id") == "models-back")
        press_in("shapes", "delete")
        sure = chrome.switch_to.active_element.text
        chrome.switch_to.active_element.send_keys(Keys.ENTER)
        until(chrome, lambda: text(chrome, "models-message") == "shapes is deleted.")
        left = get_json(f"{running.url}/api/models")["models"]
        chrome.switch_to.active_element.send_keys(Keys.ESCAPE)
        errors = console_errors(chrome)
        closed = not chrome.find_element(By.ID, "models-panel").is_displayed()

    assert "taught here, from everyday" in listed
    assert "3 labels · right: " in listed
    assert re.search(r"1,048 labels · right: \d\d\.\d % of \d+ photos · came with vitcam", listed)
    assert ("tabby cat" in asked, unchanged) == (True, "everyday")
    assert used == ("shapes", "shapes")
    assert not hidden, "one in use cannot be deleted"
    assert sure == "Delete for good?"
    assert "shapes" not in left
    assert closed
    assert objections == []
    assert errors == []


def test_where_a_file_names_the_model_the_list_says_so_and_offers_no_other(tmp_path: Path, chrome: Chrome) -> None:
    with daemon("--source", "demo", "--loop", "--model", "everyday", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        chrome.get(running.url)
        until(chrome, lambda: chrome.find_element(By.ID, "models").is_displayed())
        chrome.execute_script("document.getElementById('models').click()")
        until(chrome, lambda: "everyday" in text(chrome, "models-list"))
        said = text(chrome, "models-fixed")
        offered = [each.is_displayed() for each in chrome.find_elements(By.CLASS_NAME, "models-use")]

    assert "command line" in said
    assert not any(offered)


@pytest.mark.parametrize("chrome", [1200], indirect=True)
def test_a_folder_with_dates_is_dropped_and_gives_the_labels_of_a_zip_of_it(tmp_path: Path, chrome: Chrome) -> None:
    shots = [encoded(photo(scene(number))) for number in range(5)]
    tree = {
        "cat": {"2024-05": {"1.jpg": shots[0]}, "2024-06": {"2.jpg": shots[1]}, "kitchen": {"3.jpg": shots[2]}},
        "dog": {"2024-05": {"4.jpg": shots[3]}, ".hidden": {"5.jpg": shots[4]}},
    }
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path / "state")) as running:
        running.wait_for("ok")
        begin(chrome, running.url)
        chrome.execute_script(_DROP_FOLDER, part(chrome, "room"), tree)
        until(chrome, lambda: "3 photos were added." in result(chrome))
        said, every = result(chrome), counts(running)

    assert every == {"cat": 2, "dog": 1}
    assert "pets/cat/kitchen/3.jpg: it lies in the folder 'kitchen' within 'cat'" in said
