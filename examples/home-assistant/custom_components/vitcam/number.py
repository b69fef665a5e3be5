"""From which probability on an event begins."""

from homeassistant.components.number import NumberEntity, NumberMode
from homeassistant.const import PERCENTAGE, EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .connection import CameraConnection, VitcamEntry
from .entity import VitcamEntity, refusals_told

PARALLEL_UPDATES = 1


async def async_setup_entry(
    hass: HomeAssistant, entry: VitcamEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add it, unless the camera's configuration fixes it."""
    if "threshold" in entry.runtime_data.state.settable:
        async_add_entities([Threshold(entry.runtime_data)])


class Threshold(VitcamEntity, NumberEntity):
    """In %."""

    _attr_translation_key = "threshold"
    _attr_entity_category = EntityCategory.CONFIG
    _attr_native_unit_of_measurement = PERCENTAGE
    _attr_native_min_value = 0
    _attr_native_max_value = 100
    _attr_native_step = 1
    _attr_mode = NumberMode.SLIDER

    def __init__(self, connection: CameraConnection) -> None:
        super().__init__(connection, "threshold")

    @property
    def native_value(self) -> float:
        """The one in force."""
        return round(100 * self.camera_state.threshold)

    async def async_set_native_value(self, value: float) -> None:
        """Use another one from the next frame on."""
        with refusals_told():
            await self.connection.client.set_threshold(value / 100)
