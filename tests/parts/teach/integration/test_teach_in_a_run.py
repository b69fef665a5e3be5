"""A running daemon is taught: pictures are there, a model is made of them beside the camera, and it is used."""

import json
import signal
import urllib.request
from http import HTTPStatus
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.daemon import answer_to, daemon, get_json
from tests.eventually import eventually


def pictures(folder: Path, label: str, colour: tuple[int, int, int], count: int = 12) -> None:
    """Noisy pictures with a disc of one colour."""
    (folder / label).mkdir(parents=True)
    for number in range(count):
        chance = np.random.default_rng((number, *colour))
        image = chance.integers(60, 120, (160, 160, 3), np.uint8)
        x, y = (int(each) for each in chance.integers(50, 110, 2))
        cv2.circle(image, (x, y), int(chance.integers(25, 45)), colour, -1)
        cv2.imwrite(str(folder / label / f"20260102T{number:06}-001.jpg"), image)


def taught(url: str, **asked: object) -> list[tuple[str, dict[str, Any]]]:
    """The events of a teaching: kind and data of each."""
    request = urllib.request.Request(f"{url}/api/teach", json.dumps(asked).encode(), method="POST")
    with urllib.request.urlopen(request, timeout=120) as answer:
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        text = answer.read().decode()
    events = [block.split("\n") for block in text.strip().split("\n\n") if not block.startswith(":")]
    return [(kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for kind, data in events]


@pytest.mark.slow("vitcam/parts/teach", "vitcam/processes")
def test_a_daemon_is_taught_and_uses_what_it_learned_while_its_camera_goes_on(tmp_path: Path) -> None:
    for label, colour in (("red disc", (0, 0, 255)), ("blue disc", (255, 0, 0)), ("nothing special", (90, 90, 90))):
        pictures(tmp_path / "datasets" / "mine", label, colour)
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running:
        before = running.wait_for("ok")["frames"]["classified"]
        events = taught(running.url, dataset="mine", name="discs")
        after = running.state()["frames"]["classified"]
        chosen = answer_to(f"{running.url}/api/model", {"name": "discs"})
        eventually(lambda: running.state()["model"] == "discs", 30)
        labels = get_json(f"{running.url}/api/model")["labels"]
        again = taught(running.url, dataset="mine", name="discs 2", compare=True)[-1]
        status = running.wait_for("ok")["status"]
        refused = [
            answer_to(f"{running.url}/api/teach", body)
            for body in (
                {"dataset": "nothing", "name": "x"},
                {"dataset": "mine", "name": "everyday"},
                {"dataset": "../..", "name": "x"},
                {"dataset": "mine", "name": "--help"},
                {"dataset": "mine", "name": "x", "base": "/etc/passwd"},
                {"dataset": "mine"},
                {"dataset": "mine", "name": "x", "compare": "yes"},
                {"dataset": "mine", "name": "x", "base": 7},
            )
        ]

    kinds = [kind for kind, _ in events]
    report = events[-1][1]
    assert kinds[0] == "progress"
    assert kinds[-1] == "report"
    assert {each["label"] for each in report["labels"]} == {"red disc", "blue disc", "nothing special"}
    assert after > before, "the camera went on"
    assert (chosen[0], chosen[1]["remembered"]) == (200, True)
    assert {"red disc", "blue disc"} <= set(labels)
    assert status == "ok"
    assert [code for code, _ in refused] == [400] * 8
    assert again[0] == "report", "what the model in use was taught from is taught"
    assert again[1]["compared"] is None, "no picture is new"
    assert (tmp_path / "models" / "discs.tflite").is_file()


@pytest.mark.slow("vitcam/parts/teach", "vitcam/processes")
def test_a_teaching_whose_client_leaves_ends_and_writes_nothing(tmp_path: Path) -> None:
    for label, colour in (("red disc", (0, 0, 255)), ("blue disc", (255, 0, 0))):
        pictures(tmp_path / "datasets" / "mine", label, colour, count=60)
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        body = json.dumps({"dataset": "mine", "name": "discs"}).encode()
        request = urllib.request.Request(f"{running.url}/api/teach", body, method="POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            answer.readline()
            busy = answer_to(f"{running.url}/api/teach", {"dataset": "mine", "name": "other"})[0]
        eventually(lambda: answer_to(f"{running.url}/api/teach", {})[0] == HTTPStatus.BAD_REQUEST, 60)  # it is free
        left = running.children("vitcam")
        again = taught(running.url, dataset="mine", name="other")[-1][0]

    assert (busy, left) == (503, [])
    assert not (tmp_path / "models" / "discs.tflite").exists()
    assert again == "report"


def test_a_client_that_leaves_while_the_model_is_written_leaves_nothing_of_it(tmp_path: Path) -> None:
    for label, colour in (("red disc", (0, 0, 255)), ("blue disc", (255, 0, 0))):
        pictures(tmp_path / "datasets" / "mine", label, colour, count=3)
    models = tmp_path / "models"
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running:
        running.wait_for("ok")
        body = json.dumps({"dataset": "mine", "name": "discs"}).encode()
        request = urllib.request.Request(f"{running.url}/api/teach", body, method="POST")
        with urllib.request.urlopen(request, timeout=60):
            half = eventually(
                lambda: [path for path in models.glob(".*") if path.stat().st_size > 2**20], every_s=0.005
            )
        assert half
        assert eventually(lambda: not list(models.iterdir()))


@pytest.mark.fault(
    "SIGKILL while a model is taught",
    injected="SIGKILL of the daemon while it teaches again the model that it uses: as photos are read, while it learns "
    "and as the file is written",
    observed="the process that teaches ends, too; the daemon starts with the whole model, old or new",
)
@pytest.mark.slow("vitcam/parts/teach", "vitcam/processes")
def test_a_daemon_that_is_killed_while_it_teaches_leaves_no_child_and_a_whole_model(tmp_path: Path) -> None:
    for label, colour in (("red disc", (0, 0, 255)), ("blue disc", (255, 0, 0))):
        pictures(tmp_path / "datasets" / "mine", label, colour)
    body = json.dumps({"dataset": "mine", "name": "discs", "base": "everyday"}).encode()
    seen = []
    for step in ("", "reading photos", "learning", "writing"):
        with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running:
            state = running.wait_for("ok")
            seen.append(state["model"])
            if not step:
                assert taught(running.url, dataset="mine", name="discs")[-1][0] == "report"
                assert answer_to(f"{running.url}/api/model", {"name": "discs"})[1]["remembered"]
                continue
            if step == "reading photos":
                (tmp_path / "datasets" / "mine" / ".vitcam-features.npz").unlink()
            request = urllib.request.Request(f"{running.url}/api/teach", body, method="POST")
            with urllib.request.urlopen(request, timeout=60) as answer:
                assert any(step.encode() in line for line in answer)
                (child,) = running.children("vitcam")
                running.end(signal.SIGKILL)
            eventually(lambda child=child: not Path(f"/proc/{child}/status").exists(), 10)  # type: ignore[misc]
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running:
        seen.append(running.wait_for("ok")["model"])
        labels = get_json(f"{running.url}/api/model")["labels"]

    assert seen == ["everyday", *["discs"] * 4]
    assert labels == ["blue disc", "red disc"]
