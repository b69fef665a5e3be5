"""What the camera tells of: something is seen, something that it does not know, or a problem."""

from collections.abc import Mapping
from typing import Any

from homeassistant.components.event import EventEntity
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .connection import CameraConnection, VitcamEntry
from .entity import VitcamEntity

PARALLEL_UPDATES = 0
_SURER = 0.1


async def async_setup_entry(
    hass: HomeAssistant, entry: VitcamEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add it."""
    async_add_entities([Sighting(entry.runtime_data)])


class Sighting(VitcamEntity, EventEntity):
    """Told once for each thing, and again where its name changes, or the camera becomes surer of it."""

    _attr_translation_key = "sighting"
    _attr_event_types = ["seen", "unknown", "problem"]  # noqa: RUF012 - as Home Assistant types it

    def __init__(self, connection: CameraConnection) -> None:
        super().__init__(connection, "event")
        self._told: dict[str, Any] = {}

    async def async_added_to_hass(self) -> None:
        """Begin to listen."""
        await super().async_added_to_hass()
        self.async_on_remove(self.connection.listen_to_events(self._hear))

    @callback
    def _hear(self, event: Mapping[str, Any]) -> None:
        told = _attributes(event)
        if event["kind"] in self.event_types and (event["phase"] == "new" or self._says_more(told)):
            self._told = told
            self._trigger_event(event["kind"], told)
            self.async_write_ha_state()

    def _says_more(self, told: Mapping[str, Any]) -> bool:
        """Whether it is more than what was told last; an event that was missed, or is over, is not told."""
        if told["id"] != self._told.get("id") or told["phase"] == "end":
            return False
        renamed = told["name"] != self._told["name"]
        surer: bool = told["probability"] >= self._told["probability"] + _SURER
        return renamed or surer


def _attributes(event: Mapping[str, Any]) -> dict[str, Any]:
    """What automations need of an event, flat.

    label  the finest name that is likely; name: what people say for it
    box    x, y, width and height in fractions of the picture
    """
    shown, group, box = event["shown"], event["group"], event["box"]
    return {
        "id": event["id"],
        "phase": event["phase"],
        "label": shown["label"] or event["label"],
        "name": shown["kind"] or shown["label"] or event["label"],
        "group": group and group["label"],
        "probability": round(float(shown["p"]), 3),
        "zone": event["zone"],
        "box": [float(side) for side in box.split(",")] if box else None,
        "detail": shown.get("detail"),
        "start": event["start"],
        "end": event["end"],
    }
