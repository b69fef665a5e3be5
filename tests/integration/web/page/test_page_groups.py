"""The page where the best label is unsure: its group comes first."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.daemon import Daemon, daemon, get_json
from tests.grouped import grouped_model, unsure_photo
from tests.integration.web.browser import console_errors
from tests.integration.web.page.accessibility import Findings
from tests.integration.web.page.test_page import picture_width, text, wait


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, Path]]:
    folder = tmp_path_factory.mktemp("grouped")
    photo = unsure_photo(folder)
    with daemon("--source", str(photo), "--model", str(grouped_model(folder)), "--loop") as started:
        started.wait_for("ok")
        yield started, photo


@pytest.fixture
def page(running: tuple[Daemon, Path], chrome: Chrome) -> Chrome:
    chrome.get(running[0].url)
    wait(chrome, lambda: picture_width(chrome) > 100)
    return chrome


def test_the_group_is_the_headline_and_the_labels_follow(page: Chrome, findings: Findings) -> None:
    wait(page, lambda: text(page, "label").startswith("even digit"))
    card = page.find_element(By.ID, "answer")
    names = [name.get_attribute("textContent") for name in card.find_elements(By.CSS_SELECTOR, ".guess .name")]

    assert 50 < int(text(page, "label").removeprefix("even digit").strip(" %")) < 80
    assert card.find_element(By.CSS_SELECTOR, ".note").text == "Unsure which one. Most probable:"
    assert "2" in names
    assert page.execute_script("return document.getElementById('caption').textContent") == "even digit"
    assert findings(page) == []
    assert console_errors(page) == []


def test_a_photo_of_a_visitor_gets_its_group_too(running: tuple[Daemon, Path], page: Chrome) -> None:
    page.find_element(By.ID, "file").send_keys(str(running[1]))
    wait(page, lambda: text(page, "photo-label").startswith("even digit"))

    alternative = page.find_element(By.ID, "photo-canvas").get_attribute("aria-label")
    assert alternative is not None
    assert alternative.endswith("Its answer: even digit")


def test_the_groups_of_the_model_are_part_of_its_record(running: tuple[Daemon, Path]) -> None:
    groups = get_json(f"{running[0].url}/api/model")["groups"]

    assert [group["name"] for group in groups] == ["low digit", "even digit", "digit"]
    assert groups[1]["labels"] == [0, 2, 4, 6, 8]
