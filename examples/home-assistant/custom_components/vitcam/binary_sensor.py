"""Whether something is there, and whether the camera has a problem."""

from typing import Any

from homeassistant.components.binary_sensor import BinarySensorDeviceClass, BinarySensorEntity
from homeassistant.const import EntityCategory, Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .connection import CameraConnection, VitcamEntry
from .const import DOMAIN
from .entity import VitcamEntity
from .state import Watched

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant, entry: VitcamEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add them, and later those of zones and labels that come."""
    connection, known = entry.runtime_data, set[str]()
    async_add_entities([Problem(connection)])

    @callback
    def add_and_remove() -> None:
        watched = {each.key: each for each in connection.state.watched}
        new, gone = watched.keys() - known, known - watched.keys()
        known.symmetric_difference_update(new | gone)
        async_add_entities(Presence(connection, watched[key]) for key in watched if key in new)
        _remove(hass, connection, gone)

    _remove(
        hass, connection, _registered(hass, entry) - {each.key for each in connection.state.watched} - {Problem.KEY}
    )
    add_and_remove()
    entry.async_on_unload(connection.listen(add_and_remove))


def _registered(hass: HomeAssistant, entry: VitcamEntry) -> set[str]:
    """The keys of those that an earlier run has added."""
    own = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
    prefix = f"{entry.unique_id}_"
    return {each.unique_id.removeprefix(prefix) for each in own if each.domain == Platform.BINARY_SENSOR}


def _remove(hass: HomeAssistant, connection: CameraConnection, keys: set[str]) -> None:
    registry = er.async_get(hass)
    for key in keys:
        unique_id = f"{connection.state.unique_id}_{key}"
        if entity_id := registry.async_get_entity_id(Platform.BINARY_SENSOR, DOMAIN, unique_id):
            registry.async_remove(entity_id)


class Presence(VitcamEntity, BinarySensorEntity):
    """Whether something is in the view, in a zone, or a label is there."""

    _attr_device_class = BinarySensorDeviceClass.OCCUPANCY
    _needs_sight = True

    def __init__(self, connection: CameraConnection, watched: Watched) -> None:
        super().__init__(connection, watched.key)
        self._key = watched.key
        self._is_called = bool(watched.label or watched.zone)
        if self._is_called:
            self._attr_name = watched.name
        else:
            self._attr_translation_key = "presence"

    @callback
    def async_changed(self) -> None:
        """Its name may be another one: that of a zone or a label, in the camera's language."""
        for each in self.camera_state.watched:
            if each.key == self._key and self._is_called:
                self._attr_name = each.name
        super().async_changed()

    @property
    def is_on(self) -> bool:
        """Whether it is there."""
        return self.camera_state.presence.get(self._key, False)


class Problem(VitcamEntity, BinarySensorEntity):
    """Whether something is wrong with the camera."""

    KEY = "problem"
    _attr_device_class = BinarySensorDeviceClass.PROBLEM
    _attr_entity_category = EntityCategory.DIAGNOSTIC

    def __init__(self, connection: CameraConnection) -> None:
        super().__init__(connection, self.KEY)

    @property
    def is_on(self) -> bool:
        """Whether it has one."""
        return self.camera_state.status != "ok" or self.camera_state.problem is not None

    @property
    def extra_state_attributes(self) -> dict[str, Any]:
        """Which one."""
        return {"reason": self.camera_state.problem or self.camera_state.reason}
