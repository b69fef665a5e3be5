"""A camera in a real Home Assistant, by way of a real mosquitto: it appears, obeys, changes, and goes."""

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import Daemon, answer_to, daemon
from tests.eventually import eventually
from tests.home_assistant.running import HomeAssistant, home_assistant
from tests.mosquitto import Mosquitto, Subscriber
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.withdraw import withdraw

pytestmark = pytest.mark.slow("vitcam/parts/mqtt", "tests/home_assistant", "examples/home-assistant")
BLUEPRINTS = Path(__file__).parents[5] / "examples" / "home-assistant"
TOPIC = "homeassistant/device/vitcam_kitchen/config"
SETTINGS = """
[mqtt]
host = "127.0.0.1"
port = {port}
name = "kitchen"
labels = ["cat"]
[camera]
source = "demo"
[[on]]
label = "cup"
sound = true
"""
DOOR = {"front_door": {"rect": [0, 0, 0.5, 1], "labels": ["cat", "dog"]}}
ZONE = {"vitcam_kitchen_zone_front_door", "vitcam_kitchen_zone_front_door_label_cat"}


@contextmanager
def camera(folder: Path, broker: Mosquitto) -> Iterator[Daemon]:
    config = folder / "vitcam.toml"
    config.write_text(SETTINGS.format(port=broker.port))
    with daemon("--config", str(config), "--loop", XDG_STATE_HOME=str(folder / "state")) as running:
        running.wait_for("ok")
        set_zones(running, DOOR)
        yield running


def set_zones(running: Daemon, zones: dict[str, Any]) -> None:
    """As on the page."""
    status, answer = answer_to(f"{running.url}/api/zones", {"zones": zones, "masks": []}, "PUT")
    assert status == 200, answer


def test_a_camera_appears_obeys_and_goes(tmp_path: Path) -> None:
    home_folder = tmp_path / "home"
    shutil.copytree(BLUEPRINTS, home_folder / "blueprints" / "automation" / "vitcam")
    told = {"path": "vitcam/tell_when_seen.yaml", "input": {"sighting": "event.kitchen_sighting", "certainty": 1}}
    automations = [{"id": "told", "alias": "told", "use_blueprint": told}]
    with (
        Mosquitto(tmp_path / "broker") as broker,
        camera(tmp_path, broker) as running,
        home_assistant(home_folder, automations) as home,
    ):
        assert home.ask("add", integration="mqtt", given={"broker": "127.0.0.1", "port": broker.port}) == "create_entry"
        _appears(home)
        _sees(home)
        _obeys(home, running)
        _is_announced_again(home, broker)
        _changes(home, running)
        _goes(home, running, broker)
        assert "mqtt" not in home.log().lower(), home.log()


def _appears(home: HomeAssistant) -> None:
    found = eventually(lambda: home.entities() if len(home.entities()) > 15 else {}, every_s=0.5)
    names = {
        key.removeprefix("vitcam_kitchen_"): each["attributes"].get("friendly_name") for key, each in found.items()
    }
    temperature = {"temperature": "kitchen Temperature"} if "temperature" in names else {}
    assert names == temperature | {
        "camera": "kitchen",
        "shown": "kitchen Seen",
        "certainty": "kitchen Certainty",
        "event": "kitchen Sighting",
        "presence": "kitchen Something in view",
        "zone_front_door": "kitchen Front door",
        "zone_front_door_label_cat": "kitchen Front door: cat",
        "zone_front_door_label_dog": "kitchen Front door: dog",
        "label_cat": "kitchen Cat",
        "label_dog": "kitchen Dog",
        "label_cup": "kitchen Cup",
        "fps": "kitchen Frame rate",
        "problem": "kitchen Problem",
        "pause": "kitchen Paused",
        "snapshot": "kitchen Take picture",
        "threshold": "kitchen Threshold",
        "model": "kitchen Model",
        "overlay": "kitchen Overlay",
    }
    [device] = home.ask("devices")
    assert (device["name"], device["manufacturer"]) == ("kitchen", "vitcam")


def _sees(home: HomeAssistant) -> None:
    assert eventually(lambda: _state(home, "sensor.kitchen_seen") not in ("unknown", "unavailable"), every_s=0.5)
    assert 0 <= float(_state(home, "sensor.kitchen_certainty")) <= 100
    assert eventually(lambda: float(_state(home, "sensor.kitchen_frame_rate")) > 0, every_s=0.5)
    assert _state(home, "select.kitchen_model") == "everyday"
    assert _state(home, "number.kitchen_threshold") == "50"
    assert _state(home, "switch.kitchen_paused") == "off"
    # the demo shows a cat, a cup and more, one after the other
    assert eventually(lambda: _state(home, "binary_sensor.kitchen_something_in_view") == "on", every_s=0.5)
    assert eventually(lambda: _notified(home), every_s=0.5)
    image = eventually(lambda: _image(home), every_s=0.5)
    assert image.startswith(b"\xff\xd8")


def _notified(home: HomeAssistant) -> bool:
    """Whether the blueprint has acted."""
    return bool(home.ask("states", domain="automation")["automation.told"]["attributes"].get("last_triggered"))


def _image(home: HomeAssistant) -> bytes:
    try:
        return base64.b64decode(home.ask("image", entity="camera.kitchen")["base64"])
    except AssertionError:  # there is none yet
        return b""


def _obeys(home: HomeAssistant, running: Daemon) -> None:
    home.ask("call", domain="switch", service="turn_on", given={"entity_id": "switch.kitchen_paused"})
    assert eventually(lambda: _state(home, "switch.kitchen_paused") == "on", every_s=0.5)
    home.ask("call", domain="switch", service="turn_off", given={"entity_id": "switch.kitchen_paused"})
    assert eventually(lambda: _state(home, "switch.kitchen_paused") == "off", every_s=0.5)
    home.ask("call", domain="number", service="set_value", given={"entity_id": "number.kitchen_threshold", "value": 42})
    assert eventually(lambda: _state(home, "number.kitchen_threshold") == "42", every_s=0.5)
    home.ask(
        "call",
        domain="select",
        service="select_option",
        given={"entity_id": "select.kitchen_overlay", "option": "heat"},
    )
    assert eventually(lambda: _state(home, "select.kitchen_overlay") == "heat", every_s=0.5)
    home.ask("call", domain="button", service="press", given={"entity_id": "button.kitchen_take_picture"})
    home.ask(
        "call",
        domain="select",
        service="select_option",
        given={"entity_id": "select.kitchen_model", "option": "cifar10"},
    )
    assert eventually(lambda: _state(home, "select.kitchen_model") == "cifar10", every_s=0.5)
    assert running.wait_for("ok")["model"] == "cifar10"


def _is_announced_again(home: HomeAssistant, broker: Mosquitto) -> None:
    """Home Assistant comes up: the message is sent once more."""
    with Subscriber(broker, TOPIC) as subscriber:
        before = eventually(lambda: subscriber.of(TOPIC))
        subscriber.send("homeassistant/status", "online")
        assert eventually(lambda: len(subscriber.of(TOPIC)) > 1)
        assert subscriber.of(TOPIC)[-1] == before[0]
    assert home.entities()


def _changes(home: HomeAssistant, running: Daemon) -> None:
    assert set(home.entities()) > ZONE
    set_zones(running, {})
    assert eventually(lambda: not ZONE & set(home.entities()), every_s=0.5)
    assert "vitcam_kitchen_label_cat" in home.entities()  # mqtt.labels asks for it
    assert "vitcam_kitchen_label_dog" not in home.entities()


def _goes(home: HomeAssistant, running: Daemon, broker: Mosquitto) -> None:
    running.process.kill()
    assert eventually(lambda: _state(home, "sensor.kitchen_seen") == "unavailable", every_s=0.5)
    settings = MqttSettings(host="127.0.0.1", port=broker.port, name="kitchen")
    assert withdraw(settings, [TOPIC]) == ""
    assert eventually(lambda: not home.entities(), every_s=0.5)
    assert home.ask("devices") == []


def _state(home: HomeAssistant, entity: str) -> Any:
    found = {each["id"]: each["state"] for each in home.entities().values()}
    return found[entity]
