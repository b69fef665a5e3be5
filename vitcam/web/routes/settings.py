"""The settings that a person may change on the page, each with where its value comes from."""

import asyncio
from typing import TYPE_CHECKING

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import FixedElsewhere, UsageError
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.admission import Admission
from vitcam.web.requests.body import Body, BodyLimits, read_json
from vitcam.web.requests.versions import Precondition, remembered
from vitcam.web.revisions import Document
from vitcam.web.route import Route, as_json

if TYPE_CHECKING:
    from vitcam.daemon.running_settings import RunningSettings

_SETTINGS = BodyLimits(16384, 5.0, "the settings")
_FORM = (
    'send {"events.enter": 0.6, "store.keep_days": null}: names as in GET /api/settings, and a new value or null for '
    "the default"
)


class SettingsRoutes(Handlers):
    """Shows them, and changes those that the configuration does not fix."""

    def __init__(self, app: AppContext) -> None:
        self._settings = app.parts.settings
        self._reads = app.threads.reads
        self._admission = Admission.of_changes(_SETTINGS, app.threads.change)
        self._changes = app.changes
        self._versions = app.versions

    @Route("GET", "/api/settings", Scope.CONTROL, answers=as_json("Settings"), refusals=(404,), versioned=True)
    async def show(self, _: web.Request) -> web.Response:
        """The settings that the page may change, and what the configuration fixes."""
        choice = self._choice()
        return self._versions.answer(await asyncio.wrap_future(self._reads.submit(_document, choice)))

    @Route(
        "PATCH",
        "/api/settings",
        Scope.CONTROL,
        body=as_json("SettingsRequest"),
        answers=as_json("ChangedSettings"),
        refusals=(404, 409),
        versioned=True,
    )
    async def change(self, request: web.Request) -> web.Response:
        """Change settings; null resets one to its default.

        All of them or none. From the next frame on, where `live` says so, else from the next start on. Answers 409 with
        the place where the configuration fixes one. `remembered` says whether the next run will use them, too.
        """
        choice, version = self._choice(), self._versions.precondition(request)
        document, reason = await self._admission.serve(request, lambda body: _change(choice, body, version))
        return self._versions.answer(document, remembered(reason))

    @Route("POST", "/api/restart", Scope.CONTROL, answers=as_json("Status"), refusals=(400, 404, 409))
    async def restart(self, request: web.Request) -> web.Response:
        """Start vitcam again, where it runs as a service. Answers 409 where nothing would start it."""
        choice = self._choice()
        await self._changes.serve(request, lambda _: _restart(choice))
        return web.json_response({"status": "restarting"})

    def _choice(self) -> "RunningSettings":
        if self._settings is None:
            raise web.HTTPNotFound(text="nothing can be set in this run")
        return self._settings


def _document(choice: "RunningSettings") -> Document:
    """It reads files."""
    return Document("settings", choice.values(), choice.record())


def _change(choice: "RunningSettings", body: Body, version: Precondition) -> tuple[Document, str]:
    """The settings then, and why they are not kept, or ""."""
    before = _document(choice)
    version.check(before)
    values = read_json(body)
    if not isinstance(values, dict) or not values:
        raise UsageError(_FORM)
    try:
        reason = choice.change(values)
    except FixedElsewhere as error:
        raise web.HTTPConflict(text=str(error)) from error
    after = _document(choice)
    version.note((before, after))
    return after, reason


def _restart(choice: "RunningSettings") -> None:
    try:
        choice.restart()
    except FixedElsewhere as error:
        raise web.HTTPConflict(text=str(error)) from error
