"""The picture of the last event. It is fetched when somebody looks at it."""

from datetime import datetime

from homeassistant.components.image import ImageEntity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util import dt as dt_util

from .client import CameraError
from .connection import CameraConnection, VitcamEntry
from .entity import VitcamEntity

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: VitcamEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add it."""
    async_add_entities([LastEvent(hass, entry.runtime_data)])


class LastEvent(VitcamEntity, ImageEntity):
    """The best picture of the newest event that has one."""

    _attr_translation_key = "last_event"

    def __init__(self, hass: HomeAssistant, connection: CameraConnection) -> None:
        ImageEntity.__init__(self, hass)
        VitcamEntity.__init__(self, connection, "last_event")

    @property
    def image_last_updated(self) -> datetime | None:
        """When the event began, and then when it ended: a picture of it may have become better till then."""
        event = self.connection.last_event
        return None if event is None else dt_util.parse_datetime(event["end"] or event["start"])

    async def async_image(self) -> bytes | None:
        """The JPEG; None where there is none."""
        event = self.connection.last_event
        if event is None:
            return None
        try:
            return await self.connection.client.picture_of(event["id"])
        except CameraError:
            return None
