"""The discovery message: bounded, safe whatever things are called, and the same for the same camera."""

import json
import re

import pytest

from vitcam.look.watched import MOST_WATCHED, Presence
from vitcam.parts.mqtt.discovery import MOST_ENTITIES, Announced, discovery_payload, with_tombstones
from vitcam.run.entity import Entity

CAMERA = Announced("kitchen", "vitcam/kitchen", models=("everyday", "mine"), overlays=("none", "grid"))
_COMMANDS = {"pause", "snapshot", "threshold", "model", "overlay"}


def keys(camera: Announced) -> set[str]:
    return set(discovery_payload(camera)["components"])


def test_a_camera_that_takes_no_commands_offers_none() -> None:
    assert keys(CAMERA) - keys(Announced("kitchen", "vitcam/kitchen", commands=frozenset())) == _COMMANDS


def test_nothing_is_offered_to_choose_where_there_is_one_choice() -> None:
    alone = Announced("kitchen", "vitcam/kitchen", models=("everyday",), overlays=("none",))
    assert keys(CAMERA) - keys(alone) == {"model", "overlay"}


def test_what_a_part_offers_is_announced() -> None:
    humidity = Entity("humidity", "air.humidity", "sensor", "Humidity", {"unit_of_measurement": "%"})
    camera = Announced("kitchen", "vitcam/kitchen", offered=(humidity,))
    assert keys(camera) - keys(Announced("kitchen", "vitcam/kitchen")) == {"humidity"}


@pytest.mark.parametrize("page", ["", "http://192.168.1.7:8420"])
def test_the_device_leads_to_the_page_where_others_can_open_it(page: str) -> None:
    device = discovery_payload(Announced("kitchen", "vitcam/kitchen", page=page))["device"]
    assert device.get("configuration_url", "") == page


def test_the_message_stays_small_with_everything_that_can_be_watched() -> None:
    most = tuple(Presence(f"zone_{'z' * 32}_label_{'l' * 49}{number}", "ü" * 100) for number in range(MOST_WATCHED))
    camera = Announced("n" * 64, "p" * 200, most, models=tuple(f"m{each}" for each in range(1000)))
    before = {f"label_{number}": "binary_sensor" for number in range(10_000)}
    payload = with_tombstones(discovery_payload(camera), before)
    assert len(payload["components"]) <= MOST_ENTITIES
    assert len(json.dumps(payload, ensure_ascii=False).encode()) < 256 * 1024


def test_what_is_gone_is_taken_back_and_what_is_there_stays() -> None:
    payload = discovery_payload(CAMERA)
    after = with_tombstones(payload, {"label_dog": "binary_sensor", "fps": "sensor"})["components"]
    assert after["label_dog"] == {"platform": "binary_sensor"}
    assert after["fps"] == payload["components"]["fps"]


def test_no_text_of_a_person_gets_into_a_template() -> None:
    hostile = "'}} {{ states('x') }} {% raw %}"
    camera = Announced("kitchen", "vitcam/kitchen", (Presence("label_x", hostile, hostile, "door"),))
    templates = re.findall(r'"[a-z_]*template": "(.*?)(?<!\\)"', json.dumps(discovery_payload(camera)))
    assert len(templates) > 10
    assert not any("states" in each for each in templates)
