"""What labels and groups are called. The page shows it and can change it."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.names.active import without_fixed
from vitcam.names.record import names_record, read_names
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.admission import Admission
from vitcam.web.requests.body import Body, BodyLimits, read_json
from vitcam.web.route import Route, as_json

log = logging.getLogger(__name__)

_NAMES = BodyLimits(131072, 5.0, "the names")
_NO_STORE = {"Cache-Control": "no-store"}


class NamesRoute(Handlers):
    """Shows the names, and replaces those of the page for the next frame."""

    def __init__(self, app: AppContext) -> None:
        self._model = app.parts.model
        self._names = app.parts.names
        self._reads = app.threads.reads
        self._admission = Admission.of_changes(_NAMES, app.threads.change)

    @Route("GET", "/api/names", Scope.READ, answers=as_json("Names"))
    async def show(self, _: web.Request) -> web.Response:
        """What labels and groups are called, and what the configuration fixes of it."""
        record = await asyncio.wrap_future(self._reads.submit(self._record))  # it takes 10 ms, and on a Pi more
        return web.json_response(record, headers=_NO_STORE)

    @Route(
        "PUT",
        "/api/names",
        Scope.CONTROL,
        body=as_json("NamesRequest"),
        answers=as_json("ChangedNames"),
        refusals=(409,),
    )
    async def change(self, request: web.Request) -> web.Response:
        """Replace the language and the names that were set on the page.

        From the next frame on. Answers 409 with the place where the configuration says otherwise. `remembered` says
        whether the next run will have them, too.
        """
        record, reason = await self._admission.serve(request, self._replace)
        return web.json_response({**record, "remembered": not reason, "reason": reason})

    def _replace(self, body: Body) -> tuple[dict[str, Any], str]:
        """Returns the names in force, and why they will not be remembered, or "". It writes to the disk."""
        labels, members = self._vocabulary()
        page, refusal = without_fixed(self._names.in_force.fixed, read_names(read_json(body)), labels, [*members])
        if refusal:
            raise web.HTTPConflict(text=refusal)
        before = self._record()["warning"]
        reason = self._names.replace(page)
        record = self._record()
        if record["warning"] not in ("", before):
            log.warning("%s", record["warning"])
        return record, reason

    def _record(self) -> dict[str, Any]:
        return names_record(self._names, *self._vocabulary())

    def _vocabulary(self) -> tuple[Sequence[str], Mapping[str, Sequence[int]]]:
        """The labels and groups of the model; words may have changed."""
        return self._model.value.labels, self._model.value.members
