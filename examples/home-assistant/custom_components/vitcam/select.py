"""Which model answers."""

from homeassistant.components.select import SelectEntity
from homeassistant.const import EntityCategory
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .connection import CameraConnection, VitcamEntry
from .const import MODEL_S
from .entity import VitcamEntity, refusals_told

PARALLEL_UPDATES = 1


async def async_setup_entry(
    hass: HomeAssistant, entry: VitcamEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add it, unless the camera's configuration names the model."""
    if "model" in entry.runtime_data.state.settable:
        async_add_entities([Model(entry.runtime_data)])


class Model(VitcamEntity, SelectEntity):
    """One of those that are installed on the camera."""

    _attr_translation_key = "model"
    _attr_entity_category = EntityCategory.CONFIG

    def __init__(self, connection: CameraConnection) -> None:
        super().__init__(connection, "model")

    @property
    def options(self) -> list[str]:
        """All of them, with the one in use, which may be a file."""
        return [*dict.fromkeys((self.camera_state.model, *self.connection.models))]

    @property
    def current_option(self) -> str:
        """The one in use."""
        return self.camera_state.model

    async def async_select_option(self, option: str) -> None:
        """Use another one from the next frame on."""
        with refusals_told():
            await self.connection.client.use_model(option, MODEL_S)
