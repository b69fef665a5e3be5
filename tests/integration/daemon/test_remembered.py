"""What earlier runs left, however absurd, ends neither this run nor the next."""

import json
import signal
import socket
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.command import vitcam
from tests.daemon import answer_to, daemon, status_of
from tests.eventually import eventually
from tests.integration.web.test_crop import post
from tests.integration.web.test_saved_crop import network_camera  # noqa: F401 - a fixture
from tests.integration.web.test_zones import put

ABSURD = [1e-320, 5e-324, 1e-300, 1e-17, 1e-9]


def kept(folder: Path, name: str) -> dict[str, Any]:
    path = folder / "vitcam" / name
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def counts_since(folder: Path, before: dict[str, Any]) -> bool:
    """Whether another start was counted."""
    return kept(folder, "starts.json") not in ({}, before)


def test_a_part_next_to_nothing_is_refused_and_neither_run_ends(tmp_path: Path, network_camera: str) -> None:  # noqa: F811
    state = {"XDG_STATE_HOME": str(tmp_path)}
    with daemon("--source", network_camera, **state) as first:
        first.wait_for("ok")
        answers = []
        for side in ABSURD:
            for rect in ([0, 0, side, 1], [0, 0, 1, side], [1, 1, side, side], [side, side, side, side]):
                zones = {"zones": {"door": {"rect": rect}}, "masks": []}
                answers += [put(first.url, zones)[0], post(first.url, json.dumps({"crop": rect}))[0]]
        status = first.state()["status"]
    with daemon("--source", network_camera, **state) as second:
        second.wait_for("ok")

    assert set(answers) == {400}
    assert status == "ok"
    assert kept(tmp_path, "zones.json") == {}
    assert kept(tmp_path, "crops.json") == {}


@pytest.mark.parametrize("side", ABSURD)
def test_what_an_older_version_kept_starts_and_can_be_changed(
    tmp_path: Path,
    network_camera: str,  # noqa: F811
    side: float,
) -> None:
    (tmp_path / "vitcam").mkdir()
    zone = {"rect": [0, 0, side, 1], "labels": []}
    (tmp_path / "vitcam" / "zones.json").write_text(
        json.dumps({network_camera: {"zones": {"door": zone}, "masks": [[0, 0, side, side]]}})
    )
    (tmp_path / "vitcam" / "crops.json").write_text(json.dumps({network_camera: f"0,0,{side!r},1"}))
    with daemon("--source", network_camera, XDG_STATE_HOME=str(tmp_path)) as running:
        running.wait_for("ok")
        # a busy machine may take longer for a picture than an answer waits
        assert eventually(lambda: put(running.url, {"zones": {}, "masks": []})[1].get("remembered"))
        state = running.state()

    assert state["status"] == "ok"


@pytest.mark.fault(
    "the daemon is killed at each start before a picture was classified",
    injected="SIGKILL, three times, with a crop and zones of earlier runs",
    observed="the next start is made without them, says so, and puts them in force again when asked to",
)
def test_after_starts_that_were_killed_one_is_made_without_what_is_remembered(
    tmp_path: Path,
    network_camera: str,  # noqa: F811
) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path)}
    (tmp_path / "vitcam").mkdir()
    zone = {"rect": [0, 0, 0.5, 1], "labels": []}
    record = {network_camera: {"zones": {"door": zone}, "masks": [[0.75, 0, 0.25, 1]]}}
    (tmp_path / "vitcam" / "zones.json").write_text(json.dumps(record))
    for _ in range(3):
        with daemon("--source", network_camera, **state) as killed:
            assert eventually(partial(counts_since, tmp_path, kept(tmp_path, "starts.json")))
            killed.end(signal.SIGKILL)
    with daemon("--source", network_camera, **state) as running:
        found = running.wait_for("ok")["set_aside"]
        zones = json.loads(urllib.request.urlopen(f"{running.url}/api/zones", timeout=10).read())
        answer = remembered(running.url, {"use": True})
        again = json.loads(urllib.request.urlopen(f"{running.url}/api/zones", timeout=10).read())
        nothing = remembered(running.url, {"use": True})
        assert running.end()[0] == 0

    assert found == {"what": ["zones"], "reason": "the last 3 starts ended without a picture"}
    assert (zones["zones"], zones["masks"]) == ({}, [[0.75, 0, 0.25, 1]])
    assert answer == (200, {"set_aside": None, "remembered": True, "reason": ""})
    assert list(again["zones"]) == ["door"]
    assert nothing[0] == 409
    assert list(kept(tmp_path, "zones.json")[network_camera]["zones"]) == ["door"]
    assert kept(tmp_path, "starts.json") == {}


def remembered(url: str, body: object) -> tuple[int, dict[str, Any]]:
    return answer_to(f"{url}/api/remembered", body)


def test_starts_that_are_refused_do_not_set_aside_what_is_remembered(tmp_path: Path) -> None:
    (tmp_path / "vitcam").mkdir()
    camera = "http://127.0.0.1:9/"
    crops = {camera: "0,0,0.5,1"}
    (tmp_path / "vitcam" / "crops.json").write_text(json.dumps(crops))
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        for _ in range(4):
            refused = vitcam("run", "--source", camera, "--wait", "--port", port, XDG_STATE_HOME=str(tmp_path))
            assert refused.code == 1
            assert "in use" in refused.sentence

    assert kept(tmp_path, "crops.json") == crops
    assert kept(tmp_path, "starts.json") == {}


@pytest.mark.fault(
    "the file with the privacy masks cannot be read at a start",
    injected="a file that was cut off, without a good copy",
    observed="the page says why there is no picture; masks that are sent again bring it back",
)
def test_without_the_masks_there_is_a_page_and_no_picture_until_they_are_sent_again(
    tmp_path: Path,
    network_camera: str,  # noqa: F811
) -> None:
    (tmp_path / "vitcam").mkdir()
    (tmp_path / "vitcam" / "zones.json").write_text('{"http')
    with daemon("--source", network_camera, XDG_STATE_HOME=str(tmp_path)) as running:
        reason = running.wait_for("no_signal")["reason"]
        picture = status_of(f"{running.url}/snapshot.jpg")
        sent, _ = put(running.url, {"zones": {}, "masks": [[0, 0, 0.5, 1]]})
        running.wait_for("ok")

    assert "zones.json cannot be read" in reason
    assert picture == 503
    assert sent == 200
