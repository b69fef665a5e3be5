"""Pauses the camera."""

from typing import Any

from homeassistant.components.switch import SwitchEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .connection import CameraConnection, VitcamEntry
from .entity import VitcamEntity, refusals_told

PARALLEL_UPDATES = 1


async def async_setup_entry(
    hass: HomeAssistant, entry: VitcamEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add it."""
    async_add_entities([Paused(entry.runtime_data)])


class Paused(VitcamEntity, SwitchEntity):
    """On: nothing is classified."""

    _attr_translation_key = "paused"

    def __init__(self, connection: CameraConnection) -> None:
        super().__init__(connection, "pause")

    @property
    def is_on(self) -> bool:
        """Whether it is paused."""
        return self.camera_state.paused

    async def async_turn_on(self, **kwargs: Any) -> None:
        """Pause."""
        await self._pause(True)

    async def async_turn_off(self, **kwargs: Any) -> None:
        """End the pause."""
        await self._pause(False)

    async def _pause(self, paused: bool) -> None:
        with refusals_told():
            await self.connection.client.pause(paused)
