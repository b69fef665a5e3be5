"""What a person may attach to a report of an error: without secrets, addresses, and what was seen."""

from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.const import CONF_TOKEN, CONF_URL
from homeassistant.core import HomeAssistant

from .connection import VitcamEntry

_SECRET = {CONF_TOKEN, CONF_URL, "title", "unique_id", "id", "serial", "source", "broker", "access", "present", "shown"}


async def async_get_config_entry_diagnostics(hass: HomeAssistant, entry: VitcamEntry) -> dict[str, Any]:
    """The entry, and the newest state of its camera."""
    connection = entry.runtime_data
    found = {
        "entry": dict(entry.data),
        "connected": connection.connected,
        "models": connection.models,
        "state": dict(connection.state.record),
    }
    return async_redact_data(found, _SECRET)
