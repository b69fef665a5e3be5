"""`/api/words`: the words of a running daemon."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.daemon import Daemon, answer_to, daemon, get_json
from tests.eventually import eventually
from tests.worded import WORDS, photo, worded_model


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return worded_model(tmp_path)


@contextmanager
def looking_at_a_cross(model: Path, folder: Path) -> Iterator[Daemon]:
    cross = photo(folder, "red", "cross")
    with daemon("--source", str(cross), "--model", str(model), "--loop") as started:
        started.wait_for("ok")
        yield started


@pytest.fixture
def running(model: Path, tmp_path: Path) -> Iterator[Daemon]:
    with looking_at_a_cross(model, tmp_path) as started:
        yield started


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, Path]]:
    """A daemon whose words no test changes, and its model."""
    folder = tmp_path_factory.mktemp("unchanged")
    model = worded_model(folder)
    with looking_at_a_cross(model, folder) as started:
        yield started, model


def change(running: Daemon, *words: str) -> tuple[int, dict[str, Any]]:
    return answer_to(f"{running.url}/api/words", {"words": words})


def label(running: Daemon) -> str:
    """The best label of the newest frame."""
    with urlopen(f"{running.url}/api/predictions", timeout=10) as events:
        line = next(line for line in events if line.startswith(b"data: ") and b'"top"' in line)
    return str(json.loads(line.removeprefix(b"data: "))["top"][0]["label"])


def test_a_running_model_takes_other_words_from_the_next_frame_on(running: Daemon, model: Path, tmp_path: Path) -> None:
    before = label(running)
    answer = change(running, "a cross", "a circle")

    assert before == "a red thing"
    assert answer == (200, {"words": ["a cross", "a circle"], "remembered": True, "reason": ""})
    assert eventually(lambda: label(running) == "a cross", 10)
    sent = answer_to(f"{running.url}/api/classify", photo(tmp_path, "blue", "circle").read_bytes())[1]
    assert sent["top"][0]["label"] == "a circle", "photos that are sent get the new words as well"
    assert get_json(f"{running.url}/api/model")["labels"] == ["a cross", "a circle"]
    assert running.end()[0] == 0


def test_the_next_run_has_the_words_of_the_last(model: Path, tmp_path: Path) -> None:
    options = ("--source", str(photo(tmp_path, "red", "cross")), "--model", str(model), "--loop")
    with daemon(*options) as first:
        first.wait_for("ok")
        change(first, "a cross", "a circle")
    with daemon(*options) as second:
        second.wait_for("ok")
        assert eventually(lambda: label(second) == "a cross", 10)


def test_the_model_says_how_many_words_there_may_be(unchanged: tuple[Daemon, Path]) -> None:
    record = get_json(f"{unchanged[0].url}/api/model")

    assert (record["labels"], record["words"]) == (list(WORDS), 255)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"", "JSON"),
        (b"[]", '"words"'),
        (b'{"words": "a cross"}', '"words"'),
        (b'{"words": [1]}', '"words"'),
        (b'{"words": ["a cross", "A cross"]}', "given twice"),
    ],
)
def test_bad_words_are_refused_and_change_nothing(unchanged: tuple[Daemon, Path], body: bytes, complaint: str) -> None:
    running, model = unchanged
    content = model.read_bytes()
    status, answer = answer_to(f"{running.url}/api/words", body)

    assert status == 400
    assert complaint in answer["error"]
    assert label(running) == "a red thing"
    assert model.read_bytes() == content


@pytest.mark.fault(
    "words cannot be written",
    injected="a folder in the place of the file to write",
    observed="the words are in force; the answer says that they were not saved",
)
def test_words_that_cannot_be_written_say_so_and_are_in_force(running: Daemon, model: Path) -> None:
    model.unlink()
    model.mkdir()
    (model / "in the way").touch()
    status, answer = change(running, "a cross", "a circle")

    assert (status, answer["remembered"]) == (200, False)
    assert "cannot be written" in answer["reason"]
    assert eventually(lambda: label(running) == "a cross", 10)
