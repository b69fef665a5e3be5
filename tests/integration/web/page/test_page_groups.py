"""The page where the best label is unsure: its group comes first."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

from tests.daemon import Daemon, daemon, get_json
from tests.grouped import grouped_model, unsure_photo
from tests.integration.web.browser import console_errors
from tests.integration.web.page.test_page import picture_width, text, wait
from tests.integration.web.page.test_page_states import findings

_SMOOTHED = """
  const [predictions, done] = arguments;
  import("/page/smoothing.js").then(({ Smoothing }) => {
    const smoothing = new Smoothing();
    smoothing.setModel({
      labels: ["collie", "pug", "tabby", "cup"],
      groups: [{name: "dog", labels: [0, 1]}, {name: "mammal", labels: [0, 1, 2]}, {name: "7", labels: [0, 1, 2, 3]}],
    });
    done(predictions.map((prediction, i) => smoothing.add({ known: true, ...prediction }, 100 * i).group));
  });
"""


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


def frame(group: str | None = None, p: float = 0.0, **top: float) -> dict[str, Any]:
    """A prediction as `/api/predictions` sends it."""
    guesses = [{"label": label, "p": guess} for label, guess in sorted(top.items(), key=lambda item: -item[1])]
    return {"top": guesses, "group": group and {"label": group, "p": p}}


def smoothed(chrome: Chrome, *predictions: dict[str, Any]) -> list[str | None]:
    found = chrome.execute_async_script(_SMOOTHED, predictions)
    return [group and group["label"] for group in found]


def test_the_group_is_the_headline_and_the_labels_follow(page: Chrome) -> None:
    wait(page, lambda: text(page, "label").startswith("even digit"))
    card = page.find_element(By.ID, "answer")
    names = [name.get_attribute("textContent") for name in card.find_elements(By.CSS_SELECTOR, ".guess .name")]

    assert 50 < int(text(page, "label").removeprefix("even digit").strip(" %")) < 80
    assert card.find_element(By.CSS_SELECTOR, ".note").text == "Unsure which one. Most probable:"
    assert "2" in names
    assert "even digit, " in page.execute_script("return document.getElementById('caption').textContent")
    assert ", perhaps 2, " in page.execute_script("return document.getElementById('caption').textContent")
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


def test_one_prediction_is_shown_with_its_own_group(page: Chrome) -> None:
    assert smoothed(page, frame("dog", 0.75, collie=0.4, pug=0.3)) == ["dog"]
    assert smoothed(page, frame("7", 1.0, collie=0.3, cup=0.25)) == ["7"], "groups keep their order"
    assert smoothed(page, frame(collie=0.6, pug=0.3)) == [None]
    assert smoothed(page, frame(collie=0.3, pug=0.1)) == [None]


def test_groups_that_take_turns_are_shown_as_the_one_that_holds_them_both(page: Chrome) -> None:
    turns = [frame("dog", 0.5, collie=0.45), frame("mammal", 0.9, collie=0.4)] * 20
    found = smoothed(page, *turns)[10:]

    assert found == ["mammal"] * len(found)


def test_a_label_that_is_likely_now_and_then_does_not_make_the_headline_jump(page: Chrome) -> None:
    turns = [frame(collie=0.51, pug=0.3), frame("dog", 0.8, collie=0.4)] * 20
    found = smoothed(page, *turns)[10:]

    assert found == ["dog"] * len(found)


def test_a_group_is_never_the_headline_above_a_label_outside_of_it(page: Chrome) -> None:
    dogs, cups = [frame("dog", 0.8, collie=0.4)] * 20, [frame(cup=0.9)] * 20
    found = smoothed(page, *dogs, *cups)

    assert found[19] == "dog"
    assert found[-1] is None
    assert set(found[20:]) <= {"dog", "7", None}
