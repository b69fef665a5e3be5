"""What is there, and how sure the camera is of it."""

from homeassistant.components.sensor import SensorEntity, SensorStateClass
from homeassistant.const import MAX_LENGTH_STATE_STATE, PERCENTAGE
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .connection import CameraConnection, VitcamEntry
from .entity import VitcamEntity

PARALLEL_UPDATES = 0
_NOTHING = "nothing"


async def async_setup_entry(
    hass: HomeAssistant, entry: VitcamEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add both."""
    async_add_entities([Seen(entry.runtime_data), Certainty(entry.runtime_data)])


class Seen(VitcamEntity, SensorEntity):
    """What people say for what is displayed."""

    _attr_translation_key = "seen"
    _needs_sight = True

    def __init__(self, connection: CameraConnection) -> None:
        super().__init__(connection, "shown")

    @property
    def native_value(self) -> str:
        """Such as `cat`, or `nothing`."""
        shown = self.camera_state.shown or {}
        return str(shown.get("kind") or shown.get("label") or _NOTHING)[:MAX_LENGTH_STATE_STATE]


class Certainty(VitcamEntity, SensorEntity):
    """Its probability, in %."""

    _attr_translation_key = "certainty"
    _attr_native_unit_of_measurement = PERCENTAGE
    _attr_state_class = SensorStateClass.MEASUREMENT
    _attr_suggested_display_precision = 0
    _needs_sight = True

    def __init__(self, connection: CameraConnection) -> None:
        super().__init__(connection, "certainty")

    @property
    def native_value(self) -> int:
        """0 where nothing is displayed."""
        shown = self.camera_state.shown
        return round(100 * shown["p"]) if shown and shown["label"] else 0
