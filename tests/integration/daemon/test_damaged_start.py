"""A start with damaged files: the daemon runs with the last good ones and says so, or ends with one sentence."""

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import vitcam
from tests.daemon import daemon
from tests.eventually import eventually
from tests.needs import need_model
from tests.refusals import naming
from tests.service_manager import Manager


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(tmp_path / "notify")
    yield manager
    manager.close()


def test_a_service_with_a_damaged_model_runs_another_one_and_says_so_everywhere(
    tmp_path: Path, manager: Manager
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / "mnist.tflite").write_bytes(need_model("mnist").read_bytes()[:50_000])
    environment = {"STATE_DIRECTORY": str(tmp_path), "VITCAM_MODEL_NAME": "mnist"} | manager.environment()
    with daemon("--source", "demo", "--loop", **environment) as running:
        state = running.wait_for("degraded")
        status = manager.wait_for(lambda message: message.startswith("STATUS=degraded"))
        errors = running.errors()
        code, _ = running.end()
    on_terminal = vitcam("run", "--source", "demo", "--no-web", "--model", "mnist", STATE_DIRECTORY=str(tmp_path))

    sentence = f"the model {models / 'mnist.tflite'} cannot be loaded"
    assert state["reason"].startswith(sentence)
    assert state["reason"].endswith(f"until then {need_model('mnist')} is used")
    assert state["model"] == "mnist"
    assert sentence in status
    assert errors.count(f"ERROR {sentence}") == 1
    assert code == 0
    assert on_terminal.code == 2
    assert str(models / "mnist.tflite") in on_terminal.sentence


def test_a_second_daemon_for_a_camera_and_one_state_folder_is_refused_until_the_first_is_killed(tmp_path: Path) -> None:
    camera = ("--source", "/dev/video97", "--wait")
    with daemon(*camera, STATE_DIRECTORY=str(tmp_path)) as first:
        first.wait_for("no_signal")
        second = vitcam("run", *camera, "--port", "0", STATE_DIRECTORY=str(tmp_path))
        with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as other:
            other.wait_for("ok")
        first.end(signal.SIGKILL)
    with daemon(*camera, STATE_DIRECTORY=str(tmp_path)) as third:
        third.wait_for("no_signal")

    assert second.code == 1
    names = naming(f"process {first.process.pid}", f"state folder {tmp_path};", f"STATE_DIRECTORY={tmp_path}-2")
    assert re.match(names, second.sentence)


def test_a_damaged_list_of_crops_is_replaced_by_its_copy_at_the_start(tmp_path: Path) -> None:
    crops = tmp_path / "crops.json"
    crops.write_text('{"v4l2:/dev/vid')
    crops.with_name("crops.json.copy").write_text(json.dumps({"v4l2:/dev/video97": "0,0,0.5,1"}))
    with daemon("--source", "v4l2:/dev/video97", "--wait", STATE_DIRECTORY=str(tmp_path)) as running:
        state = running.wait_for("no_signal")
        said = eventually(lambda: "crops.json is damaged" in running.errors())

    assert state["view"]["crop"] == [0, 0, 0.5, 1]
    assert said
    assert crops.with_name("crops.json.damaged").read_text() == '{"v4l2:/dev/vid'
