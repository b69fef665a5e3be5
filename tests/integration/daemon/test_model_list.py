"""The list of models says what each is. Those that were taught here can be deleted, over HTTP and by the command."""

import os
import stat
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest

from tests.command import vitcam
from tests.daemon import answer_to, daemon, get_json, status_of
from tests.eventually import eventually
from tests.parts.teach.taught import drawn
from vitcam.model.files import find_model


def test_a_taught_model_is_listed_used_and_deleted_and_no_other_one_is(tmp_path: Path) -> None:
    state: dict[str, Any] = {"STATE_DIRECTORY": str(tmp_path / "state")}
    shapes = drawn(tmp_path / "shapes")
    for name in ("first", "second", "third"):
        assert vitcam("teach", str(shapes), "-o", name, **state).code == 0
    folder = tmp_path / "state" / "models"
    (folder / "broken.tflite").write_bytes(b"\0\0\0\0 is no model")
    with daemon("--source", "demo", "--loop", **state) as running:
        begun = running.wait_for("degraded")
        url = f"{running.url}/api/models"
        listed = {each["name"]: each for each in get_json(url)["about"]}
        answer_to(f"{running.url}/api/model", {"name": "first"})
        answer_to(f"{running.url}/api/model", {"name": "second"})
        eventually(lambda: running.state()["model"] == "second", 30)
        refused = [
            answer_to(f"{url}/{name}", b"", "DELETE")
            for name in ("second", "everyday", "broken", "gone", "..%2fstate%2fmodels%2ffirst", "first.tflite")
        ]
        by_command = [vitcam("models", "delete", name, **state) for name in ("second", "everyday", "gone", "third")]
        deleted = answer_to(f"{url}/first", b"", "DELETE")
        back = answer_to(f"{running.url}/api/model/back", b"")
        (folder / "broken.tflite").unlink()
        status = running.wait_for("ok")["status"]
    kept = vitcam("models", "delete", "second", **state)

    everyday, first = listed["everyday"], listed["first"]
    assert (everyday["origin"], everyday["labels"], everyday["measured"]) == ("shipped", 1048, "heldout")
    assert (first["origin"], first["labels"], first["base"], first["taught"]) == ("taught", 3, "everyday", "alone")
    assert (first["photos"], first["measured"]) == (18, "cross-validated")
    assert 0.5 < first["right"] <= 1
    assert listed["broken"]["error"]
    assert "broken.tflite is not a TFLite model" in begun["reason"]
    assert [status for status, _ in refused] == [400] * 6
    assert [each.code for each in by_command] == [2, 2, 2, 0]
    assert (deleted[0], deleted[1]["before"]) == (200, None)
    assert "first" not in deleted[1]["models"]
    assert back[0] == 400
    assert status == "ok"
    assert (kept.code, "in use" in kept.err) == (2, True), "the next run would miss it"
    assert sorted(path.name for path in folder.glob("*.tflite")) == ["second.tflite"]
    assert find_model("everyday").is_file()


@pytest.mark.fault(
    "a pipe lies among the models and another one in place of the page's settings",
    injected="mkfifo models/x.tflite and settings.toml",
    observed="the start goes on; every list and read answers; the model is listed as unreadable, and the state says so",
)
def test_a_pipe_among_the_models_or_the_settings_holds_nothing_up_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    os.mkfifo(tmp_path / "models" / "x.tflite")
    os.mkfifo(tmp_path / "settings.toml")
    with daemon("--source", "demo", "--loop", STATE_DIRECTORY=str(tmp_path)) as running:
        reason = running.wait_for("degraded")["reason"]
        listed = {each["name"]: each for each in get_json(f"{running.url}/api/models")["about"]}
        others = [
            status_of(f"{running.url}/api/{name}") for name in ("events", "names", "settings", "datasets", "zones")
        ]
        chosen = answer_to(f"{running.url}/api/model", {"name": "x"})
        code, seconds = running.end()

    assert "x.tflite" in reason
    assert "it is a pipe" in listed["x"]["error"]
    assert listed["everyday"]["error"] == ""
    assert others == [HTTPStatus.OK] * 5
    assert (chosen[0], "it is a pipe" in chosen[1]["error"]) == (HTTPStatus.BAD_REQUEST, True)
    assert stat.S_ISFIFO((tmp_path / "settings.toml.damaged").stat().st_mode)
    assert (code, seconds < 5) == (0, True)
