"""What a browser opens: the page with its files, and the live picture as a stream or a snapshot."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError, VitcamError
from vitcam.pictures.overlay_kinds import OVERLAYS, available_overlays
from vitcam.run.kinds import HoldsPixels
from vitcam.web.async_slot import AsyncSlot
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import TEXT, Schema, one_of
from vitcam.web.page_files import ICON, INDEX
from vitcam.web.requests.middleware import error_response
from vitcam.web.requests.proxies import address_of
from vitcam.web.route import ENDLESS, Route
from vitcam.web.stream.back_pressure import transport_of
from vitcam.web.stream.mjpeg import STREAM_HEADERS, PlainResponse, send_pictures
from vitcam.web.stream.preview import Preview
from vitcam.web.stream.variant import STEPS, Variant, read_variant

_SNAPSHOT_TIMEOUT_S = 1.0
_DROP_S = 5.0

_FILES = dict.fromkeys(("text/html", "text/css", "text/javascript", "image/svg+xml"), TEXT)
_PART_FILES: dict[str, Schema] = {
    **dict.fromkeys(("text/css", "text/javascript", "application/manifest+json"), TEXT),
    "application/json": {"type": "object"},
    "image/png": {},
    "image/jpeg": {},
    "text/html": TEXT,
}
_ICON: dict[str, Schema] = {"image/x-icon": {}}
_JPEG: dict[str, Schema] = {"image/jpeg": {}}
_PARTS: dict[str, Schema] = {"multipart/x-mixed-replace": {}}
_STEPS = {
    "opacity": "How much the overlay covers the picture.",
    "width": "In px; a narrower picture is not enlarged.",
    "quality": "Of the JPEG.",
    "fps": "Pictures per second at most.",
}
_VARIANT: dict[str, Schema] = {
    "overlay": one_of(OVERLAYS, "What is drawn over the picture."),
    "head": {"type": "string", "pattern": "^(mean|0|[1-9][0-9]?)$", "description": "One head of `attention`, from 0."},
    **{
        name: {"type": "number", "minimum": STEPS[name].low, "maximum": STEPS[name].high, "description": what}
        for name, what in _STEPS.items()
    },
}
_REFUSALS = (400, 429, 503)
_LONGEST_TRACK = 9
_TRACK: Schema = {
    "type": "integer",
    "minimum": 1,
    "maximum": 10**_LONGEST_TRACK - 1,
    "description": "The `track` of a prediction: only what the model saw of it.",
}
_SNAPSHOT = Route(
    "GET",
    "/snapshot.jpg",
    Scope.READ,
    limits=ENDLESS,
    parameters={**_VARIANT, "track": _TRACK},
    answers=_JPEG,
    refusals=(*_REFUSALS, 404),
    unavailable=_JPEG,
)
_ACTION = one_of(("stream", "snapshot"), "Answer as `/stream` or `/snapshot.jpg`, with their parameters.")


class PageRoutes(Handlers, HoldsPixels):
    """The page comes from memory. Of the live picture, each variant is encoded once for all its viewers."""

    def __init__(self, app: AppContext) -> None:
        parts = app.parts
        self._files = app.files
        self._viewers = app.viewers
        self._default = parts.default
        self._model = parts.model
        self._loop = asyncio.get_running_loop()
        self._preview = Preview(parts.state, AsyncSlot(parts.latest), app.encoder, parts.demand, parts.default)
        parts.areas.attach(self)

    @Route(
        "GET",
        "/",
        Scope.READ,
        limits=ENDLESS,
        parameters={"action": _ACTION, **_VARIANT},
        answers={"text/html": TEXT, **_PARTS, **_JPEG},
        leads_to="The login page, for a browser that has no session.",
        cached=True,
        refusals=_REFUSALS,
        unavailable=_JPEG,
    )
    async def index(self, request: web.Request) -> web.StreamResponse:
        """The page; ?action=stream and ?action=snapshot as mjpg-streamer has them.

        3D printers use these, too.
        """
        action = request.query.get("action")
        if action == "stream":
            return await self.stream(request)
        if action == "snapshot":
            return await self.snapshot(request)
        return self._files.serve(request, INDEX)

    @Route("GET", "/page/{name}", Scope.READ, answers={**_FILES, **_ICON}, cached=True, refusals=(404,))
    async def file(self, request: web.Request) -> web.Response:
        """A file of the page."""
        return self._files.serve(request, request.match_info["name"])

    @Route("GET", "/page/{folder}/{name}", Scope.READ, answers=_PART_FILES, cached=True, refusals=(404,))
    async def part_file(self, request: web.Request) -> web.Response:
        """A file of a part of the page: `history`, `teach`, `language` and so on."""
        return self._files.serve(request, f"{request.match_info['folder']}/{request.match_info['name']}")

    @Route("GET", "/favicon.ico", None, answers=_ICON, cached=True)
    async def icon(self, request: web.Request) -> web.Response:
        """The icon, where browsers look for it."""
        return self._files.serve(request, ICON)

    @Route("GET", "/stream", Scope.READ, limits=ENDLESS, parameters=_VARIANT, answers=_PARTS, refusals=_REFUSALS)
    async def stream(self, request: web.Request) -> web.StreamResponse:
        """The live picture as MJPEG."""
        variant = self._variant(request.query)
        address = address_of(request)
        response = PlainResponse(headers=STREAM_HEADERS)
        response.force_close()
        if request.method == "HEAD":  # a page asks this way why it gets no picture
            self._preview.check_limits(variant, address)
            await response.prepare(request)
            return response
        with self._viewers["streams"].reserve(address), self._preview.watch(variant, address) as channel:
            await response.prepare(request)
            await send_pictures(response, transport_of(request), channel, self._preview.sending)
        return response

    @_SNAPSHOT
    @replace(_SNAPSHOT, path="/snapshot", doc="The newest picture as JPEG, under the name that other cameras use.")
    async def snapshot(self, request: web.Request) -> web.Response:
        """The newest picture as JPEG."""
        variant, track = self._variant(request.query), _read_track(request.query)
        address = address_of(request)
        with self._viewers["snapshots"].reserve(address):
            if track is None:
                picture = await self._preview.snapshot(variant, address, _SNAPSHOT_TIMEOUT_S)
            elif (look := await self._preview.look(track, variant)) is not None:
                picture = look
            else:
                return error_response(404, f"track {track} is not followed now; `/api/predictions` says what is")
            with self._preview.sending(transport_of(request)):
                response = web.Response(
                    body=picture.jpeg,
                    content_type="image/jpeg",
                    # a placeholder is for people: a program must not mistake it for the camera's picture
                    status=200 if picture.placeholder is None else 503,
                    headers={"Cache-Control": "no-store", **picture.headers()},
                )
                await response.prepare(request)
                await response.write_eof()
        return response

    def _variant(self, query: Mapping[str, str]) -> Variant:
        model = self._model.value.info
        return read_variant(query, model.card.heads, self._default.value, available_overlays(model.gives))

    def drop_pixels(self) -> None:
        """Called in any thread but the loop's."""
        done = asyncio.run_coroutine_threadsafe(self._preview.drop_pixels(), self._loop)
        try:
            done.result(_DROP_S)
        except TimeoutError:
            raise VitcamError("the masks are in force, but the web server did not answer in time") from None


def _read_track(query: Mapping[str, str]) -> int | None:
    """Which part of the picture is asked for; None: the whole picture. Raises UsageError."""
    text = query.get("track")
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_TRACK and int(text)):
        raise UsageError(f"track is {text[:40]!r}; a whole number from 1 is allowed, the `track` of a prediction")
    return int(text)
