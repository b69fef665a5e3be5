"""`GET /openapi.json`."""

from aiohttp import web

from vitcam.web.openapi.document import openapi_json


async def serve_openapi(_: web.Request) -> web.Response:
    """The description of the HTTP interface. It is made for the first client that asks, and kept."""
    return web.Response(body=openapi_json(), content_type="application/json", headers={"Cache-Control": "no-cache"})
