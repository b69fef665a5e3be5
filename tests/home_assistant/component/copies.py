"""Cameras that give the answers of a real one, each with an id of its own."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from homeassistant.core import HomeAssistant
from pytest_homeassistant_custom_component.common import MockConfigEntry

from tests.daemon import Daemon, first_message, get_json


class Copies:
    """Servers that answer as a camera did. They have neither pictures nor settings.

    state   the data of its first message
    models  those that it has
    """

    def __init__(self, state: dict[str, Any], models: list[str]) -> None:
        self._state = state
        self._models = models
        self.said: list[bytes] = []
        """What each sends next, in place of a heartbeat."""
        self.events: list[dict[str, Any]] = []
        self.asked: list[str] = []
        """Paths of all requests."""

    @classmethod
    def of(cls, real: Daemon) -> "Copies":
        """Those of a camera that everybody may use."""
        return cls(first_message(real.url), get_json(f"{real.url}/api/models")["models"])

    def state_of(self, number: int) -> dict[str, Any]:
        return {**self._state, "camera": {"id": f"vitcam_{number}", "serial": "1a2b3c4d", "name": f"camera {number}"}}

    @asynccontextmanager
    async def serving(self, count: int) -> AsyncIterator[list[int]]:
        """The port of each."""
        runners, ports = [], []
        for number in range(count):
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
            await asyncio.sleep(0.1 if self.said else 2)
            await response.write(self.said.pop(0) if self.said else b":\n\n")

    async def _list_models(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        return web.json_response({"models": self._models})

    async def _list_events(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        return web.json_response({"events": self.events, "next": None})


def entry_of(hass: HomeAssistant, number: int, port: int, token: str = "") -> MockConfigEntry:
    """The entry of the copy with this number, which is not set up yet."""
    data = {"url": f"http://127.0.0.1:{port}/", "verify_ssl": True, "token": token}
    entry = MockConfigEntry(domain="vitcam", title=f"{number}", unique_id=f"vitcam_{number}_1a2b3c4d", data=data)
    entry.add_to_hass(hass)
    return entry
