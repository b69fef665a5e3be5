"""What all entities of a camera have in common."""

from collections.abc import Iterator
from contextlib import contextmanager

from homeassistant.core import callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.device_registry import DeviceInfo
from homeassistant.helpers.entity import Entity

from .client import CameraError
from .connection import CameraConnection
from .const import DOMAIN
from .state import CameraState


class VitcamEntity(Entity):
    """Shows something of a camera, and is told when that changes.

    key  its own, among all of the camera
    """

    _attr_has_entity_name = True
    _attr_should_poll = False
    _needs_sight = False
    """Whether nobody knows it while the camera has no picture."""

    def __init__(self, connection: CameraConnection, key: str) -> None:
        state = connection.state
        self.connection = connection
        self._attr_unique_id = f"{state.unique_id}_{key}"
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, state.unique_id)},
            name=state.name,
            manufacturer="vitcam",
            model="Camera",
            sw_version=state.version,
            serial_number=state.serial,
            configuration_url=str(connection.client.url),
        )

    async def async_added_to_hass(self) -> None:
        """Begin to listen."""
        self.async_on_remove(self.connection.listen(self.async_changed))

    @callback
    def async_changed(self) -> None:
        """Something of the camera has changed, or it went, or came."""
        self.async_write_ha_state()

    @property
    def camera_state(self) -> CameraState:
        """The newest."""
        return self.connection.state

    @property
    def available(self) -> bool:
        """Whether the camera is there, and sees where it must."""
        return self.connection.connected and (self.camera_state.sees or not self._needs_sight)


@contextmanager
def refusals_told() -> Iterator[None]:
    """Tell the person who has asked a camera for something why it does not do that."""
    try:
        yield
    except CameraError as error:
        raise HomeAssistantError(
            translation_domain=DOMAIN, translation_key="refused", translation_placeholders={"reason": str(error)}
        ) from error
