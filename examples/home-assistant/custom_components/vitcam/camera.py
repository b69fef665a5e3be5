"""The live picture. It is asked for only while somebody looks at it."""

from aiohttp import ClientResponse, web
from homeassistant.components.camera import Camera
from homeassistant.core import HomeAssistant
from homeassistant.helpers.aiohttp_client import async_aiohttp_proxy_web
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .client import CameraError
from .connection import CameraConnection, VitcamEntry
from .entity import VitcamEntity

PARALLEL_UPDATES = 0
_FPS = 5


async def async_setup_entry(
    hass: HomeAssistant, entry: VitcamEntry, async_add_entities: AddConfigEntryEntitiesCallback
) -> None:
    """Add it."""
    async_add_entities([LivePicture(entry.runtime_data)])


class LivePicture(VitcamEntity, Camera):
    """MJPEG, and stills."""

    _attr_name = None
    _attr_brand = "vitcam"

    def __init__(self, connection: CameraConnection) -> None:
        Camera.__init__(self)
        VitcamEntity.__init__(self, connection, "camera")

    async def async_camera_image(self, width: int | None = None, height: int | None = None) -> bytes | None:
        """A still; None while there is no picture."""
        try:
            return await self.connection.client.still(width)
        except CameraError:
            return None

    async def handle_async_mjpeg_stream(self, request: web.Request) -> web.StreamResponse | None:
        """The moving picture, for as long as somebody looks."""
        try:
            response = await self.connection.client.stream(_FPS)
        except CameraError as error:
            raise web.HTTPBadGateway(text=str(error)) from error

        async def opened() -> ClientResponse:
            return response

        return await async_aiohttp_proxy_web(self.hass, request, opened())
