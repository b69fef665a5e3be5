"""Every entity that is announced is taken by Home Assistant's own schemas."""

from pathlib import Path

import pytest

from tests.home_assistant.running import home_assistant
from vitcam.look.watched import Presence
from vitcam.parts.mqtt.discovery import Announced, discovery_payload, platforms, with_tombstones
from vitcam.run.entity import Entity

LIGHT = {"device_class": "illuminance", "unit_of_measurement": "lx", "state_class": "measurement"}
FULL = Announced(
    name="kitchen",
    base="vitcam/kitchen",
    watched=(
        Presence("presence", "Something in view"),
        Presence("zone_door", "Door", zone="door"),
        Presence("label_cat_1a2b3c4d", "Café „猫“ '}}{{ \"", "cat"),
    ),
    models=("everyday", "mine"),
    overlays=("none", "evidence"),
    offered=(Entity("light", "light.lux", "sensor", "Light", LIGHT),),
    page="http://192.168.1.7:8420",
    board="Raspberry Pi 5 Model B Rev 1.0",
)
LEAST = Announced("kitchen", "vitcam/kitchen", commands=frozenset())


@pytest.mark.slow("vitcam/parts/mqtt", "tests/home_assistant")
def test_home_assistant_takes_every_entity(tmp_path: Path) -> None:
    with home_assistant(tmp_path / "home") as home:
        for camera in (FULL, LEAST):
            payload = discovery_payload(camera)
            assert home.ask("schemas", payload=payload) == platforms(payload), home.log()
        gone = with_tombstones(discovery_payload(LEAST), {"label_dog": "binary_sensor"})
        assert home.ask("schemas", payload=gone)["label_dog"] == "taken back"
