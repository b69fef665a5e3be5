"""What a camera that was added shows, does, and leaves behind."""

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from custom_components.vitcam.diagnostics import async_get_config_entry_diagnostics
from homeassistant.components.camera import async_get_image
from homeassistant.components.diagnostics import REDACTED
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import issue_registry as ir
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from tests.daemon import Daemon, answer_to
from tests.home_assistant.component.conftest import LIMIT_S, add_by_hand, camera, port_of, states_of, until

ZONES = {"zones": {"front_door": {"rect": [0, 0, 0.5, 1], "labels": ["cat", "dog"]}}, "masks": []}


@pytest.fixture
def kitchen(tmp_path: Path) -> Iterator[Daemon]:
    with camera(tmp_path, password="") as running:
        yield running


async def do(hass: HomeAssistant, action: str, entity: str, **given: object) -> None:
    domain, _, name = action.partition(".")
    await hass.services.async_call(domain, name, {"entity_id": entity, **given}, blocking=True)


async def test_everything_appears_changes_and_obeys(
    hass: HomeAssistant, kitchen: Daemon, hass_client: ClientSessionGenerator
) -> None:
    entry = await add_by_hand(hass, kitchen, password="")
    assert set(states_of(hass, entry)) == {
        "binary_sensor.kitchen_problem",
        "binary_sensor.kitchen_something_in_view",
        "camera.kitchen",
        "event.kitchen_sighting",
        "image.kitchen_last_event",
        "number.kitchen_threshold",
        "select.kitchen_model",
        "sensor.kitchen_certainty",
        "sensor.kitchen_seen",
        "switch.kitchen_paused",
    }

    def state(entity: str) -> str:
        return states_of(hass, entry).get(entity, "")

    # what it sees, by push
    await until(lambda: state("binary_sensor.kitchen_something_in_view") == "on")
    await until(lambda: state("sensor.kitchen_seen") not in ("nothing", "unavailable"))
    await until(lambda: state("event.kitchen_sighting") != "unknown")
    told = hass.states.get("event.kitchen_sighting")
    assert told is not None
    assert told.attributes["event_type"] == "seen"
    assert {"label", "name", "group", "probability", "zone", "box", "detail"} <= set(told.attributes)

    # zones and labels come and go
    assert answer_to(f"{kitchen.url}/api/zones", ZONES, "PUT")[0] == 200
    await until(lambda: "binary_sensor.kitchen_front_door_cat" in states_of(hass, entry))
    assert answer_to(f"{kitchen.url}/api/zones", {"zones": {}, "masks": []}, "PUT")[0] == 200
    await until(lambda: "binary_sensor.kitchen_front_door_cat" not in states_of(hass, entry))

    # commands
    await do(hass, "switch.turn_on", "switch.kitchen_paused")
    await until(lambda: state("switch.kitchen_paused") == "on")
    await do(hass, "switch.turn_off", "switch.kitchen_paused")
    await until(lambda: state("switch.kitchen_paused") == "off")
    await do(hass, "number.set_value", "number.kitchen_threshold", value=31)
    await until(lambda: state("number.kitchen_threshold") == "31")
    await do(hass, "select.select_option", "select.kitchen_model", option="cifar10")
    await until(lambda: state("select.kitchen_model") == "cifar10")

    # pictures
    assert (await async_get_image(hass, "camera.kitchen", timeout=20)).content.startswith(b"\xff\xd8")
    client = await hass_client()
    await until(lambda: state("image.kitchen_last_event") != "unknown")
    async with client.get("/api/image_proxy/image.kitchen_last_event") as answer:
        assert (await answer.read()).startswith(b"\xff\xd8")
    assert kitchen.state()["clients"]["stream"] == 0  # nobody looks
    async with client.get("/api/camera_proxy_stream/camera.kitchen") as moving:
        assert b"\xff\xd8" in await moving.content.readuntil(b"\xff\xd9")
        assert kitchen.state()["clients"]["stream"] == 1
    await until(lambda: kitchen.state()["clients"]["stream"] == 0)
    assert kitchen.state()["clients"]["predictions"] == 1

    # what a person may attach to a report
    found = await async_get_config_entry_diagnostics(hass, entry)
    assert found["entry"]["url"] == REDACTED
    assert kitchen.url not in str(found)
    assert entry.runtime_data.state.serial not in str(found)


async def test_what_the_configuration_fixes_is_not_offered(hass: HomeAssistant, tmp_path: Path) -> None:
    with camera(tmp_path, "--model", "everyday", password="", VITCAM_EVENTS_ENTER="0.5") as fixed:
        entry = await add_by_hand(hass, fixed, password="")

        assert not {"select.kitchen_model", "number.kitchen_threshold"} & set(states_of(hass, entry))


async def test_a_command_that_the_camera_refuses_says_why(hass: HomeAssistant, kitchen: Daemon) -> None:
    entry = await add_by_hand(hass, kitchen, password="")
    model = entry.runtime_data.models[0]
    entry.runtime_data.models = (model, "gone")  # it was deleted meanwhile

    with pytest.raises(HomeAssistantError, match=r"The camera does not do it: .*gone"):
        await do(hass, "select.select_option", "select.kitchen_model", option="gone")


async def test_a_camera_that_ends_is_away_at_once_and_back_soon(hass: HomeAssistant, tmp_path: Path) -> None:
    with camera(tmp_path, password="") as first:
        entry = await add_by_hand(hass, first, password="")
        first.end(signal.SIGKILL)
        await until(lambda: set(states_of(hass, entry).values()) == {"unavailable"}, LIMIT_S)
    with camera(tmp_path, password="", port=port_of(first)):
        await until(lambda: states_of(hass, entry)["switch.kitchen_paused"] == "off", LIMIT_S)


async def test_a_camera_that_falls_silent_is_away_soon_and_back_soon(hass: HomeAssistant, kitchen: Daemon) -> None:
    entry = await add_by_hand(hass, kitchen, password="")

    kitchen.process.send_signal(signal.SIGSTOP)  # as where its network is gone: connections stay, and nothing comes
    await until(lambda: set(states_of(hass, entry).values()) == {"unavailable"}, LIMIT_S)
    kitchen.process.send_signal(signal.SIGCONT)
    await until(lambda: states_of(hass, entry)["switch.kitchen_paused"] == "off", LIMIT_S)


async def test_a_camera_that_is_away_at_the_start_is_tried_again(hass: HomeAssistant, kitchen: Daemon) -> None:
    entry = await add_by_hand(hass, kitchen, password="")
    await hass.config_entries.async_unload(entry.entry_id)
    kitchen.process.send_signal(signal.SIGSTOP)
    await hass.config_entries.async_setup(entry.entry_id)
    assert entry.state is ConfigEntryState.SETUP_RETRY

    kitchen.process.send_signal(signal.SIGCONT)
    await hass.config_entries.async_reload(entry.entry_id)
    assert entry.state is ConfigEntryState.LOADED


async def test_unloading_leaves_no_task_and_no_connection(hass: HomeAssistant, kitchen: Daemon) -> None:
    before = asyncio.all_tasks()
    entry = await add_by_hand(hass, kitchen, password="")
    assert kitchen.state()["clients"]["predictions"] == 1

    assert await hass.config_entries.async_unload(entry.entry_id)
    await hass.async_block_till_done()

    assert [task for task in asyncio.all_tasks() - before if "vitcam" in repr(task)] == []
    await until(lambda: kitchen.state()["clients"]["predictions"] == 0)
    assert set(states_of(hass, entry).values()) == {"unavailable"}


async def test_what_a_person_has_to_mend_is_an_issue_while_it_lasts(hass: HomeAssistant, kitchen: Daemon) -> None:
    entry = await add_by_hand(hass, kitchen, password="")
    connection = entry.runtime_data
    issues = ir.async_get(hass).issues
    moved, disk = ("vitcam", f"camera_moved_{entry.entry_id}"), ("vitcam", f"disk_{entry.entry_id}")
    well = connection.state.record
    problem = {"kind": "problem", "label": "camera moved"}

    for record, shown in (
        ({**well, "present": [problem], "problem": "The camera was moved.", "disk": "The disk is full."}, True),
        (well, False),
    ):
        await connection._take(type(connection.state).of(record))
        assert ((moved in issues), (disk in issues)) == (shown, shown)

    await connection._take(type(connection.state).of({**well, "disk": "The disk is full."}))
    await hass.config_entries.async_unload(entry.entry_id)
    assert disk not in issues


async def test_the_device_follows_the_version_of_the_camera(hass: HomeAssistant, kitchen: Daemon) -> None:
    entry = await add_by_hand(hass, kitchen, password="")
    connection = entry.runtime_data
    await connection._take(type(connection.state).of({**connection.state.record, "version": "9.9"}))

    device = dr.async_get(hass).async_get_device({("vitcam", entry.unique_id)})
    assert device is not None
    assert (device.manufacturer, device.sw_version) == ("vitcam", "9.9")
