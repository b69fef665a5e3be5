"""What a person has to mend, as issues. A wrong password is told by Home Assistant itself (reauth)."""

from homeassistant.core import CALLBACK_TYPE, Event, HomeAssistant, callback
from homeassistant.helpers import device_registry as dr
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.device_registry import EVENT_DEVICE_REGISTRY_UPDATED, EventDeviceRegistryUpdatedData

from .connection import VitcamEntry
from .const import DOMAIN

_MQTT = "mqtt"


def device_of_mqtt(hass: HomeAssistant, camera_id: str) -> dr.DeviceEntry | None:
    """The device that MQTT has made of a camera; None: it has made none."""
    return dr.async_get(hass).async_get_device({(_MQTT, camera_id)})


class CameraIssues:
    """Those of one camera."""

    def __init__(self, hass: HomeAssistant, entry: VitcamEntry) -> None:
        self._hass = hass
        self._entry = entry
        self._shown: dict[str, str] = {}

    @callback
    def watch(self) -> CALLBACK_TYPE:
        """Show and delete them as the camera changes; returns what ends that."""
        ends = (
            self._entry.runtime_data.listen(self._look),
            self._hass.bus.async_listen(EVENT_DEVICE_REGISTRY_UPDATED, self._devices_changed),
        )
        self._look()

        @callback
        def end() -> None:
            for each in ends:
                each()
            for key in [*self._shown]:
                self._show(key, "")

        return end

    @callback
    def _look(self) -> None:
        connection = self._entry.runtime_data
        if connection.connected:
            state = connection.state
            self._show("camera_moved", (state.problem or "") if state.has_moved else "")
            self._show("disk", state.disk)
            device = device_of_mqtt(self._hass, state.id)
            self._show("known_by_mqtt", (device.name or state.id) if device else "")

    @callback
    def _devices_changed(self, event: Event[EventDeviceRegistryUpdatedData]) -> None:
        if event.data["action"] in ("create", "remove"):
            self._look()

    def _show(self, key: str, detail: str) -> None:
        """detail: what is wrong; empty: nothing is"""
        if self._shown.get(key, "") == detail:
            return
        issue = f"{key}_{self._entry.entry_id}"
        if not detail:
            del self._shown[key]
            ir.async_delete_issue(self._hass, DOMAIN, issue)
            return
        self._shown[key] = detail
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            issue,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key=key,
            translation_placeholders={"camera": self._entry.title, "detail": detail},
        )
