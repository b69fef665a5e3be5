"""The application: which handler answers which route, and the middleware around them all."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from vitcam.errors import VitcamError
from vitcam.model.record import model_record
from vitcam.pictures.overlay_kinds import available_overlays
from vitcam.web.live import AsyncSlot
from vitcam.web.openapi.route import serve_openapi
from vitcam.web.page_files import ICON, INDEX, PageFiles
from vitcam.web.parts import Binding, WebParts, WebThreads
from vitcam.web.requests.access import AccessControl
from vitcam.web.requests.admission import Admission, Quota, RouteLimits
from vitcam.web.requests.allowed_hosts import AllowedHosts
from vitcam.web.requests.base_path import BasePath, base_of
from vitcam.web.requests.body import BodyLimits
from vitcam.web.requests.compress import compress_json
from vitcam.web.requests.connections import Connections
from vitcam.web.requests.middleware import (
    check_host_and_origin,
    connection_middleware,
    error_response,
    errors_as_json,
    headers_adder,
)
from vitcam.web.requests.proxies import TrustedProxies, address_of
from vitcam.web.route_table import ROUTES
from vitcam.web.routes.clip import ClipRoute
from vitcam.web.routes.crop import CropRoute
from vitcam.web.routes.event_changes import EventChanges
from vitcam.web.routes.events import EventRoutes
from vitcam.web.routes.live_events import LiveEvents
from vitcam.web.routes.login import LoginRoutes
from vitcam.web.routes.model import WordsRoute
from vitcam.web.routes.playback import PlaybackRoute
from vitcam.web.routes.predictions import EVENT_HEADERS, PredictionFeed, Subscription
from vitcam.web.routes.remembered import RememberedRoute
from vitcam.web.routes.uploads import MAX_AT_ONCE, MAX_OF_ONE, PHOTO, Uploads
from vitcam.web.routes.zones import ZonesRoute
from vitcam.web.stream.encoder import Encoder
from vitcam.web.stream.mjpeg import STREAM_HEADERS, PlainResponse, send_pictures
from vitcam.web.stream.preview import Preview
from vitcam.web.stream.variant import Variant, read_variant, stream_record

MAX_CLIENTS = 256  # of each kind
MAX_OF_ONE_ADDRESS = 224  # so that one address cannot take all of them
_SNAPSHOT_TIMEOUT_S = 1.0
_LET_GO_S = 5.0
_CHANGE = BodyLimits(4096, 5.0, "the request")
_ZONES = BodyLimits(65536, 5.0, "the zones")
_MAX_CHANGES = 8
_WORDS = BodyLimits(65536, 5.0, "the words")
_MAX_WORDS = 2


def build_app(
    parts: WebParts,
    threads: WebThreads,
    encoder: Encoder,
    allowed_hosts: AllowedHosts,
    binding: Binding,
    access: AccessControl | None,
    connections: Connections,
    proxies: TrustedProxies,
) -> web.Application:
    """All routes and the middleware around them.

    access  None: everybody who reaches the server may do everything
    """
    framed = bool(binding.frames)
    base = BasePath(binding.base, proxies)
    handlers = _Handlers(parts, threads, encoder, access, framed)
    checks = [check_host_and_origin(allowed_hosts, framed), *([access.middleware()] if access else [])]
    limits = RouteLimits(ROUTES, connections)
    who = [connection_middleware(connections), base.middleware(), errors_as_json, proxies.middleware()]
    app = web.Application(middlewares=[*who, limits.middleware(), compress_json, *checks])
    app.on_response_prepare.append(headers_adder(binding.frames))
    for route in ROUTES:
        app.router.add_route(route.method, route.path, handlers.by_route[route.method, route.path])
        if route.method == "GET":
            app.router.add_route("HEAD", route.path, handlers.by_route[route.method, route.path])
    base.add_to(app.router)
    return app


class _Handlers:
    """One method for each route, or the object that answers it."""

    def __init__(
        self, parts: WebParts, threads: WebThreads, encoder: Encoder, access: AccessControl | None, framed: bool
    ) -> None:
        self._access = access
        self._state = parts.state
        self._default = parts.default
        self._encoder = encoder
        self._heads = parts.model.card.heads
        self._overlays = available_overlays(parts.model.gives)
        self._model = parts.model
        self._loop = asyncio.get_running_loop()
        parts.areas.on_new_masks(self._let_go)
        self._preview = Preview(parts.state, AsyncSlot(parts.latest), encoder, parts.demand, parts.default)
        live_events = LiveEvents(parts.history, threads.reads)
        self._feed = PredictionFeed(AsyncSlot(parts.predicted), parts.latest, live_events)
        self._page = PageFiles()
        self._clients = {
            kind: Quota(MAX_CLIENTS, MAX_OF_ONE_ADDRESS, kind) for kind in ("streams", "predictions", "snapshots")
        }
        uploads = Admission(PHOTO, Quota(MAX_AT_ONCE, MAX_OF_ONE, "photos"), threads.upload)
        changes = Admission(_CHANGE, Quota(_MAX_CHANGES, _MAX_CHANGES // 2, "changes"), threads.change)
        self._uploads = Uploads(parts.photos, parts.model, uploads)
        self._crop = CropRoute(parts.latest, parts.crop, parts.model.card.input, changes)
        drawn = Admission(_ZONES, Quota(_MAX_CHANGES, _MAX_CHANGES // 2, "changes"), threads.change)
        known = None if parts.words is not None else parts.model.names
        self._zones = ZonesRoute(parts.latest, parts.areas, known, drawn)
        self._player = PlaybackRoute(parts.playback, changes)
        self._remembered = RememberedRoute(parts.set_aside, changes)
        words = Admission(_WORDS, Quota(_MAX_WORDS, _MAX_WORDS, "changes of the words"), threads.change)
        self._words = WordsRoute(parts.words, words)
        events = EventRoutes(parts.history, threads.reads)
        edits = Admission(_CHANGE, Quota(_MAX_CHANGES, _MAX_CHANGES // 2, "changes"), threads.edit)
        event_changes = EventChanges(parts.history, edits)
        login = LoginRoutes(access, self._page, framed)
        self.by_route: dict[tuple[str, str], Handler] = {
            ("GET", "/"): self.index,
            ("GET", "/page/{name}"): self.file,
            ("GET", "/page/history/{name}"): self.history_file,
            ("GET", "/favicon.ico"): self.icon,
            ("GET", "/stream"): self.stream,
            ("GET", "/snapshot"): self.snapshot,
            ("GET", "/snapshot.jpg"): self.snapshot,
            ("GET", "/api/predictions"): self.predictions,
            ("GET", "/api/state"): self.state,
            ("GET", "/api/model"): self.model,
            ("GET", "/api/events"): events.list,
            ("DELETE", "/api/events"): event_changes.delete_many,
            ("GET", "/api/events/counts"): events.counts,
            ("GET", "/api/events/export"): events.export,
            ("GET", "/api/events/{id}"): events.show,
            ("PATCH", "/api/events/{id}"): event_changes.patch,
            ("DELETE", "/api/events/{id}"): event_changes.delete,
            ("GET", "/api/events/{id}/frame.jpg"): events.picture,
            ("GET", "/api/events/{id}/clip.mp4"): ClipRoute(events).answer,
            ("POST", "/api/classify"): self._uploads.classify,
            ("POST", "/api/explain"): self._uploads.explain,
            ("POST", "/api/crop"): self._crop.answer,
            ("GET", "/api/zones"): self._zones.show,
            ("PUT", "/api/zones"): self._zones.change,
            ("POST", "/api/playback"): self._player.answer,
            ("POST", "/api/remembered"): self._remembered.answer,
            ("POST", "/api/words"): self._words.answer,
            ("GET", "/login"): login.show,
            ("GET", "/login/{name}"): login.file,
            ("POST", "/login"): login.log_in,
            ("POST", "/logout"): login.log_out,
            ("GET", "/openapi.json"): serve_openapi,
            ("GET", "/healthz"): self.healthz,
            ("GET", "/readyz"): self.readyz,
        }

    async def index(self, request: web.Request) -> web.StreamResponse:
        """The page; or the stream or a snapshot under the names that mjpg-streamer and 3D printers use."""
        action = request.query.get("action")
        if action == "stream":
            return await self.stream(request)
        if action == "snapshot":
            return await self.snapshot(request)
        return self._page.serve(request, INDEX)

    async def file(self, request: web.Request) -> web.Response:
        return self._page.serve(request, request.match_info["name"])

    async def history_file(self, request: web.Request) -> web.Response:
        return self._page.serve(request, f"history/{request.match_info['name']}")

    async def icon(self, request: web.Request) -> web.Response:
        return self._page.serve(request, ICON)

    async def stream(self, request: web.Request) -> web.StreamResponse:
        variant = self._variant(request.query)
        address = address_of(request)
        response = PlainResponse(headers=STREAM_HEADERS)
        response.force_close()
        if request.method == "HEAD":  # a page asks this way why it gets no picture
            self._preview.check_limits(variant, address)
            await response.prepare(request)
            return response
        with self._clients["streams"].reserve(address), self._preview.watch(variant, address) as channel:
            await response.prepare(request)
            await send_pictures(response, _transport(request), channel, self._preview.sending)
        return response

    async def snapshot(self, request: web.Request) -> web.Response:
        variant = self._variant(request.query)
        address = address_of(request)
        with self._clients["snapshots"].reserve(address):
            picture = await self._preview.snapshot(variant, address, _SNAPSHOT_TIMEOUT_S)
            with self._preview.sending(_transport(request)):
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

    def _let_go(self) -> None:
        """Masks were drawn. Called in any thread but the loop's."""
        done = asyncio.run_coroutine_threadsafe(self._preview.let_go(), self._loop)
        try:
            done.result(_LET_GO_S)
        except TimeoutError:
            raise VitcamError("the masks are in force, but the web server did not answer in time") from None

    async def predictions(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers=EVENT_HEADERS)
        if request.method == "HEAD":
            await response.prepare(request)
            return response
        with self._clients["predictions"].reserve(address_of(request)):
            await response.prepare(request)
            asked = Subscription(request.query.get("only") != "events", request.query.get("attention") == "1")
            last_id = request.headers.get("Last-Event-ID")
            await self._feed.send(response, _transport(request), asked, last_id, base_of(request))
        return response

    async def state(self, request: web.Request) -> web.Response:
        record = asdict(self._state())
        record["frames"]["encoded"] = self._encoder.encoded
        record["view"] = self._crop.record()
        record["playback"] = self._player.record()
        record["set_aside"] = self._remembered.record()
        streams, predictions = self._clients["streams"].in_use, self._clients["predictions"].in_use
        grant = self._access.grant_of(request) if self._access else None
        record["access"] = None if grant is None else asdict(grant)
        record["clients"] = {"stream": streams, "predictions": predictions}
        return web.json_response(record, headers={"Cache-Control": "no-store"})

    async def model(self, _: web.Request) -> web.Response:
        record = {
            **model_record(self._model),
            **self._words.record(),
            "stream": stream_record(self._default.value, self._overlays),
        }
        return web.json_response(record, headers={"Cache-Control": "no-store"})

    async def healthz(self, _: web.Request) -> web.Response:
        """200 while the process runs."""
        return web.json_response({"status": "ok"})

    async def readyz(self, request: web.Request) -> web.Response:
        """200 while frames are classified, else 503. Callers that may not look get no reason."""
        state = self._state()
        if state.status in ("ok", "degraded"):
            return web.json_response({"status": state.status})
        may_look = self._access is None or self._access.grant_of(request) is not None
        return error_response(503, (may_look and state.reason) or state.status)

    def _variant(self, query: Mapping[str, str]) -> Variant:
        return read_variant(query, self._heads, self._default.value, self._overlays)


def _transport(request: web.Request) -> Any:
    transport = request.transport
    if transport is None:
        raise ConnectionResetError("the client left")
    return transport
