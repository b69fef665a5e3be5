"""A camera is added, followed, and taken away, as a person sees it."""

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import issue_registry as ir
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.certificates import make_certificate
from tests.daemon import Daemon, answer_to
from tests.home_assistant.component.conftest import (
    PASSWORD,
    add_by_hand,
    announced,
    camera,
    port_of,
    states_of,
    until,
)
from vitcam.access.password import PasswordHash, save_password
from vitcam.access.tokens import Scope


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with camera(tmp_path_factory.mktemp("kitchen")) as running:
        yield running


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """One that everybody may use."""
    with camera(tmp_path_factory.mktemp("garden"), password="", VITCAM_MQTT_NAME="garden") as running:
        yield running


async def begin(hass: HomeAssistant, source: str, data: Any = None, entry: Any = None) -> Any:
    """The first step of a dialog. entry: the one that it is about"""
    about = {"entry_id": entry.entry_id} if entry else {}
    return await hass.config_entries.flow.async_init("vitcam", context={"source": source, **about}, data=data)


async def go_on(hass: HomeAssistant, step: Any, **given: Any) -> Any:
    found = await hass.config_entries.flow.async_configure(step["flow_id"], given)
    await hass.async_block_till_done()
    return found


def tokens(running: Daemon) -> list[str]:
    return [each["name"] for each in _asked(running, "GET")["tokens"]]


def _asked(running: Daemon, method: str, path: str = "/api/tokens") -> dict[str, Any]:
    basic = base64.b64encode(f"vitcam:{PASSWORD}".encode()).decode()
    status, answer = answer_to(f"{running.url}{path}", b"", method, {"Authorization": f"Basic {basic}"})
    assert status == 200, answer
    return answer


async def test_a_camera_that_is_found_needs_its_password_and_no_more(hass: HomeAssistant, kitchen: Daemon) -> None:
    told = announced("vitcam_kitchen", await _serial(hass, kitchen), port_of(kitchen))
    step = await begin(hass, "zeroconf", told)
    assert (step["type"], step["step_id"]) == ("form", "password")

    wrong = await go_on(hass, step, password="wrong")
    right = await go_on(hass, wrong, password=PASSWORD)

    assert wrong["errors"] == {"base": "invalid_auth"}
    assert (right["type"], right["title"]) == ("create_entry", "kitchen")
    [entry] = hass.config_entries.async_entries("vitcam")
    assert PASSWORD not in str(entry.as_dict())
    assert [name.split()[:2] for name in tokens(kitchen)] == [["Home", "Assistant"]]
    assert entry.state is ConfigEntryState.LOADED
    assert (await begin(hass, "zeroconf", told))["reason"] == "already_configured"

    await hass.config_entries.async_remove(entry.entry_id)
    assert tokens(kitchen) == []


async def _serial(hass: HomeAssistant, running: Daemon) -> str:
    """As Avahi would tell it."""
    entry = await add_by_hand(hass, running)
    serial = entry.runtime_data.state.serial
    await hass.config_entries.async_remove(entry.entry_id)
    return str(serial)


async def test_a_camera_without_a_password_is_added_by_its_address(hass: HomeAssistant, garden: Daemon) -> None:
    step = await begin(hass, "user")
    for address, error in (("ftp://x", "invalid_url"), ("127.0.0.1:9", "cannot_connect")):
        step = await go_on(hass, step, url=address, verify_ssl=True)
        assert step["errors"] == {"base": error}
    step = await go_on(hass, step, url=f"127.0.0.1:{port_of(garden)}", verify_ssl=True)
    assert (step["type"], step["title"], step["data"]["token"]) == ("create_entry", "garden", "")

    again = await go_on(hass, await begin(hass, "user"), url=garden.url, verify_ssl=True)
    assert again["reason"] == "already_configured"


async def test_a_found_camera_without_a_password_is_only_confirmed(hass: HomeAssistant, garden: Daemon) -> None:
    entry = await add_by_hand(hass, garden, password="")
    serial = entry.runtime_data.state.serial
    await hass.config_entries.async_remove(entry.entry_id)

    step = await begin(hass, "zeroconf", announced("vitcam_garden", serial, port_of(garden), name="garden"))
    assert (step["step_id"], step["description_placeholders"]) == ("confirm", {"name": "garden"})
    assert (await go_on(hass, step))["type"] == "create_entry"


async def test_a_token_that_was_taken_back_is_asked_for_anew(hass: HomeAssistant, kitchen: Daemon) -> None:
    entry = await add_by_hand(hass, kitchen)
    [name] = tokens(kitchen)

    _asked(kitchen, "DELETE", f"/api/tokens/{name.replace(' ', '%20')}")
    [step] = await until(lambda: hass.config_entries.flow.async_progress())
    assert step["context"]["source"] == "reauth"
    assert set(states_of(hass, entry).values()) == {"unavailable"}
    await go_on(hass, step, password=PASSWORD)

    assert entry.state is ConfigEntryState.LOADED
    assert entry.runtime_data.connected
    await hass.config_entries.async_remove(entry.entry_id)


async def test_a_password_that_only_watches_and_one_that_is_guessed_add_nothing(
    hass: HomeAssistant, tmp_path: Path
) -> None:
    state = tmp_path / "vitcam"
    state.mkdir()
    for scope, password in ((Scope.CONTROL, PASSWORD), (Scope.READ, "only to watch")):
        key = hashlib.scrypt(password.encode(), salt=b"salt", n=16, r=1, p=1, dklen=32)
        save_password(state, PasswordHash(b"salt", key, 16, 1, 1), scope)  # a slow one takes long while others work
    with camera(tmp_path, "--host", "0.0.0.0", password="") as shared:
        step = await go_on(hass, await begin(hass, "user"), url=shared.url, verify_ssl=True)
        watching = await go_on(hass, step, password="only to watch")
        guesses: list[str] = []
        while guesses[-1:] != ["too_many_tries"]:
            guesses.append((await go_on(hass, step, password="a guess"))["errors"]["base"])

    assert watching["errors"] == {"base": "read_only"}
    assert set(guesses[:-1]) == {"invalid_auth"}
    assert hass.config_entries.async_entries("vitcam") == []


async def test_a_certificate_that_signs_itself_is_taken_only_where_a_person_says_so(
    hass: HomeAssistant, tmp_path: Path
) -> None:
    certificate, key = (str(path) for path in make_certificate(tmp_path))
    with camera(tmp_path, VITCAM_WEB_CERTIFICATE=certificate, VITCAM_WEB_KEY=key) as secured:
        step = await go_on(hass, await begin(hass, "user"), url=secured.url, verify_ssl=True)
        told = replace(announced("vitcam_kitchen", "1a2b3c4d", port_of(secured), tls="1"), hostname="localhost.")
        found = await begin(hass, "zeroconf", told)
        assert (step["errors"], found["errors"]) == ({"base": "certificate"}, {"base": "certificate"})

        step = await go_on(hass, step, url=secured.url, verify_ssl=False)
        added = await go_on(hass, step, password=PASSWORD)
        assert added["type"] == "create_entry"
        await hass.config_entries.async_remove(added["result"].entry_id)


async def test_a_camera_is_followed_to_its_new_address_by_its_id(hass: HomeAssistant, tmp_path: Path) -> None:
    with camera(tmp_path) as before:
        entry = await add_by_hand(hass, before)
        camera_id, serial = entry.runtime_data.state.id, entry.runtime_data.state.serial
        elsewhere = announced(camera_id, serial, 9)
        assert (await begin(hass, "zeroconf", elsewhere))["reason"] == "already_configured"
        assert entry.data["url"] == f"{before.url}/"  # it is reached: whoever says otherwise is not believed
    await until(lambda: not entry.runtime_data.connected)

    with camera(tmp_path) as after:
        assert after.url != before.url
        clone = await begin(hass, "zeroconf", announced(camera_id, "0badf00d", port_of(after)))
        assert clone["type"] == "form"
        told = await begin(hass, "zeroconf", announced(camera_id, serial, port_of(after)))
        assert told["reason"] == "already_configured"
        await until(lambda: entry.state is ConfigEntryState.LOADED and entry.runtime_data.connected)
        assert entry.data["url"] == f"{after.url}/"
        await hass.config_entries.async_remove(entry.entry_id)


async def test_another_address_must_be_of_the_same_camera(hass: HomeAssistant, kitchen: Daemon, garden: Daemon) -> None:
    entry = await add_by_hand(hass, kitchen)

    other = await go_on(hass, await begin(hass, "reconfigure", entry=entry), url=garden.url, verify_ssl=True)
    same = await go_on(hass, await begin(hass, "reconfigure", entry=entry), url=kitchen.url, verify_ssl=True)

    assert (other["reason"], same["reason"]) == ("another_camera", "reconfigure_successful")
    assert entry.state is ConfigEntryState.LOADED
    await hass.config_entries.async_remove(entry.entry_id)


async def test_a_camera_that_mqtt_has_is_not_added_twice(hass: HomeAssistant, garden: Daemon) -> None:
    broker = MockConfigEntry(domain="mqtt")
    broker.add_to_hass(hass)
    devices = dr.async_get(hass)

    def known_by_mqtt() -> dr.DeviceEntry:
        return devices.async_get_or_create(
            config_entry_id=broker.entry_id, identifiers={("mqtt", "vitcam_garden")}, name="garden"
        )

    device = known_by_mqtt()
    step = await go_on(hass, await begin(hass, "user"), url=garden.url, verify_ssl=True)
    found = await begin(hass, "zeroconf", announced("vitcam_garden", "1a2b3c4d", port_of(garden)))
    assert (step["reason"], found["reason"]) == ("known_by_mqtt", "known_by_mqtt")

    devices.async_remove_device(device.id)
    entry = await add_by_hand(hass, garden, password="")
    issue = ("vitcam", f"known_by_mqtt_{entry.entry_id}")
    assert issue not in ir.async_get(hass).issues
    device = known_by_mqtt()
    await hass.async_block_till_done()
    assert issue in ir.async_get(hass).issues
    devices.async_remove_device(device.id)
    await hass.async_block_till_done()
    assert issue not in ir.async_get(hass).issues
