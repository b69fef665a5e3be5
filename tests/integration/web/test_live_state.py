"""`/api/predictions?predictions=0`: how a run is, as it changes, for a household's system."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import answer_to, daemon


def messages(url: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Kind and data of each; a comment has neither."""
    with urllib.request.urlopen(url, timeout=20) as answer:
        kind = ""
        for line in map(bytes.decode, answer):
            if line.startswith("event: "):
                kind = line.removeprefix("event: ").strip()
            elif line.startswith("data: "):
                yield kind, json.loads(line.removeprefix("data: "))
            elif line.startswith(":"):
                yield "", {}


@pytest.mark.smoke
def test_the_state_comes_at_once_and_whenever_it_changes(tmp_path: Path) -> None:
    settings = {"XDG_STATE_HOME": str(tmp_path), "VITCAM_MQTT_NAME": "kitchen"}
    with daemon("--source", "demo", "--loop", **settings) as camera:
        camera.wait_for("ok")
        told = messages(f"{camera.url}/api/predictions?predictions=0&heartbeat=1")
        states = (data for kind, data in told if kind == "state")
        first = next(states)
        zones = {"zones": {"door": {"rect": [0, 0, 0.5, 1], "labels": ["cat", "dog"]}}, "masks": []}
        assert answer_to(f"{camera.url}/api/zones", zones, "PUT")[0] == 200
        zoned = next(state for state in states if len(state["watched"]) > 1)
        assert answer_to(f"{camera.url}/api/playback", {"paused": True})[0] == 200
        paused = next(state for state in states if state["controls"]["paused"])
        kinds = [next(told)[0] for _ in range(3)]

    assert (first["camera"]["id"], first["camera"]["name"]) == ("vitcam_kitchen", "kitchen")
    assert (first["status"], first["controls"]["model"]) == ("ok", "everyday")
    assert first["watched"] == [{"key": "presence", "name": "Something in view", "label": "", "zone": None}]
    assert first["settable"] == ["pause", "model", "threshold", "overlay"]
    assert {each["key"]: each["zone"] for each in zoned["watched"]}.keys() == zoned["presence"].keys()
    assert {"key": "zone_door_label_cat", "name": "Door: cat", "label": "cat", "zone": "door"} in zoned["watched"]
    assert paused["shown"] is None
    assert "" in kinds  # a comment, since nothing else came
    assert "prediction" not in kinds


@pytest.mark.parametrize("heartbeat", ["0", "61", "nan", "x"])
def test_a_heartbeat_that_cannot_be_is_refused_with_what_can(heartbeat: str, tmp_path: Path) -> None:
    with daemon("--source", "demo", XDG_STATE_HOME=str(tmp_path)) as camera:
        camera.wait_for("ok")
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(f"{camera.url}/api/predictions?heartbeat={heartbeat}", timeout=20)
        sentence = json.load(refusal.value)["error"]

    assert (refusal.value.code, sentence) == (
        400,
        f"heartbeat is '{heartbeat}'; send a number of seconds from 1 to 60",
    )
