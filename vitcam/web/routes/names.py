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
from vitcam.web.requests.versions import Precondition, remembered
from vitcam.web.revisions import Document
from vitcam.web.route import Route, as_json

log = logging.getLogger(__name__)

_NAMES = BodyLimits(131072, 5.0, "the names")


class NamesRoute(Handlers):
    """Shows the names, and replaces those of the page for the next frame."""

    def __init__(self, app: AppContext) -> None:
        self._model = app.parts.model
        self._names = app.parts.names
        self._versions = app.versions
        self._reads = app.threads.reads
        self._admission = Admission.of_changes(_NAMES, app.threads.change)

    @Route("GET", "/api/names", Scope.READ, answers=as_json("Names"), versioned=True)
    async def show(self, _: web.Request) -> web.Response:
        """What labels and groups are called, and what the configuration fixes of it."""
        document = await asyncio.wrap_future(self._reads.submit(self._document))  # it takes 10 ms, and on a Pi more
        return self._versions.answer(document)

    @Route(
        "PUT",
        "/api/names",
        Scope.CONTROL,
        body=as_json("NamesRequest"),
        answers=as_json("ChangedNames"),
        refusals=(409,),
        versioned=True,
    )
    async def change(self, request: web.Request) -> web.Response:
        """Replace the language and the names that were set on the page.

        From the next frame on. Answers 409 with the place where the configuration says otherwise. `remembered` says
        whether the next run will have them, too. `removed` has the names that were there and are not any more.
        """
        version = self._versions.precondition(request)
        document, more = await self._admission.serve(request, lambda body: self._replace(body, version))
        return self._versions.answer(document, more)

    def _replace(self, body: Body, version: Precondition) -> tuple[Document, dict[str, Any]]:
        """Returns the names in force, and what else the answer says. It writes to the disk."""
        before = self._document()
        version.check(before)
        labels, members = self._vocabulary()
        page, refusal = without_fixed(self._names.in_force.fixed, read_names(read_json(body)), labels, [*members])
        if refusal:
            raise web.HTTPConflict(text=refusal)
        reason = self._names.replace(page)
        document = self._document()
        version.note((before, document))
        if (warning := document.record["warning"]) not in ("", before.record["warning"]):
            log.warning("%s", warning)
        names = document.record["names"]
        removed = {label: name for label, name in before.record["names"].items() if label not in names}
        return document, {**remembered(reason), "removed": removed}

    def _document(self) -> Document:
        record = names_record(self._names, *self._vocabulary())
        return Document("names", {"language": record["language"], "names": record["names"]}, record)

    def _vocabulary(self) -> tuple[Sequence[str], Mapping[str, Sequence[int]]]:
        """The labels and groups of the model; words may have changed."""
        return self._model.value.labels, self._model.value.members
