"""What is sent to the broker as a camera changes, also from one run to the next."""

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vitcam.look.watched import Presence
from vitcam.parts.mqtt.announcer import MEMORY, Announcer, read_memory
from vitcam.parts.mqtt.discovery import Announced
from vitcam.parts.mqtt.retained import Retained

TOPIC = "homeassistant/device/vitcam_kitchen/config"
VIEW, CAT = Presence("presence", "Something in view"), Presence("label_cat", "Cat", "cat")


class Camera(Retained):
    """A camera that is announced; what the broker is told is kept."""

    def __init__(self, folder: Path | None, prefix: str = "homeassistant", name: str = "kitchen") -> None:
        super().__init__()
        self.watched: tuple[Presence, ...] = (VIEW, CAT)
        self.about = Announced(name, f"vitcam/{name}")
        self.told: list[Mapping[str, str]] = []
        self.announcer = Announcer(
            prefix,
            folder,
            lambda: self.watched,
            lambda watched: replace(self.about, watched=watched),
            self,
        )

    def keep(self, messages: Mapping[str, str]) -> None:
        self.told.append(messages)

    def components(self, topic: str = TOPIC) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.told[-1][topic])["components"]
        return found


def test_a_camera_is_announced_once_and_again_when_something_changes() -> None:
    camera = Camera(None)
    for _ in range(3):
        camera.announcer.announce_changes()
    assert len(camera.told) == 1
    camera.about = replace(camera.about, models=("everyday", "mine"))
    camera.announcer.announce_changes()
    assert "model" in camera.components()
    assert len(camera.told) == 2


def test_a_label_that_is_gone_is_taken_back_also_after_a_restart(tmp_path: Path) -> None:
    Camera(tmp_path).announcer.announce_changes()
    for _ in range(2):  # the second start has no way to know whether Home Assistant heard it
        after = Camera(tmp_path)
        after.watched = (VIEW,)
        after.announcer.announce_changes()
        assert after.components()["label_cat"] == {"platform": "binary_sensor"}


def test_a_label_that_comes_again_is_announced_again(tmp_path: Path) -> None:
    camera = Camera(tmp_path)
    for watched in ((VIEW, CAT), (VIEW,), (VIEW, CAT)):
        camera.watched = watched
        camera.announcer.announce_changes()
    assert camera.components()["label_cat"]["name"] == "Cat"


def test_a_camera_that_is_called_differently_clears_its_old_name_once(tmp_path: Path) -> None:
    Camera(tmp_path).announcer.announce_changes()
    renamed = Camera(tmp_path, name="garden")
    renamed.announcer.announce_changes()
    assert renamed.told[-1][TOPIC] == ""
    assert "homeassistant/device/vitcam_garden/config" in renamed.told[-1]
    renamed.announcer.announce_changes()
    assert TOPIC not in renamed.told[-1]  # another camera may be called so now
    again = Camera(tmp_path, name="garden")
    again.announcer.announce_changes()
    assert TOPIC not in again.told[-1]


def test_discovery_that_is_switched_off_takes_the_camera_back(tmp_path: Path) -> None:
    Camera(tmp_path).announcer.announce_changes()
    off = Camera(tmp_path, prefix="")
    off.announcer.announce_changes()
    off.announcer.announce_changes()
    assert off.told == [{TOPIC: ""}, {}]
    never = Camera(tmp_path, prefix="")
    never.announcer.announce_changes()
    assert never.told == [{}]


@pytest.mark.parametrize(
    "text",
    [
        "", "null", "[]", '"x"', "{", '{"topic": "", "former": 7, "entities": {}}',
        '{"topic": "", "former": [], "entities": [1]}',
        "[" * 100_000,
    ],
)  # fmt: skip
def test_a_damaged_memory_says_nothing_and_clears_nothing(
    text: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / MEMORY).write_text(text)
    camera = Camera(tmp_path)
    camera.announcer.announce_changes()
    assert [*camera.told[-1]] == [TOPIC]
    assert "damaged" in caplog.text


@pytest.mark.parametrize("topic", [1, "lights/kitchen/set", "#/device/vitcam_x/config", ["x"]])
@pytest.mark.parametrize("key", ["topic", "former"])
def test_what_a_newer_version_remembers_stays_there_and_no_other_topic_is_cleared(
    tmp_path: Path, key: str, topic: object
) -> None:
    newer = {
        "topic": TOPIC,
        "former": [],
        "entities": {"ok": "sensor", "odd": {"kind": 5}, "a b": "sensor"},
        "since": 7,
    }
    newer[key] = [topic] if key == "former" else topic
    (tmp_path / MEMORY).write_text(json.dumps(newer))
    camera = Camera(tmp_path)
    camera.announcer.announce_changes()
    assert [*camera.told[-1]] == [TOPIC]
    kept = json.loads((tmp_path / MEMORY).read_text())
    assert (kept["topic"], kept["former"], kept["since"]) == (TOPIC, [topic], 7)
    assert (kept["entities"]["odd"], kept["entities"]["a b"]) == ({"kind": 5}, "sensor")


def test_hostile_entities_of_a_memory_are_left_out(tmp_path: Path) -> None:
    entities = {"a/b": "sensor", "ok": "sensor", "bad": "A B", "": "sensor"}
    (tmp_path / MEMORY).write_text(json.dumps({"topic": TOPIC, "former": [], "entities": entities}))
    assert read_memory(tmp_path).platforms == {"ok": "sensor"}


def test_a_disk_that_takes_nothing_is_said_and_the_camera_is_announced_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "file"
    folder.write_text("no folder")
    with caplog.at_level(logging.WARNING):
        camera = Camera(folder)
        camera.announcer.announce_changes()
    assert TOPIC in camera.told[-1]
    assert "cannot be written" in caplog.text
