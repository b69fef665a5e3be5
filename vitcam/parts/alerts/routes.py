"""Alerts: rules that people make on the page, beside those of the configuration, and browsers that get messages.

A person with the scope `control` chooses where webhooks go, also within the home's network: that is what they are for.
So what a receiver answers is never passed on, but for its status, and no redirect is followed.
"""

import asyncio
import time
from collections import OrderedDict
from dataclasses import replace
from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.parts.alerts.ntfy import phone_link
from vitcam.parts.alerts.running_alerts import RunningAlerts
from vitcam.pictures.address_code import svg_code
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.admission import Admission
from vitcam.web.requests.body import Body, BodyLimits, read_json
from vitcam.web.requests.versions import Precondition, remembered
from vitcam.web.revisions import Document
from vitcam.web.route import BODY_REFUSALS, Route, as_json

_ALERT = BodyLimits(16384, 5.0, "the alert")
_NO_STORE = {"Cache-Control": "no-store"}
_PAUSE_S = 3.0
_MOST_TRIED = 64
_TOLD = ("trouble", "last")
"""What an alert or a rule says of itself that nobody changes."""
_REFUSALS = (*BODY_REFUSALS, 404)


class AlertRoutes(Handlers):
    """Lists, makes, changes, deletes and tries them."""

    def __init__(self, app: AppContext) -> None:
        self._alerts = app.parts.objects.one(RunningAlerts)
        self._reads = app.threads.reads
        self._admission = Admission.of_changes(_ALERT, app.threads.change)
        self._versions = app.versions
        self._tried: OrderedDict[str, float] = OrderedDict()

    @Route("GET", "/api/alerts", Scope.READ, answers=as_json("Alerts"), refusals=(404,), versioned=True)
    async def show(self, _: web.Request) -> web.Response:
        """Alerts, the rules of the configuration, and what came of both last.

        Addresses are shown as far as that tells no secret. Each alert has an `etag` of its own, too.
        """
        alerts = self._all()
        return self._versions.answer(await asyncio.wrap_future(self._reads.submit(self._documents, alerts)))

    @Route("GET", "/api/alerts/{id}", Scope.READ, answers=as_json("Alert"), refusals=(404,), versioned=True)
    async def show_one(self, request: web.Request) -> web.Response:
        """An alert, and what came of it last."""
        alerts, id_ = self._all(), request.match_info["id"]
        return self._versions.answer(await asyncio.wrap_future(self._reads.submit(self._one, alerts, id_)))

    @Route(
        "POST",
        "/api/alerts",
        Scope.CONTROL,
        body=as_json("AlertRequest"),
        answers=as_json("ChangedAlert"),
        refusals=(404,),
        versioned=True,
    )
    async def make(self, request: web.Request) -> web.Response:
        """Make an alert.

        It acts from the next event on. `remembered` says whether the next run will have it, too. The ETag is that of
        the alert; `If-Match` may have that of all alerts.
        """
        alerts, version = self._all(), self._versions.precondition(request)
        return self._changed(await self._admission.serve(request, lambda body: self._make(alerts, body, version)))

    @Route(
        "PATCH",
        "/api/alerts/{id}",
        Scope.CONTROL,
        body=as_json("AlertRequest"),
        answers=as_json("ChangedAlert"),
        refusals=(404,),
        versioned=True,
    )
    async def change(self, request: web.Request) -> web.Response:
        """Change an alert.

        What is left out stays. An address that is sent as it was shown stays, too.
        """
        alerts, version, id_ = self._all(), self._versions.precondition(request), request.match_info["id"]

        def work(body: Body) -> tuple[Document, dict[str, Any]]:
            before, all_before = self._checked(alerts, id_, version)
            answer = alerts.change(id_, read_json(body)) or {}
            after = self._one(alerts, id_)
            version.note((before, after), (all_before, self._documents(alerts)))
            return after, answer

        return self._changed(await self._admission.serve(request, work))

    @Route(
        "DELETE", "/api/alerts/{id}", Scope.CONTROL, answers=as_json("Remembered"), refusals=_REFUSALS, versioned=True
    )
    async def delete(self, request: web.Request) -> web.Response:
        """Delete an alert."""
        alerts, version, id_ = self._all(), self._versions.precondition(request), request.match_info["id"]

        def work(_: Body) -> str:
            _gone, all_before = self._checked(alerts, id_, version)
            reason = alerts.delete(id_) or ""
            version.note((all_before, self._documents(alerts)))
            return reason

        return web.json_response(remembered(await self._admission.serve(request, work)))

    @Route("POST", "/api/alerts/{id}/try", Scope.CONTROL, answers=as_json("AlertTrial"), refusals=_REFUSALS)
    async def try_now(self, request: web.Request) -> web.Response:
        """Do now what an alert does, with an event that is made up.

        What comes of it stands soon among the `last` of the alert, under this `trial`.
        """
        alerts, id_ = self._all(), request.match_info["id"]
        self._wait_between(id_)
        trial = await self._admission.serve(request, lambda _: alerts.try_now(id_))
        return _found(None if trial is None else {"trial": trial})

    @Route(
        "POST",
        "/api/alerts/ntfy",
        Scope.CONTROL,
        body=as_json("AlertTopicRequest"),
        answers=as_json("AlertTopic"),
        refusals=(404,),
    )
    async def topic(self, request: web.Request) -> web.Response:
        """A topic of ntfy with its whole address, and as a code for a phone. Nothing is kept of it."""
        alerts = self._all()

        def work(body: Body) -> dict[str, str]:
            address = alerts.topic(read_json(body))
            link = phone_link(address)
            return {"address": address, "link": link, "code": svg_code(link)}

        return web.json_response(await self._admission.serve(request, work), headers=_NO_STORE)

    @Route("GET", "/api/alerts/push", Scope.CONTROL, answers=as_json("PushKey"), refusals=(400, 404))
    async def push_key(self, _: web.Request) -> web.Response:
        """The public key with which a browser allows messages."""
        key = await asyncio.wrap_future(self._reads.submit(self._all().push_key))
        return web.json_response({"key": key}, headers=_NO_STORE)

    @Route(
        "POST",
        "/api/alerts/push",
        Scope.CONTROL,
        body=as_json("PushRequest"),
        answers=as_json("Status"),
        refusals=(404,),
    )
    async def add_device(self, request: web.Request) -> web.Response:
        """Let a browser get messages."""
        alerts = self._all()
        await self._admission.serve(request, lambda body: alerts.add_device(read_json(body)))
        return web.json_response({"status": "ok"})

    @Route("DELETE", "/api/alerts/push/{id}", Scope.CONTROL, answers=as_json("Status"), refusals=_REFUSALS)
    async def remove_device(self, request: web.Request) -> web.Response:
        """Send no more messages to a browser."""
        alerts, id_ = self._all(), request.match_info["id"]
        removed = await self._admission.serve(request, lambda _: alerts.remove_device(id_))
        return _found({"status": "ok"} if removed else None)

    def _make(self, alerts: RunningAlerts, body: Body, version: Precondition) -> tuple[Document, dict[str, Any]]:
        before = self._documents(alerts)
        version.check(before)
        answer = alerts.make(read_json(body))
        made = self._one(alerts, answer["alert"]["id"])
        version.note((replace(made, value=None), made), (before, self._documents(alerts)))
        return made, answer

    def _checked(self, alerts: RunningAlerts, id_: str, version: Precondition) -> tuple[Document, Document]:
        """An alert before a change, and all of them. Raises OutOfDateError, HTTPNotFound."""
        before, all_before = self._one(alerts, id_), self._documents(alerts)
        version.check(before, all_before)
        return before, all_before

    def _documents(self, alerts: RunningAlerts) -> Document:
        """All alerts. A change of one is a change of all."""
        record, values = alerts.record(), alerts.values()
        listed = [each | {"etag": self._versions.etag_of(_document(each, values))} for each in record["alerts"]]
        rules = [{key: value for key, value in each.items() if key not in _TOLD} for each in record["rules"]]
        return Document("alerts", [values, rules, record["devices"]], {**record, "alerts": listed})

    def _one(self, alerts: RunningAlerts, id_: str) -> Document:
        """Raises HTTPNotFound."""
        found = next((each for each in alerts.record()["alerts"] if each["id"] == id_), None)
        if found is None:
            raise web.HTTPNotFound
        document = _document(found, alerts.values())
        return replace(document, record={**found, "etag": self._versions.etag_of(document)})

    def _changed(self, done: tuple[Document, dict[str, Any]]) -> web.Response:
        document, answer = done
        return self._versions.answer(replace(document, record={**answer, "alert": document.record}))

    def _all(self) -> RunningAlerts:
        if self._alerts is None:
            raise web.HTTPNotFound
        return self._alerts

    def _wait_between(self, id_: str) -> None:
        """Raises HTTPTooManyRequests: each trial sends something to somebody."""
        now_s = time.monotonic()
        if now_s - self._tried.get(id_, -_PAUSE_S) < _PAUSE_S:
            raise web.HTTPTooManyRequests(
                text=f"this alert was tried a moment ago; try it again in {_PAUSE_S:g} s", headers={"Retry-After": "3"}
            )
        self._tried.pop(id_, None)
        self._tried[id_] = now_s
        if len(self._tried) > _MOST_TRIED:
            self._tried.popitem(last=False)


def _document(alert: dict[str, Any], values: dict[str, Any]) -> Document:
    """alert: of `RunningAlerts.record`. values: of all alerts, with their secrets."""
    return Document(f"alerts/{alert['id']}", values.get(alert["id"]), alert)


def _found(record: dict[str, Any] | None) -> web.Response:
    if record is None:
        raise web.HTTPNotFound
    return web.json_response(record)


HANDLERS = (AlertRoutes,)
