"""The model's file is somebody else's: what happens to it does nothing to the daemon that has read it."""

import json
import shutil
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.daemon import Daemon, daemon
from tests.eventually import eventually
from tests.needs import need_model
from vitcam import Classifier


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return Path(shutil.copy(need_model("cifar10"), tmp_path / "mine.tflite"))


@pytest.fixture
def running(model: Path) -> Iterator[Daemon]:
    with daemon("--source", "demo", "--model", str(model)) as running:
        running.wait_for("ok")
        yield running


def overwrite(path: Path, content: bytes) -> None:
    """In place, as `cp` and many editors do: the file keeps its inode."""
    with path.open("r+b") as file:
        file.write(content)
        file.truncate()


def upload(running: Daemon) -> dict[str, Any]:
    png = cv2.imencode(".png", np.full((64, 64, 3), 90, np.uint8))[1].tobytes()
    with urllib.request.urlopen(f"{running.url}/api/classify", data=png, timeout=30) as reply:
        answer: dict[str, Any] = json.load(reply)
    return answer


def assert_classifies_on(running: Daemon) -> None:
    before = running.state()["frames"]["classified"]
    more = eventually(lambda: running.process.poll() or running.state()["frames"]["classified"] >= before + 5)

    assert running.process.poll() is None, running.errors()
    assert more


@pytest.mark.fault(
    "the model file is cut short while it is in use",
    injected="`truncate` on it",
    observed="camera and uploads are answered as before",
)
def test_a_file_cut_short_neither_ends_the_camera_nor_the_uploads(running: Daemon, model: Path) -> None:
    overwrite(model, b"")

    assert upload(running)["type"] == "prediction"
    assert_classifies_on(running)


@pytest.mark.fault(
    "the model file is overwritten while it is in use",
    injected="another model's bytes written into it",
    observed="the answers stay those of the first",
)
def test_a_file_overwritten_by_another_model_leaves_the_answers_of_the_first(running: Daemon, model: Path) -> None:
    labels = set(Classifier(model).labels)
    overwrite(model, need_model("mnist").read_bytes())
    answer = upload(running)

    assert {guess["label"] for guess in answer["top"]} <= labels
    assert_classifies_on(running)
