"""`GET /openapi.json`."""

from aiohttp import web

from vitcam.web.openapi.document import openapi_json
from vitcam.web.requests.base_path import base_of


async def serve_openapi(request: web.Request) -> web.Response:
    """The description of the HTTP interface. It is made when a client asks for the first time, and kept."""
    document = openapi_json(base_of(request))
    return web.Response(body=document, content_type="application/json", headers={"Cache-Control": "no-cache"})
