"""The guide of a first run: cameras with their pictures, passwords, the address for a phone."""

import asyncio
from dataclasses import asdict
from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.machine import own_address
from vitcam.parts.guide.cameras import FoundCamera, found_cameras, still, used_of
from vitcam.parts.guide.first_run import FirstRun
from vitcam.pictures.address_code import svg_code
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import FLAG, TEXT, array_of, described, nullable, record
from vitcam.web.requests.admission import CHANGE, Admission
from vitcam.web.requests.allowed_hosts import host_name, is_local
from vitcam.web.requests.base_path import base_of
from vitcam.web.requests.body import read_body, read_json
from vitcam.web.route import JSON, RequestLimits, Route, as_json

_NO_STORE = {"Cache-Control": "no-store"}
_FEW = RequestLimits(at_once=8, of_one_address=4)
_FORM = 'send {"scope": "control" or "read", "password": "the new one", "current": "the one of now"}'
_GUIDE = record(
    {
        "open": described(FLAG, "Whether the page offers the guide by itself."),
        "passwords": record({each.value: FLAG for each in Scope}, "Which passwords there are."),
        "asks": described(FLAG, "Whether this address asks for a password now."),
        "address": described(TEXT, "Where other machines of the network find the page; empty: they cannot."),
        "command": described(TEXT, "What opens the page to the network, typed on this machine."),
        "service": described(FLAG, "Whether systemd runs vitcam, so that it need not be ended by hand first."),
    }
)
_CAMERAS = record(
    {
        "cameras": array_of(record({"source": TEXT, "name": TEXT, "trouble": TEXT, "used": FLAG})),
        "trouble": described(TEXT, "Why libcamera finds no camera; empty where it works."),
    }
)
_PASSWORD = record(
    {"scope": TEXT, "password": nullable(TEXT), "current": TEXT},
    "`password` null with the scope `read`: nobody may watch with a password of their own any more.",
    optional=("current",),
)


class GuideRoutes(Handlers):
    """Looks for cameras one request at a time."""

    def __init__(self, app: AppContext) -> None:
        self._first_run = app.parts.objects.one(FirstRun)
        self._state = app.parts.state
        self._access = app.access
        self._threads = app.threads
        self._changes = Admission.of_changes(CHANGE, app.threads.change)
        self._cameras: list[FoundCamera] = []

    @Route("GET", "/api/guide", Scope.CONTROL, answers={JSON: nullable(_GUIDE)})
    async def show(self, request: web.Request) -> web.Response:
        """What the guide of a first run needs to know; null where there is none."""
        if (first_run := self._first_run) is None:
            return web.json_response(None, headers=_NO_STORE)
        passwords = await asyncio.wrap_future(self._threads.access.submit(lambda: first_run.passwords))
        answer = {
            "open": first_run.is_open,
            "passwords": passwords,
            "asks": self._access is not None,
            "address": _address(request),
            "command": first_run.network_command,
            "service": first_run.is_service,
        }
        return web.json_response(answer, headers=_NO_STORE)

    @Route("POST", "/api/guide", Scope.CONTROL, answers=as_json("Status"), refusals=(404,))
    async def finish(self, request: web.Request) -> web.Response:
        """Do not offer the guide by itself any more."""
        first_run = self._there()
        await self._changes.serve(request, lambda _: first_run.finish())
        return web.json_response({"status": "finished"})

    @Route("GET", "/api/cameras", Scope.CONTROL, limits=_FEW, answers={JSON: _CAMERAS}, refusals=(404, 503))
    async def cameras(self, request: web.Request) -> web.Response:
        """All cameras of this machine. Takes seconds."""
        executor = self._there().cameras
        self._cameras, trouble = await asyncio.wrap_future(executor.submit(found_cameras))
        used = used_of(self._cameras, self._state().source)
        cameras = [{**asdict(camera), "used": camera is used} for camera in self._cameras]
        answer = {"cameras": cameras, "trouble": trouble}
        return web.json_response(answer, headers=_NO_STORE)

    @Route(
        "GET",
        "/api/cameras/picture",
        Scope.CONTROL,
        limits=_FEW,
        parameters={"source": described(TEXT, "Of `/api/cameras`.")},
        answers={"image/jpeg": {}},
        refusals=(400, 404, 503),
    )
    async def picture(self, request: web.Request) -> web.Response:
        """What one of these cameras sees now. Answers 400 with the reason where it gives no picture."""
        executor = self._there().cameras
        source = request.query.get("source", "")
        if not self._cameras:
            self._cameras, _ = await asyncio.wrap_future(executor.submit(found_cameras))
        jpeg = await asyncio.wrap_future(executor.submit(still, source, self._cameras))
        return web.Response(body=jpeg, content_type="image/jpeg", headers=_NO_STORE)

    @Route("GET", "/api/address.svg", Scope.READ, answers={"image/svg+xml": TEXT}, refusals=(404,))
    async def code(self, request: web.Request) -> web.Response:
        """The address of the page as a QR code. Answers 404 where other machines cannot reach it."""
        address = _address(request)
        if not address:
            raise web.HTTPNotFound(
                text="other machines cannot reach this page; `vitcam service install --lan` opens it"
            )
        return web.Response(text=svg_code(address), content_type="image/svg+xml", headers=_NO_STORE)

    @Route(
        "PUT",
        "/api/password",
        Scope.CONTROL,
        limits=_FEW,
        body={JSON: _PASSWORD},
        answers=as_json("Status"),
        refusals=(400, 403, 404, 429),
    )
    async def set_password(self, request: web.Request) -> web.Response:
        """Set the password that allows everything, or the one that allows to watch and changes nothing.

        Where the page asks for a password now, `current` must be that one. Sessions of the old one end.
        """
        first_run = self._there()
        scope, password, current = _read_change(read_json(await read_body(request, CHANGE)))
        if self._access is not None:
            await self._access.check_password(request, current)
        await asyncio.wrap_future(self._threads.password.submit(first_run.set_password, scope, password))
        return web.json_response({"status": "set"})

    def _there(self) -> FirstRun:
        if self._first_run is None:
            raise web.HTTPNotFound(text="this run has no guide")
        return self._first_run


def _read_change(body: Any) -> tuple[Scope, str | None, str]:
    """Raises UsageError."""
    if not isinstance(body, dict) or not body.keys() <= {"scope", "password", "current"}:
        raise UsageError(_FORM)
    scope, password, current = body.get("scope"), body.get("password"), body.get("current", "")
    if scope not in list(Scope) or not isinstance(current, str) or not isinstance(password, str | None):
        raise UsageError(_FORM)
    if password is None and scope != Scope.READ:
        raise UsageError("the password that allows everything can be changed, but not taken away")
    return Scope(scope), password, current


def _address(request: web.Request) -> str:
    """Where other machines find the page: as this request has found it, or this machine's own address."""
    if not is_local(host_name(request.host)):
        return f"{request.scheme}://{request.host}{base_of(request)}/"
    bound = request.transport.get_extra_info("sockname") if request.transport else None
    return "" if bound is None or is_local(str(bound[0])) else f"{request.scheme}://{own_address()}:{bound[1]}/"


HANDLERS = (GuideRoutes,)
