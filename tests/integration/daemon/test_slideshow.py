"""`vitcam run` on photos, with the page: a slideshow that viewers pause and step through."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.daemon import Daemon, daemon, get_json
from tests.eventually import eventually
from tests.needs import need_model

SIZES = {"a-wide": (640, 360), "b-tall": (300, 500), "c-square": (400, 400)}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    need_model("everyday")
    folder = tmp_path_factory.mktemp("photos")
    noise = np.random.default_rng(0)
    for name, (width, height) in SIZES.items():
        picture = cv2.resize(noise.integers(0, 256, (9, 9, 3), np.uint8), (width, height))
        assert cv2.imwrite(str(folder / f"{name}.png"), picture)
    with daemon("--source", str(folder), "--every", "400ms", "--loop") as started:
        started.wait_for("ok")
        yield started


def command(running: Daemon, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(
        f"{running.url}/api/playback", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        record: dict[str, Any] = json.load(answer)
        return record


def predictions(running: Daemon, count: int) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"{running.url}/api/predictions", timeout=30) as events:
        found: list[dict[str, Any]] = []
        while len(found) < count:
            line = events.readline()
            if line.startswith(b"data: "):
                record = json.loads(line.removeprefix(b"data: "))
                found += [record] if record["type"] == "prediction" else []  # events come between them
        return found


def arrive(running: Daemon, name: str) -> dict[str, Any]:
    """The playback record once a photo is shown. Raises AssertionError if it never is."""

    def record() -> dict[str, Any] | None:
        playback: dict[str, Any] = running.state()["playback"]
        return playback if Path(playback["path"] or "").stem == name else None

    found = eventually(record)
    assert found, f"{name} never came: {running.state()['playback']}"
    return found


def shape_of_snapshot(running: Daemon) -> tuple[int, int]:
    """Width and height of the picture that is shown, in px."""
    with urllib.request.urlopen(f"{running.url}/snapshot.jpg?width=1280", timeout=10) as answer:
        picture = cv2.imdecode(np.frombuffer(answer.read(), np.uint8), cv2.IMREAD_COLOR)
        return picture.shape[1], picture.shape[0]


def test_each_answer_belongs_to_its_photo_and_to_that_photos_shape(running: Daemon) -> None:
    found = predictions(running, 12)

    shapes = {Path(each["path"]).stem: (each["frame"]["width"], each["frame"]["height"]) for each in found}
    assert len(shapes) >= 2
    assert all(SIZES[name] == shape for name, shape in shapes.items())
    for each in found:
        _, _, width, height = each["frame"]["crop"]
        assert width * each["frame"]["width"] == pytest.approx(height * each["frame"]["height"], abs=2), "a square"


def test_a_viewer_pauses_steps_and_sees_the_very_photo_in_the_stream(running: Daemon) -> None:
    assert command(running, {"paused": True})["paused"]
    start = running.state()["playback"]["index"]
    command(running, {"step": 1})
    there = list(SIZES)[(start + 1) % 3]
    record = arrive(running, there)
    shown = eventually(lambda: shape_of_snapshot(running) == SIZES[there])
    seen = predictions(running, 4)  # four in a second: longer than a photo is shown when nobody pauses

    assert record["paused"]
    assert shown
    assert {Path(each["path"]).stem for each in seen} == {there}
    assert running.state()["playback"]["index"] == record["index"]
    assert running.state()["status"] == "ok"

    command(running, {"step": -1})
    arrive(running, list(SIZES)[start])
    assert not command(running, {"paused": False})["paused"]
    arrive(running, there)


@pytest.mark.parametrize("body", [{}, {"paused": 1}, {"step": 2}, {"step": True}, {"step": 1, "paused": True}, []])
def test_a_wish_that_is_none_is_refused_with_the_forms_that_are(running: Daemon, body: Any) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        command(running, body)

    with refused.value as answer:
        assert answer.code == 400
        assert '{"step": -1}' in json.load(answer)["error"]


def test_one_photo_stays_and_whoever_comes_late_finds_it(tmp_path: Path) -> None:
    need_model("everyday")
    photo = tmp_path / "photo.png"
    assert cv2.imwrite(str(photo), np.full((200, 300, 3), 90, np.uint8))
    with daemon("--source", str(photo)) as running:
        running.wait_for("ok")
        predictions(running, 12)  # four in a second: longer than a camera may show the same

        assert running.state()["status"] == "ok"
        with urllib.request.urlopen(f"{running.url}/snapshot.jpg", timeout=10) as answer:
            assert answer.status == 200
        assert get_json(f"{running.url}/readyz") == {"status": "ok"}
        assert running.end()[0] == 0
