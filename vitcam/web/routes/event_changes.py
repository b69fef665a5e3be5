"""Changes of the history: another label, favourites, and deleting one event or many."""

from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.history.query_text import FILTERS, read_query
from vitcam.history.record import stored_record
from vitcam.history.store import EventStore
from vitcam.history.stored import StoredEvent
from vitcam.run.kinds import Learns
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.admission import CHANGE, Admission
from vitcam.web.requests.base_path import base_of
from vitcam.web.requests.body import Body, read_json
from vitcam.web.route import BODY_REFUSALS, Route, as_json
from vitcam.web.routes.events import PARAMETERS, store_or_404

_LONGEST_LABEL = 100
_REFUSALS = (*BODY_REFUSALS, 404)


class EventChanges(Handlers):
    """Changes what is stored, in a thread of its own."""

    def __init__(self, app: AppContext) -> None:
        self._history = app.parts.history
        self._learning = app.parts.objects.each(Learns)
        self._vocabulary = app.parts.vocabulary()
        self._admission = Admission.of_changes(CHANGE, app.threads.edit)

    @Route(
        "PATCH", "/api/events/{id}", Scope.CONTROL, body=as_json("EventEdit"), answers=as_json("Event"), refusals=(404,)
    )
    async def patch(self, request: web.Request) -> web.Response:
        """Give an event another label, or make it a favourite."""
        store, event_id = store_or_404(self._history), request.match_info["id"]

        def work(body: Body) -> StoredEvent | None:
            wanted = read_json(body)
            changed = _change(store, event_id, wanted)
            if self._learning and changed is not None and "label" in wanted:
                with store.underway.begin():
                    picture = store.seen(changed)
                    for each in self._learning:
                        each.corrected(changed, picture)
            return changed

        changed = await self._admission.serve(request, work)
        if changed is None:
            raise web.HTTPNotFound
        return web.json_response(stored_record(changed, base=base_of(request)))

    @Route("DELETE", "/api/events/{id}", Scope.CONTROL, answers=as_json("Deleted"), refusals=_REFUSALS)
    async def delete(self, request: web.Request) -> web.Response:
        """Delete an event with all its files."""
        store, event_id = store_or_404(self._history), request.match_info["id"]
        if not await self._admission.serve(request, lambda _: store.delete(event_id)):
            raise web.HTTPNotFound
        return web.json_response({"deleted": 1, "more": False})

    @Route(
        "DELETE", "/api/events", Scope.CONTROL, parameters=PARAMETERS, answers=as_json("Deleted"), refusals=_REFUSALS
    )
    async def delete_many(self, request: web.Request) -> web.Response:
        """Delete all events that the filters mean.

        Without a filter it is refused. What takes longer than some seconds is not done at once: `more` says that there
        are others.
        """
        store = store_or_404(self._history)
        if read_query(request.query).is_empty:
            raise UsageError(f"say which events to delete, with at least one of: {', '.join(FILTERS)}")

        def delete(_: Body) -> dict[str, Any]:
            query = read_query(request.query, self._vocabulary.names_of)
            deleted = store.delete_some(query)
            return {"deleted": deleted, "more": bool(store.find(query, 1).events)}

        return web.json_response(await self._admission.serve(request, delete))


def _change(store: EventStore, event_id: str, wanted: Any) -> StoredEvent | None:
    """None: there is no such event. Raises UsageError, VitcamError."""
    if not isinstance(wanted, dict) or not wanted or not wanted.keys() <= {"label", "favourite"}:
        raise UsageError('send {"label": "cup"}, {"label": null}, {"favourite": true} or {"favourite": false}')
    label, favourite = wanted.get("label"), wanted.get("favourite")
    if "favourite" in wanted and not isinstance(favourite, bool):
        raise UsageError("favourite must be true or false")
    if label is not None and not _is_label(label):
        raise UsageError(f"the label must be a text of 1 to {_LONGEST_LABEL} characters on one line, or null")
    changed = None
    if "label" in wanted:
        changed = store.correct(event_id, label)
    if isinstance(favourite, bool):
        changed = store.set_favourite(event_id, favourite)
    return changed


def _is_label(label: Any) -> bool:
    return isinstance(label, str) and len(label.strip()) > 0 and len(label) <= _LONGEST_LABEL and label.isprintable()
