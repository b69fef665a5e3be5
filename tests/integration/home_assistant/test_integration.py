"""The integration in a whole Home Assistant, which is started again."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import daemon
from tests.eventually import eventually
from tests.home_assistant.running import COMPONENTS, HomeAssistant, home_assistant

PASSWORD = "correct horse battery"


def states(home: HomeAssistant) -> dict[str, Any]:
    return {each["id"]: each["state"] for each in home.ask("entities", platform="vitcam")}


@pytest.mark.slow("examples/home-assistant", "vitcam/web/routes/predictions.py", "tests/home_assistant")
def test_a_camera_is_there_again_after_a_restart_of_home_assistant(tmp_path: Path) -> None:
    shutil.copytree(COMPONENTS, tmp_path / "home" / "custom_components")
    settings = {"VITCAM_WEB_PASSWORD": PASSWORD, "VITCAM_MQTT_NAME": "kitchen", "XDG_STATE_HOME": str(tmp_path)}
    with daemon("--source", "demo", "--loop", "--host", "0.0.0.0", **settings) as camera:
        with home_assistant(tmp_path / "home") as home:
            given = {"url": camera.url, "verify_ssl": True}
            added = eventually(
                lambda: home.ask("add", integration="vitcam", given=given, password=PASSWORD) == "create_entry",
                every_s=1,
            )
            assert added, home.log()
            before = states(home)
            home.end()
        with home_assistant(tmp_path / "home") as home:
            assert eventually(lambda: states(home).get("switch.kitchen_paused") == "off", every_s=0.5), home.log()
            assert states(home).keys() == before.keys()
            home.ask("call", domain="switch", service="turn_on", given={"entity_id": "switch.kitchen_paused"})
            assert eventually(lambda: states(home)["switch.kitchen_paused"] == "on", every_s=0.5)
            image = home.ask("image", entity="camera.kitchen")
            assert image["type"] == "image/jpeg"
