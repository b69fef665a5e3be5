"""What is no camera, another one, or does not do what it is asked for."""

import json
from collections.abc import Iterator

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from custom_components.vitcam import async_remove_config_entry_device
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers import device_registry as dr
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from tests.home_assistant.component.conftest import announced, camera, states_of, until
from tests.home_assistant.component.copies import Copies, entry_of

EVENT = {"id": "e1", "frame": True, "phase": "new", "start": "2026-01-01T00:00:00Z", "end": None}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copies]:
    """What a real camera has said."""
    with camera(tmp_path_factory.mktemp("real"), password="") as running:
        yield Copies.of(running)


@pytest.fixture
def copies(real: Copies) -> Copies:
    return Copies(real.state_of(0), ["everyday"])


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (200, "event: prediction\ndata: {}\n\n", "too_old"),
        (200, "<!doctype html>", "cannot_connect"),
        (200, "event: state\ndata: {}\n\n", "cannot_connect"),
        (200, "event: state\ndata: {\n\n", "cannot_connect"),
        (404, "404: Not Found", "cannot_connect"),
        (503, '{"error": "It ends."}', "cannot_connect"),
    ],
)
async def test_what_is_no_camera_is_not_added(hass: HomeAssistant, status: int, body: str, error: str) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text=body)

    app = web.Application()
    app.router.add_get("/api/predictions", answer)
    async with TestServer(app) as server:
        step = await hass.config_entries.flow.async_init("vitcam", context={"source": "user"})
        given = {"url": str(server.make_url("/")), "verify_ssl": True}
        step = await hass.config_entries.flow.async_configure(step["flow_id"], given)
    assert step["errors"] == {"base": error}


async def test_another_camera_at_the_address_is_not_taken_for_this_one(hass: HomeAssistant, copies: Copies) -> None:
    async with copies.serving(1) as [port]:
        other = entry_of(hass, 7, port)
        await hass.config_entries.async_setup(other.entry_id)
        assert other.state is ConfigEntryState.SETUP_RETRY
        assert str(port) in (other.reason or "")

        entry = entry_of(hass, 0, port)
        assert await hass.config_entries.async_setup(entry.entry_id)
        for said in (json.dumps(copies.state_of(7)), "[]"):
            copies.said.append(f"event: state\ndata: {said}\n\n".encode())
            await until(lambda: set(states_of(hass, entry).values()) == {"unavailable"})
            await until(lambda: states_of(hass, entry)["switch.camera_0_paused"] == "off")
        await hass.config_entries.async_unload(entry.entry_id)


async def test_a_message_that_nobody_understands_is_logged_and_does_not_end_it(
    hass: HomeAssistant, copies: Copies, caplog: pytest.LogCaptureFixture
) -> None:
    async with copies.serving(1) as [port]:
        entry = entry_of(hass, 0, port)
        assert await hass.config_entries.async_setup(entry.entry_id)
        copies.said.append(b"event: event\ndata: {}\n\n")
        await until(lambda: "what came could not be handled" in caplog.text)
        await until(lambda: entry.runtime_data.connected)
        await hass.config_entries.async_unload(entry.entry_id)


async def test_a_camera_that_has_no_picture_is_asked_again_by_who_looks(
    hass: HomeAssistant, copies: Copies, hass_client: ClientSessionGenerator
) -> None:
    copies.events = [EVENT]
    async with copies.serving(1) as [port]:
        entry = entry_of(hass, 0, port)
        assert await hass.config_entries.async_setup(entry.entry_id)
        client = await hass_client()
        for path, status in (
            ("camera_proxy/camera.camera_0", 500),
            ("camera_proxy_stream/camera.camera_0", 502),
            ("image_proxy/image.camera_0_last_event", 500),
        ):
            async with client.get(f"/api/{path}") as answer:
                assert answer.status == status, path
        assert entry.runtime_data.connected
        await hass.config_entries.async_unload(entry.entry_id)


async def test_a_camera_that_is_away_can_be_removed_and_its_device_not_alone(
    hass: HomeAssistant, copies: Copies
) -> None:
    async with copies.serving(1) as [port]:
        entry = entry_of(hass, 0, port, token="vitcam_x")
        assert await hass.config_entries.async_setup(entry.entry_id)
        devices = dr.async_get(hass)
        own = devices.async_get_device({("vitcam", str(entry.unique_id))})
        old = devices.async_get_or_create(config_entry_id=entry.entry_id, identifiers={("vitcam", "gone")})
        assert own is not None
        assert not await async_remove_config_entry_device(hass, entry, own)
        assert await async_remove_config_entry_device(hass, entry, old)
    await hass.config_entries.async_remove(entry.entry_id)
    assert hass.config_entries.async_entries("vitcam") == []


async def test_a_token_that_is_refused_at_the_start_is_asked_for_anew(hass: HomeAssistant) -> None:
    async def refuse(_: web.Request) -> web.Response:
        return web.json_response({"error": "Log in."}, status=401)

    app = web.Application()
    app.router.add_get("/api/predictions", refuse)
    async with TestServer(app) as server:
        entry = entry_of(hass, 0, server.port or 0, token="vitcam_x")
        await hass.config_entries.async_setup(entry.entry_id)
    assert entry.state is ConfigEntryState.SETUP_ERROR
    assert [flow["context"]["source"] for flow in hass.config_entries.flow.async_progress()] == ["reauth"]


async def test_an_announcement_without_a_serial_is_not_shown(hass: HomeAssistant) -> None:
    found = await hass.config_entries.flow.async_init(
        "vitcam", context={"source": "zeroconf"}, data=announced("vitcam_kitchen", "", 9)
    )
    assert found["reason"] == "not_reachable"
