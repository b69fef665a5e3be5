"""The page of a model whose labels are words: they can be changed there."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from tests.daemon import daemon
from tests.integration.web.browser import console_errors
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.test_page import picture_width, text, wait
from tests.worded import WORDS, photo, worded_model


@pytest.fixture
def page(tmp_path: Path, chrome: Chrome) -> Iterator[Chrome]:
    model, cross = worded_model(tmp_path), photo(tmp_path, "red", "cross")
    with daemon("--source", str(cross), "--model", str(model), "--loop") as started:
        started.wait_for("ok")
        chrome.get(started.url)
        wait(chrome, lambda: picture_width(chrome) > 40)
        yield chrome


def field(page: Chrome) -> WebElement:
    return page.find_element(By.ID, "words-text")


def send(page: Chrome, words: str) -> None:
    field(page).clear()
    field(page).send_keys(words)
    page.find_element(By.ID, "words-apply").click()


def test_other_words_are_typed_and_the_next_answer_is_one_of_them(page: Chrome, findings: Findings) -> None:
    wait(page, lambda: text(page, "label").startswith("a red thing"))
    assert field(page).get_attribute("value") == "\n".join(WORDS)
    send(page, "a circle\n\n  a cross ")

    wait(page, lambda: text(page, "label").startswith("a cross"))
    wait(page, lambda: text(page, "words-message") == "The model looks for these words now.")
    assert field(page).get_attribute("value") == "a circle\na cross"
    assert findings(page) == []
    assert console_errors(page) == []


def test_refused_words_stay_in_the_field_and_the_reason_is_below_them(page: Chrome) -> None:
    wait(page, lambda: text(page, "label").startswith("a red thing"))
    send(page, "a cross\nA cross")

    wait(page, lambda: text(page, "words-message") == "'A cross' is given twice; leave out one of them.")
    assert field(page).get_attribute("value") == "a cross\nA cross"
    assert text(page, "label").startswith("a red thing")


def test_a_model_with_plain_labels_has_no_such_field(tmp_path: Path, chrome: Chrome) -> None:
    with daemon("--source", str(photo(tmp_path, "red", "cross")), "--model", "mnist", "--loop") as started:
        started.wait_for("ok")
        chrome.get(started.url)
        wait(chrome, lambda: picture_width(chrome) > 40)

        assert not field(chrome).is_displayed()
