"""Twenty cameras. One of them is real; the others give its answers, each with an id of its own."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, web
from custom_components.vitcam.client import CameraClient, url_of
from homeassistant.core import HomeAssistant
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.home_assistant.component.conftest import LIMIT_S, camera, states_of, until

COUNT = 20


class Copies:
    """Servers that answer as a camera did.

    state  the data of its first message
    """

    def __init__(self, state: dict[str, Any], models: tuple[str, ...]) -> None:
        self._state = state
        self._models = models
        self.asked: list[str] = []
        """Paths of all requests."""

    def state_of(self, number: int) -> dict[str, Any]:
        return {**self._state, "camera": {"id": f"vitcam_{number}", "serial": "1a2b3c4d", "name": f"camera {number}"}}

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[list[int]]:
        """The port of each."""
        runners, ports = [], []
        for number in range(COUNT):
            app = web.Application()
            app["number"] = number
            app.router.add_get("/api/predictions", self._follow)
            app.router.add_get("/api/models", self._list_models)
            app.router.add_get("/api/events", self._list_events)
            runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            runners.append(runner)
            ports.append(runner.addresses[0][1])
        try:
            yield ports
        finally:
            for runner in runners:
                await runner.cleanup()

    async def _follow(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        state = json.dumps(self.state_of(request.app["number"]))
        await response.write(f":\n\nretry: 1000\nevent: state\ndata: {state}\n\n".encode())
        while True:
            await asyncio.sleep(2)
            await response.write(b":\n\n")

    async def _list_models(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        return web.json_response({"models": self._models})

    async def _list_events(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        return web.json_response({"events": [], "next": None})


async def test_each_of_twenty_cameras_has_one_connection_and_is_asked_for_nothing_else(
    hass: HomeAssistant, tmp_path: Path
) -> None:
    with camera(tmp_path, password="") as real:
        async with ClientSession() as session:
            client = CameraClient(session, url_of(real.url))
            copies = Copies(dict((await client.first_state()).record), await client.models())
    async with copies.serving() as ports:
        entries = []
        for number, port in enumerate(ports):
            data = {"url": f"http://127.0.0.1:{port}/", "verify_ssl": True, "token": ""}
            entry = MockConfigEntry(
                domain="vitcam", title=f"{number}", unique_id=f"vitcam_{number}_1a2b3c4d", data=data
            )
            entry.add_to_hass(hass)
            entries.append(entry)
        await asyncio.gather(*(hass.config_entries.async_setup(entry.entry_id) for entry in entries))
        await hass.async_block_till_done()
        assert all(len(states_of(hass, entry)) == 10 for entry in entries)

        asked = len(copies.asked)
        await asyncio.sleep(LIMIT_S)  # nothing is to happen
        assert len(copies.asked) == asked
        assert all(entry.runtime_data.connected for entry in entries)
    await until(lambda: not any(entry.runtime_data.connected for entry in entries), LIMIT_S)
    await asyncio.gather(*(hass.config_entries.async_unload(entry.entry_id) for entry in entries))
