"""What the view Learn asks beside a photo's prediction: whom every patch attends to, and pictures from addresses."""

from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.pictures.header import MEDIA_TYPES, media_type
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import FLAG, Schema, described, record
from vitcam.web.requests.compress import GZIP, VARY, accepts_gzip, gzipped
from vitcam.web.requests.photos import ADDRESS, PHOTO_BODY
from vitcam.web.route import Route, as_json

_FAST = 1  # more makes it 3 % smaller and takes twice the time
_NO_STORE = {"Cache-Control": "no-store"}


class LearnRoutes(Handlers):
    """For people who want to know how a Vision Transformer sees."""

    def __init__(self, app: AppContext) -> None:
        self._backend = app.parts.photos
        self._model = app.parts.model
        self._photos = app.photos

    @Route("GET", "/api/learn", Scope.READ, answers=as_json("Learn"))
    async def offers(self, _: web.Request) -> web.Response:
        """What the view Learn can show."""
        card = self._model.value.info.card
        found: dict[str, Any] = {
            "fetch": self._photos.fetches,
            "attention": bool(card.layers and card.heads and card.patch_size),
        }
        return web.json_response(found, headers=_NO_STORE)

    @Route(
        "POST",
        "/api/attention",
        Scope.CONTROL,
        body=PHOTO_BODY,
        answers={"application/octet-stream": {}},
        refusals=(409,),
    )
    async def attention(self, request: web.Request) -> web.Response:
        """Whom every patch of a photo attends to, in every block and head.

        A line of JSON, then for each block a float32 for each head and query, and a byte for each weight:
        vitcam/model/attention/packed.py. It takes a process of its own, with 512 MiB of memory and 25 s at most.
        """
        as_gzip = accepts_gzip(request)
        packed = await self._photos.serve(request, lambda photo: self._attend(photo, as_gzip))
        headers = {**_NO_STORE, **VARY, **(GZIP if as_gzip else {})}
        return web.Response(body=packed, content_type="application/octet-stream", headers=headers)

    def _attend(self, photo: bytes, as_gzip: bool) -> bytes:
        packed = self._backend.attention(self._backend.decode(photo))
        return gzipped(packed, _FAST) if as_gzip else packed

    @Route(
        "POST",
        "/api/fetch",
        Scope.CONTROL,
        body=ADDRESS,
        answers={kind: {} for kind in MEDIA_TYPES.values()},
        refusals=(409,),
    )
    async def fetch(self, request: web.Request) -> web.Response:
        """Fetch a picture from an address on the public internet; only with `web.fetch`."""
        data = await self._photos.serve_address(request, self._checked)
        return web.Response(body=data, content_type=media_type(data), headers=_NO_STORE)

    def _checked(self, data: bytes) -> bytes:
        """The same. Raises UsageError for anything but a picture, which is so never passed on."""
        self._backend.decode(data)
        return data


def schemas() -> dict[str, Schema]:
    """By their names."""
    return {
        "Learn": record(
            {
                "fetch": described(FLAG, "Whether pictures may be fetched from addresses."),
                "attention": described(FLAG, "Whether the model has patches that attend to one another."),
            },
            "What the view Learn can show.",
        )
    }


HANDLERS = (LearnRoutes,)
