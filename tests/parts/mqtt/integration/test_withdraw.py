"""What a real broker keeps of a camera is cleared when its service is uninstalled."""

import json
from pathlib import Path

import pytest

from tests.daemon import free_port
from tests.eventually import eventually
from tests.mosquitto import Mosquitto, Subscriber
from vitcam.parts.mqtt.announcer import MEMORY
from vitcam.parts.mqtt.uninstalled import clear_broker
from vitcam.service.places import Instance, Places

TOPIC = "homeassistant/device/vitcam_kitchen/config"
OTHERS = "homeassistant/device/vitcam_garden/config"


def installed(root: Path, port: int) -> Places:
    """A machine on which a service has run."""
    places = Places(root)
    places.config.mkdir(parents=True)
    places.system_config.write_text(f'[mqtt]\nhost = "127.0.0.1"\nport = {port}\nname = "kitchen"\n')
    state = Instance().state(places)
    state.mkdir(parents=True)
    (state / MEMORY).write_text(json.dumps({"topic": TOPIC, "former": [], "entities": {"fps": "sensor"}}))
    return places


@pytest.mark.slow("vitcam/parts/mqtt", "tests/mosquitto.py")
def test_a_broker_keeps_nothing_of_a_camera_that_was_uninstalled(tmp_path: Path) -> None:
    kept = (TOPIC, OTHERS, "vitcam/kitchen/status", "vitcam/kitchen/state", "vitcam/kitchen/snapshot")
    with Mosquitto(tmp_path / "broker") as broker, Subscriber(broker, "#") as subscriber:
        for topic in kept:
            subscriber.send(topic, "kept", retain=True)
        assert eventually(lambda: len(subscriber.heard) == len(kept))

        assert clear_broker(installed(tmp_path / "root", broker.port), Instance()) == ""

        cleared = {*kept} - {OTHERS}
        assert eventually(lambda: {topic for topic, payload, _ in subscriber.heard if not payload} == cleared)


def test_a_broker_that_is_away_is_one_sentence_that_names_the_unit(tmp_path: Path) -> None:
    said = clear_broker(installed(tmp_path, free_port()), Instance())
    assert said.startswith("vitcam.service: the broker still keeps what it was told: the MQTT broker 127.0.0.1:")


def test_without_a_broker_in_the_settings_nothing_is_asked(tmp_path: Path) -> None:
    places = installed(tmp_path, 1)
    places.system_config.write_text("[web]\nport = 8420\n")
    assert clear_broker(places, Instance()) == ""


def test_a_configuration_with_a_mistake_is_one_sentence(tmp_path: Path) -> None:
    places = installed(tmp_path, 1)
    places.system_config.write_text("[mqtt\n")
    assert "config.toml" in clear_broker(places, Instance())
