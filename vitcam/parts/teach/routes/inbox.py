"""The inbox: pictures of which the model was unsure, and what a person says of them."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.parts.teach.inbox.answers import InboxAnswers
from vitcam.parts.teach.inbox.entry import InboxEntry
from vitcam.parts.teach.inbox.keeper import InboxKeeper
from vitcam.parts.teach.inbox.target import ENOUGH, TeachingTarget, target_of
from vitcam.sentence import with_keys
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.admission import CHANGE, Admission
from vitcam.web.requests.body import Body, read_json
from vitcam.web.route import BODY_REFUSALS, Route, as_json
from vitcam.wire import rfc3339

_KEYS = frozenset({"label", "dataset"})
_FORM = 'send {"label": "cup"}, or {"label": null} to throw the picture away; "dataset" may be added'
_CHANGED = (*BODY_REFUSALS, 404)
_NO_STORE = {"Cache-Control": "no-store"}


class InboxRoutes(Handlers):
    """A thread reads and writes files."""

    def __init__(self, app: AppContext) -> None:
        keeper = app.parts.objects.one(InboxKeeper)
        self._answers = None if keeper is None else keeper.answers
        self._model = app.parts.model
        self._reads = app.threads.reads
        self._admission = Admission.of_changes(CHANGE, app.threads.edit)

    @Route("GET", "/api/inbox", Scope.READ, answers=as_json("Inbox"), refusals=(404, 503))
    async def show(self, _: web.Request) -> web.Response:
        """The pictures that wait to be named, the most informative first, and what the names are taught to."""
        answers = self._found()
        record = await asyncio.wrap_future(self._reads.submit(self._record, answers))
        return web.json_response(record, headers=_NO_STORE)

    @Route("GET", "/api/inbox/{id}/frame.jpg", Scope.READ, answers={"image/jpeg": {}}, refusals=(400, 404, 503))
    async def picture(self, request: web.Request) -> web.Response:
        """One of these pictures: what the model saw."""
        inbox, entry_id = self._found().inbox, request.match_info["id"]
        jpeg = await asyncio.wrap_future(self._reads.submit(inbox.picture, entry_id))
        return web.Response(body=jpeg, content_type="image/jpeg", headers=_NO_STORE)

    @Route(
        "POST", "/api/inbox/{id}", Scope.CONTROL, body=as_json("InboxAnswer"), answers=as_json("Inbox"), refusals=(404,)
    )
    async def answer(self, request: web.Request) -> web.Response:
        """Say what a picture shows: it goes into the data set. With the label null it is thrown away.

        The data set is that of the model in use, if none is named. `DELETE /api/inbox/{id}/answer` takes it back.
        """
        entry_id = request.match_info["id"]

        def work(answers: InboxAnswers, body: Body) -> None:
            label, dataset = _read(read_json(body))
            if label is None:
                answers.throw_away(entry_id)
            else:
                answers.name(entry_id, dataset or self._target(answers).dataset, label)

        return await self._change(request, work)

    @Route("DELETE", "/api/inbox/{id}/answer", Scope.CONTROL, answers=as_json("Inbox"), refusals=_CHANGED)
    async def take_back(self, request: web.Request) -> web.Response:
        """Take back one of the last ten answers: the picture waits again."""
        entry_id = request.match_info["id"]
        return await self._change(request, lambda answers, _: answers.take_back(entry_id))

    @Route("DELETE", "/api/inbox", Scope.CONTROL, answers=as_json("Inbox"), refusals=_CHANGED)
    async def clear(self, request: web.Request) -> web.Response:
        """Delete all pictures that wait, for good."""

        def work(answers: InboxAnswers, _: Body) -> None:
            answers.drop_pixels()
            answers.inbox.clear()

        return await self._change(request, work)

    def _found(self) -> InboxAnswers:
        if self._answers is None:
            raise web.HTTPNotFound(
                text="this run has no inbox: inbox.enabled or store.enabled is off, it is one of files, or there is no "
                "state folder"
            )
        return self._answers

    async def _change(self, request: web.Request, change: Callable[[InboxAnswers, Body], None]) -> web.Response:
        answers = self._found()

        def work(body: Body) -> dict[str, Any]:
            change(answers, body)
            return self._record(answers)

        return web.json_response(await self._admission.serve(request, work))

    def _record(self, answers: InboxAnswers) -> dict[str, Any]:
        target, inbox = self._target(answers), answers.inbox
        entries = inbox.entries()
        known = next((each.labels for each in answers.data_sets.all() if each.name == target.dataset), {})
        record = {
            "pictures": [_entry_record(each) for each in entries],
            "bytes": sum(each.size for each in entries),
            "most": inbox.limits.pictures,
            "max_mb": inbox.limits.max_mb,
            "trouble": inbox.trouble,
            "labels": sorted(known, key=lambda label: -known[label]),
            "counts": known,
            "enough": ENOUGH,
            **asdict(target),
            "corrections": answers.untaught.count(target.dataset, self._model.value.info.taught_pictures),
        }
        return with_keys(record)

    def _target(self, answers: InboxAnswers) -> TeachingTarget:
        model = self._model.value
        return target_of(model.info.card, model.name_or_file, answers.data_sets)


def _entry_record(entry: InboxEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "why": entry.why,
        "time": rfc3339(entry.taken_ms / 1000),
        "top": [asdict(guess) for guess in entry.top],
        "model": entry.model,
        "zone": entry.zone,
        "label": entry.label,
    }


def _read(body: Any) -> tuple[str | None, str]:
    """The label, and the data set; empty: that of the model. Raises UsageError."""
    if not isinstance(body, dict) or "label" not in body or not body.keys() <= _KEYS:
        raise UsageError(_FORM)
    label, dataset = body["label"], body.get("dataset", "")
    if not isinstance(label, (str, type(None))) or not isinstance(dataset, str):
        raise UsageError(_FORM)
    return label, dataset
