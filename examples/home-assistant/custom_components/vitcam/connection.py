"""The one connection to a camera: everything that its entities show comes over it."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any, TypeAlias

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr

from .client import AccessError, CameraClient, CameraError, CannotConnectError, parsed
from .const import AGAIN_S, DOMAIN
from .messages import Message
from .state import CameraState

VitcamEntry: TypeAlias = "ConfigEntry[CameraConnection]"
EventListener: TypeAlias = Callable[[Mapping[str, Any]], None]

log = logging.getLogger(__name__)


class CameraConnection:
    """Holds the newest state, and tells its listeners when that has changed.

    first  the state at the start
    """

    def __init__(self, hass: HomeAssistant, entry: VitcamEntry, client: CameraClient, first: CameraState) -> None:
        self.client = client
        self.state = first
        self.connected = True
        self.models: tuple[str, ...] = ()
        self.last_event: Mapping[str, Any] | None = None
        """The newest one that has a picture."""
        self._hass = hass
        self._entry = entry
        self._listeners: list[CALLBACK_TYPE] = []
        self._event_listeners: list[EventListener] = []
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Ask what the messages do not bring, and begin to listen. Raises CameraError."""
        self.models = await self.client.models()
        self.last_event = await self.client.newest_event()
        self._task = self._entry.async_create_background_task(self._hass, self._run(), f"vitcam {self.client.url.host}")

    async def stop(self) -> None:
        """End the connection, and wait for its end."""
        if self._task:
            self._task.cancel()
            await asyncio.wait([self._task])

    @callback
    def listen(self, changed: CALLBACK_TYPE) -> CALLBACK_TYPE:
        """Call `changed` after each change; returns what ends that."""
        self._listeners.append(changed)
        return lambda: self._listeners.remove(changed)

    @callback
    def listen_to_events(self, heard: EventListener) -> CALLBACK_TYPE:
        """Call `heard` with each event; returns what ends that."""
        self._event_listeners.append(heard)
        return lambda: self._event_listeners.remove(heard)

    async def _run(self) -> None:
        first_s, later_s = AGAIN_S
        wait_s = first_s
        while True:
            try:
                async with aclosing(self.client.messages()) as messages:
                    async for message in messages:
                        await self._handle(message)
                        wait_s = first_s
            except AccessError:
                self._lose("it does not accept the token any more")
                self._entry.async_start_reauth(self._hass)
                return
            except CameraError as error:
                self._lose(str(error))
            except Exception:
                log.exception("%s: what came could not be handled", self._entry.title)
                self._lose("what it sends is not understood")
            await asyncio.sleep(wait_s)
            wait_s = later_s

    async def _handle(self, message: Message) -> None:
        if message.kind == "state":
            await self._take(parsed(message))
        elif message.kind == "event" and self.connected:
            self._hear(message.data)

    async def _take(self, state: CameraState) -> None:
        if state.unique_id != self._entry.unique_id:
            raise CannotConnectError(f"another camera is at {self.client.url}: {state.name}")
        before, was_away, self.state, self.connected = self.state, not self.connected, state, True
        if was_away:
            log.info("%s is there again", self._entry.title)
        if was_away or state.model not in self.models:
            self.models = await self.client.models()
        if state.settable != before.settable:  # there are other entities now
            self._hass.config_entries.async_schedule_reload(self._entry.entry_id)
        if state.version != before.version:
            self._note_version(state)
        self._tell()

    def _note_version(self, state: CameraState) -> None:
        registry = dr.async_get(self._hass)
        if device := registry.async_get_device({(DOMAIN, state.unique_id)}):
            registry.async_update_device(device.id, sw_version=state.version)

    def _hear(self, event: Mapping[str, Any]) -> None:
        known = self.last_event is not None and self.last_event["id"] == event["id"]
        if event["frame"] and (not known or event["phase"] == "end"):
            self.last_event = event
            self._tell()
        for heard in [*self._event_listeners]:
            heard(event)

    def _lose(self, why: str) -> None:
        if self.connected:
            log.info("%s is not reached: %s", self._entry.title, why)
            self.connected = False
            self._tell()

    def _tell(self) -> None:
        for changed in [*self._listeners]:
            changed()
