"""Data sets of your own: collecting what the camera sees, and what was collected."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.parts.teach.datasets.collector import Collector, Wanted
from vitcam.parts.teach.datasets.store import LARGEST, MINE, DataSets
from vitcam.sentence import with_keys
from vitcam.storage.reading import read_file
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.admission import CHANGE, Admission
from vitcam.web.requests.body import Body, read_json
from vitcam.web.route import BODY_REFUSALS, Route, as_json

T = TypeVar("T")

_KEYS = frozenset({"label", "dataset", "zone", "count", "seconds", "whole"})
_FORM = (
    'send {"label": "cup", "count": 20}, or "seconds" in place of "count"; "dataset", "zone" and "whole" may be added'
)
_PICTURE = "/api/datasets/{name}/{label}/{picture}"
_CHANGED = (*BODY_REFUSALS, 404)
_NO_STORE = {"Cache-Control": "no-store"}


class DataSetRoutes(Handlers):
    """A thread reads and writes files."""

    def __init__(self, app: AppContext) -> None:
        self._collector = app.parts.objects.one(Collector)
        self._reads = app.threads.reads
        self._admission = Admission.of_changes(CHANGE, app.threads.edit)

    @Route(
        "POST",
        "/api/collect",
        Scope.CONTROL,
        body=as_json("CollectRequest"),
        answers=as_json("Recorded"),
        refusals=(404,),
    )
    async def collect(self, request: web.Request) -> web.Response:
        """Collect pictures of what the camera sees from now on, under a label.

        Frames that look like one that was taken are left out.
        """
        collector = self._found()
        found = await self._admission.serve(request, lambda body: collector.begin(read_wanted(read_json(body))))
        return web.json_response(with_keys(asdict(found)))

    @Route("GET", "/api/collect", Scope.READ, answers=as_json("Recorded"), refusals=(404,))
    async def progress(self, _: web.Request) -> web.Response:
        """How the newest recording is."""
        return web.json_response(with_keys(asdict(self._found().state())), headers=_NO_STORE)

    @Route("DELETE", "/api/collect", Scope.CONTROL, answers=as_json("Recorded"), refusals=_CHANGED)
    async def stop(self, request: web.Request) -> web.Response:
        """End the recording. What was taken is kept."""
        collector = self._found()
        return web.json_response(with_keys(asdict(await self._admission.serve(request, lambda _: collector.end()))))

    @Route("GET", "/api/datasets", Scope.READ, answers=as_json("DataSets"), refusals=(404, 503))
    async def list_all(self, _: web.Request) -> web.Response:
        """The data sets, their labels, and how much room they take."""
        return await self._read(_all)

    @Route("GET", "/api/datasets/{name}/{label}", Scope.READ, answers=as_json("Pictures"), refusals=(400, 404))
    async def list_pictures(self, request: web.Request) -> web.Response:
        """The pictures of a label, the oldest first."""
        name, label = request.match_info["name"], request.match_info["label"]
        return await self._read(lambda data_sets: {"pictures": data_sets.pictures(name, label)})

    @Route(
        "GET",
        "/api/datasets/{name}/{label}/{picture}",
        Scope.READ,
        answers={"image/jpeg": {}},
        refusals=(400, 404, 503),
    )
    async def picture(self, request: web.Request) -> web.Response:
        """One of these pictures, as it is taught."""
        data_sets, asked = self._found().data_sets, request.match_info

        def read() -> bytes:
            return read_file(data_sets.picture(asked["name"], asked["label"], asked["picture"]), LARGEST)

        try:
            jpeg = await asyncio.wrap_future(self._reads.submit(read))
        except OSError:
            raise web.HTTPNotFound from None
        return web.Response(body=jpeg, content_type="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})

    @Route(
        "PATCH",
        _PICTURE,
        Scope.CONTROL,
        body=as_json("PictureEdit"),
        answers=as_json("DataSets"),
        refusals=(404,),
    )
    async def rename(self, request: web.Request) -> web.Response:
        """Give a picture another label.

        Where one of that label has its name, it gets another number.
        """
        asked = request.match_info
        return await self._change(
            request,
            lambda data_sets, body: data_sets.rename(
                asked["name"], asked["label"], asked["picture"], _label_in(read_json(body))
            ),
        )

    @Route("DELETE", "/api/datasets/{name}", Scope.CONTROL, answers=as_json("DataSets"), refusals=_CHANGED)
    async def delete_set(self, request: web.Request) -> web.Response:
        """Delete a data set for good."""
        name = request.match_info["name"]
        return await self._change(request, lambda data_sets, _: data_sets.delete(name))

    @Route("DELETE", "/api/datasets/{name}/{label}", Scope.CONTROL, answers=as_json("DataSets"), refusals=_CHANGED)
    async def delete_label(self, request: web.Request) -> web.Response:
        """Delete all pictures of a label for good."""
        asked = request.match_info
        return await self._change(request, lambda data_sets, _: data_sets.delete(asked["name"], asked["label"]))

    @Route(
        "DELETE",
        "/api/datasets/{name}/{label}/{picture}",
        Scope.CONTROL,
        answers=as_json("DataSets"),
        refusals=_CHANGED,
    )
    async def delete_picture(self, request: web.Request) -> web.Response:
        """Delete a picture for good."""
        asked = request.match_info
        return await self._change(
            request, lambda data_sets, _: data_sets.delete(asked["name"], asked["label"], asked["picture"])
        )

    def _found(self) -> Collector:
        if self._collector is None:
            raise web.HTTPNotFound(text="this run keeps no pictures: it is one of files, or there is no state folder")
        return self._collector

    async def _read(self, read: Callable[[DataSets], dict[str, Any]]) -> web.Response:
        record = await asyncio.wrap_future(self._reads.submit(read, self._found().data_sets))
        return web.json_response(record, headers=_NO_STORE)

    async def _change(self, request: web.Request, change: Callable[[DataSets, Body], None]) -> web.Response:
        data_sets = self._found().data_sets

        def work(body: Body) -> dict[str, Any]:
            change(data_sets, body)
            return _all(data_sets)

        return web.json_response(await self._admission.serve(request, work))


def read_wanted(body: Any) -> Wanted:
    """What a request asks for. Raises UsageError."""
    if not isinstance(body, dict) or not body.keys() <= _KEYS or not isinstance(body.get("label"), str):
        raise UsageError(_FORM)
    count, seconds, zone = body.get("count"), body.get("seconds"), body.get("zone")
    whole, dataset = body.get("whole", False), body.get("dataset", MINE)
    numbers = type(count) in (int, type(None)) and type(seconds) in (int, float, type(None))
    texts = isinstance(dataset, str) and isinstance(zone, (str, type(None)))
    if not numbers or not texts or not isinstance(whole, bool) or (count is not None and seconds is not None):
        raise UsageError(_FORM)
    return Wanted(body["label"], dataset, zone, count, None if seconds is None else float(seconds), whole)


def _label_in(body: Any) -> str:
    label = body.get("label") if isinstance(body, dict) and len(body) == 1 else None
    if not isinstance(label, str):
        raise UsageError('send {"label": "cup"}')
    return label


def _all(data_sets: DataSets) -> dict[str, Any]:
    found = data_sets.all()
    return {
        "datasets": [asdict(each) for each in found],
        "bytes": sum(each.bytes for each in found),
        "max_mb": data_sets.max_mb,
    }
