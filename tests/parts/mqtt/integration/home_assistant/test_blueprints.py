"""The blueprints are read by Home Assistant's own schema, and automations can be made of them."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.home_assistant.running import home_assistant

BLUEPRINTS = Path(__file__).parents[5] / "examples" / "home-assistant"
NEEDED: dict[str, dict[str, Any]] = {
    "tell_when_seen": {"sighting": "event.kitchen_sighting"},
    "light_while_present": {
        "presence": "binary_sensor.kitchen_front_door",
        "lights": {"entity_id": "light.kitchen"},
    },
}


@pytest.mark.slow("examples/home-assistant", "tests/home_assistant")
def test_each_blueprint_makes_an_automation_with_the_least_that_is_asked(tmp_path: Path) -> None:
    shutil.copytree(BLUEPRINTS, tmp_path / "home" / "blueprints" / "automation" / "vitcam")
    with home_assistant(tmp_path / "home") as home:
        assert {file.stem for file in BLUEPRINTS.glob("*.yaml")} == set(NEEDED)
        for name, inputs in NEEDED.items():
            found = home.ask("blueprint", file=str(BLUEPRINTS / f"{name}.yaml"), inputs=inputs)
            assert (found["name"].split(" - ")[0], found["problem"]) == ("vitcam", None)
            assert set(inputs) <= set(found["inputs"])
            with pytest.raises(AssertionError, match="MissingInput"):  # so it is checked
                home.ask("blueprint", file=str(BLUEPRINTS / f"{name}.yaml"), inputs={})
