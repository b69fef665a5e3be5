"""vitcam: a camera that says what it sees."""

from homeassistant.const import CONF_TOKEN, CONF_URL, CONF_VERIFY_SSL, Platform
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryNotReady
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.device_registry import DeviceEntry
from yarl import URL

from .client import AccessError, CameraClient, CameraError
from .connection import CameraConnection, VitcamEntry
from .const import DOMAIN
from .issues import CameraIssues
from .tokens import token_name

PLATFORMS = (
    Platform.BINARY_SENSOR,
    Platform.CAMERA,
    Platform.EVENT,
    Platform.IMAGE,
    Platform.NUMBER,
    Platform.SELECT,
    Platform.SENSOR,
    Platform.SWITCH,
)


async def async_setup_entry(hass: HomeAssistant, entry: VitcamEntry) -> bool:
    """Connect to a camera, and add its entities."""
    client = _client(hass, entry)
    try:
        first = await client.first_state()
        if first.unique_id != entry.unique_id:
            raise ConfigEntryNotReady(
                translation_domain=DOMAIN,
                translation_key="another_camera",
                translation_placeholders={"url": str(client.url), "name": first.name},
            )
        connection = entry.runtime_data = CameraConnection(hass, entry, client, first)
        await connection.start()
    except AccessError as error:
        raise ConfigEntryAuthFailed(translation_domain=DOMAIN, translation_key="invalid_auth") from error
    except CameraError as error:
        raise ConfigEntryNotReady(
            translation_domain=DOMAIN,
            translation_key="cannot_connect",
            translation_placeholders={"url": str(client.url), "reason": str(error)},
        ) from error
    entry.async_on_unload(CameraIssues(hass, entry).watch())
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    return True


async def async_unload_entry(hass: HomeAssistant, entry: VitcamEntry) -> bool:
    """Remove the entities, and end the connection."""
    if not await hass.config_entries.async_unload_platforms(entry, PLATFORMS):
        return False
    await entry.runtime_data.stop()
    return True


async def async_remove_entry(hass: HomeAssistant, entry: VitcamEntry) -> None:
    """Take the token back. A camera that is away keeps it; a new one takes its place when it is added again."""
    if entry.data[CONF_TOKEN]:
        try:
            await _client(hass, entry).revoke_token(await token_name(hass))
        except CameraError:
            return


async def async_remove_config_entry_device(hass: HomeAssistant, entry: VitcamEntry, device: DeviceEntry) -> bool:
    """Whether a device may be deleted alone: only one that is not the camera of the entry."""
    return (DOMAIN, entry.unique_id) not in device.identifiers


def _client(hass: HomeAssistant, entry: VitcamEntry) -> CameraClient:
    session = async_get_clientsession(hass, entry.data[CONF_VERIFY_SSL])
    return CameraClient(session, URL(entry.data[CONF_URL]), entry.data[CONF_TOKEN])
