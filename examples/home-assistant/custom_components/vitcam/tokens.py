"""How the token is called that a camera gives to this Home Assistant."""

from homeassistant.core import HomeAssistant
from homeassistant.helpers import instance_id


async def token_name(hass: HomeAssistant) -> str:
    """One for each Home Assistant, so that two of them do not take each other's away."""
    return f"Home Assistant {(await instance_id.async_get(hass))[:8]}"
