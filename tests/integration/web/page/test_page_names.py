"""Names of one's own on the page: labels are searched for, renamed, merged, hidden, and called in another language."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select

from tests.daemon import daemon
from tests.grouped import grouped_model, unsure_photo
from tests.integration.web.browser import console_errors
from tests.integration.web.camera import MODEL, Camera
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.test_page import open_page, picture_width, text, wait
from vitcam.names.active import ActiveNames
from vitcam.names.wanted import OwnName, WantedNames, names_in
from vitcam.web.given import Binding
from vitcam.web.server import WebServer

OWN = ("catamaran", "cup", "cat", "tabby cat", "tiger cat", "consommé")
WIDE = replace(MODEL, labels=(*OWN, *(f"thing {number}" for number in range(1000))), groups={"feline": (2, 3, 4)})
_OVERFLOW = "return document.documentElement.scrollWidth - innerWidth"


class Keeper:
    """Keeps what is set on the page, or says why not."""

    def __init__(self) -> None:
        self.kept: list[WantedNames] = []
        self.reason = ""

    def __call__(self, names: WantedNames) -> str:
        self.kept.append(names)
        return self.reason


@pytest.fixture
def keeper() -> Keeper:
    return Keeper()


@pytest.fixture
def names(keeper: Keeper) -> ActiveNames:
    return ActiveNames(save=keeper)


@pytest.fixture
def named(camera: Camera, names: ActiveNames) -> Iterator[WebServer]:
    running = WebServer(camera.parts(WIDE, names=names), Binding())
    running.start()
    yield running
    running.stop(2)


def begin(chrome: Chrome, server: WebServer) -> None:
    """Open the list of names."""
    open_page(chrome, server)
    wait(chrome, lambda: "cup" in text(chrome, "guesses"))
    button = chrome.find_element(By.ID, "names")
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", button)
    button.click()
    wait(chrome, lambda: chrome.find_element(By.ID, "names-panel").is_displayed())


def part(chrome: Chrome, name: str) -> WebElement:
    return chrome.find_element(By.ID, f"names-{name}")


def rows(chrome: Chrome) -> list[str]:
    """What stands in each row, at one moment."""
    found: list[str] = chrome.execute_script(
        "return [...document.querySelectorAll('#names-list li')]"
        ".map((row) => [...row.querySelectorAll('span')].map((part) => part.textContent).join(' '))"
    )
    return found


def search(chrome: Chrome, words: str) -> None:
    part(chrome, "search").clear()
    part(chrome, "search").send_keys(words)


def choose(chrome: Chrome, *labels: str) -> None:
    for label in labels:
        box = part(chrome, "list").find_element(By.CSS_SELECTOR, f"input[value='{label}']")
        chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", box)
        box.click()


def press(chrome: Chrome, name: str) -> None:
    chrome.execute_script("arguments[0].scrollIntoView({block: 'center'})", part(chrome, name))
    part(chrome, name).click()


def own(names: ActiveNames) -> dict[str, str]:
    return names_in(names.in_force.page.own)


def test_a_label_is_found_among_a_thousand_and_only_what_matches_exists(named: WebServer, chrome: Chrome) -> None:
    begin(chrome, named)
    first, said = rows(chrome), text(chrome, "names-count")
    search(chrome, "thing")
    many, more = rows(chrome), text(chrome, "names-count")
    search(chrome, "thing 77")
    some, counted = rows(chrome), text(chrome, "names-count")
    search(chrome, "cat")
    ordered = rows(chrome)
    search(chrome, "CONSOMME")

    assert first == ["cup", "cat"], "what is seen now"
    assert said.endswith("one of 1,007 labels and groups.")
    assert len(many) == 50
    assert more == "The first 50 of 1,000 that match. Type more letters."
    assert some == ["thing 77", *(f"thing 77{digit}" for digit in range(10))]
    assert counted == "11 of 1,007 match."
    assert ordered == ["cat", "tabby cat", "tiger cat", "catamaran"]
    assert rows(chrome) == ["consommé"]
    assert console_errors(chrome) == []


@pytest.mark.parametrize("chrome", [1280, 390], indirect=True)
def test_a_label_is_renamed_with_the_keyboard_alone(named: WebServer, names: ActiveNames, chrome: Chrome) -> None:
    open_page(chrome, named)
    wait(chrome, lambda: "cup" in text(chrome, "guesses"))
    chrome.execute_script("document.getElementById('names').focus()")
    chrome.switch_to.active_element.send_keys(Keys.ENTER)
    wait(chrome, lambda: part(chrome, "panel").is_displayed())
    chrome.switch_to.active_element.send_keys("tabby", Keys.ENTER)
    chrome.switch_to.active_element.send_keys(Keys.SPACE)
    target = text(chrome, "names-target")
    chrome.switch_to.active_element.send_keys(Keys.TAB)
    chrome.switch_to.active_element.send_keys("Mia", Keys.ENTER)
    wait(chrome, lambda: text(chrome, "names-message") == "tabby cat is called Mia now.")
    renamed = rows(chrome)
    wait(chrome, lambda: chrome.switch_to.active_element.get_attribute("id") == "names-search")
    chrome.switch_to.active_element.send_keys(Keys.ESCAPE)

    assert target == "Name for tabby cat"
    assert own(names) == {"tabby cat": "Mia"}
    assert "tabby cat → Mia" in renamed
    assert not part(chrome, "panel").is_displayed()
    assert chrome.switch_to.active_element.get_attribute("id") == "names"
    assert console_errors(chrome) == []


def test_several_labels_get_one_name_over_two_searches(named: WebServer, names: ActiveNames, chrome: Chrome) -> None:
    begin(chrome, named)
    search(chrome, "tabby")
    choose(chrome, "tabby cat")
    search(chrome, "tiger")
    pinned = rows(chrome)
    choose(chrome, "tiger cat")
    target, button = text(chrome, "names-target"), text(chrome, "names-give")
    part(chrome, "name").send_keys("Mia")
    press(chrome, "give")
    wait(chrome, lambda: text(chrome, "names-message") == "2 labels and groups are called Mia now.")
    search(chrome, "mia")

    assert pinned == ["tabby cat", "tiger cat"], "what is selected stays"
    assert (target, button) == ("Name for all 2", "Merge")
    assert own(names) == {"tabby cat": "Mia", "tiger cat": "Mia"}
    assert rows(chrome) == ["tabby cat → Mia", "tiger cat → Mia"]
    assert "Mia" in chrome.execute_async_script(
        "fetch('api/model').then((answer) => answer.json()).then(({labels}) => arguments[0](labels))"
    )


def test_a_label_is_hidden_and_called_as_before_again(named: WebServer, names: ActiveNames, chrome: Chrome) -> None:
    begin(chrome, named)
    idle = [part(chrome, name).is_enabled() for name in ("give", "hide", "reset", "name")]
    choose(chrome, "cup")
    press(chrome, "hide")
    wait(chrome, lambda: text(chrome, "names-message") == "cup is hidden.")
    wait(chrome, lambda: "cup hidden" in rows(chrome))
    hidden = own(names)
    choose(chrome, "cup")
    press(chrome, "reset")
    wait(chrome, lambda: text(chrome, "names-message") == "cup is called as before.")

    assert idle == [False] * 4
    assert hidden == {"cup": ""}
    assert own(names) == {}
    assert console_errors(chrome) == []


def test_another_language_is_chosen_and_names_of_ones_own_stay(
    named: WebServer, names: ActiveNames, chrome: Chrome
) -> None:
    names.replace(WantedNames(own=(OwnName("tabby cat", "Mia"), OwnName("no such label", "x"))))
    begin(chrome, named)
    Select(part(chrome, "language")).select_by_visible_text("Deutsch")
    wait(chrome, lambda: names.in_force.wanted.language == "de")
    wait(chrome, lambda: text(chrome, "names-message") == "The language has changed.")
    search(chrome, "katze")

    assert own(names) == {"no such label": "x", "tabby cat": "Mia"}, "one may be that of another model"
    assert any(row.endswith("→ Mia") for row in rows(chrome))
    assert console_errors(chrome) == []


def test_what_a_file_says_cannot_be_changed_and_its_place_is_shown(
    camera: Camera, chrome: Chrome, findings: Findings
) -> None:
    file = "/etc/vitcam/config.toml"
    fixed = WantedNames("de", (OwnName("CUP", "Becher", file),), file)
    server = WebServer(camera.parts(WIDE, names=ActiveNames(fixed)), Binding())
    server.start()
    begin(chrome, server)
    search(chrome, "becher")
    row = rows(chrome)
    enabled = chrome.find_element(By.CSS_SELECTOR, "#names-list input").is_enabled()
    language = part(chrome, "language").is_enabled(), text(chrome, "names-language-fixed")
    objections = findings(chrome)
    server.stop(2)

    assert len(row) == 1
    assert row[0].endswith(f"→ Becher set in {file}")
    assert not enabled
    assert language == (False, f"The language is set in {file}.")
    assert objections == []


def test_names_that_are_not_kept_say_why(named: WebServer, keeper: Keeper, chrome: Chrome, findings: Findings) -> None:
    keeper.reason = "the disk is full"
    begin(chrome, named)
    choose(chrome, "cat")
    part(chrome, "name").send_keys('Mia "the cat"')
    press(chrome, "give")
    wait(chrome, lambda: "the disk is full" in text(chrome, "names-message"))

    assert "called Mia" in text(chrome, "names-message")
    assert findings(chrome) == []


def test_a_refused_name_stays_in_the_field_and_the_reason_is_below_it(
    named: WebServer, names: ActiveNames, chrome: Chrome
) -> None:
    begin(chrome, named)
    choose(chrome, "cat")
    part(chrome, "name").send_keys("unknown", Keys.ENTER)
    wait(chrome, lambda: "cannot be called 'unknown'" in text(chrome, "names-message"))

    assert part(chrome, "name").get_attribute("value") == "unknown"
    assert own(names) == {}


@pytest.mark.parametrize("chrome", [1280, 390], indirect=True)
def test_the_list_fits_its_window_and_is_accessible(
    named: WebServer, names: ActiveNames, chrome: Chrome, findings: Findings
) -> None:
    names.replace(WantedNames("de", (OwnName("thing 7", "x" * 100), OwnName("consommé", ""))))
    begin(chrome, named)
    choose(chrome, "thing 7")

    assert chrome.execute_script(_OVERFLOW) <= 0
    assert findings(chrome) == []


def test_the_headline_has_the_new_name_with_the_next_picture(tmp_path: Path, chrome: Chrome) -> None:
    source = str(unsure_photo(tmp_path))
    model = str(grouped_model(tmp_path))
    with daemon("--source", source, "--model", model, "--loop", XDG_STATE_HOME=str(tmp_path)) as started:
        started.wait_for("ok")
        chrome.get(started.url)
        wait(chrome, lambda: picture_width(chrome) > 100 and text(chrome, "label").startswith("even digit"))
        chrome.find_element(By.ID, "names").click()
        wait(chrome, lambda: "even digit group" in rows(chrome))
        choose(chrome, "even digit")
        part(chrome, "name").send_keys("gerade", Keys.ENTER)

        wait(chrome, lambda: text(chrome, "label").startswith("gerade"))
        assert console_errors(chrome) == []
