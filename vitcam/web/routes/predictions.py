"""Server-sent events: of predictions a client gets the newest when it has read the last, of events every one."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.frames import Place, Prediction
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.slot import Slot
from vitcam.text import shortened
from vitcam.web.async_slot import AsyncSlot
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import NUMBER, TEXT, described, one_of, switch
from vitcam.web.requests.base_path import base_of
from vitcam.web.requests.proxies import address_of
from vitcam.web.route import ENDLESS, Route
from vitcam.web.routes.live_events import EventInbox, LiveEvents
from vitcam.web.routes.live_state import EVERY_S, LiveState
from vitcam.web.stream.back_pressure import BackPressure, transport_of
from vitcam.wire import frame_record, nested_lists, prediction_record, shown_record

_HEADERS = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}
_MAX_PER_S = 30.0
_KEEP_ALIVE_S, _LEAST_S, _MOST_S = 15.0, 1.0, 60.0
_WRITE_TIMEOUT_S = 30.0
_ALLOWED_UNREAD = 4096  # a few messages
_RETRY = (
    b"retry: 1000\n"  # how soon a browser comes back after a restart, in ms; in a block with data, as some clients want
)
_COMMENT = b":\n\n"
_MOST_MESSAGES = 256


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a client wants to get, beside events."""

    predictions: bool = True
    attention: bool = False
    """With each prediction."""
    state: bool = False
    """Whenever it changes."""
    keep_alive_s: float = _KEEP_ALIVE_S
    """A client hears something at least so often."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Self:
        """What the parameters of a request say. Raises UsageError."""
        return cls(
            predictions=query.get("only") != "events" and query.get("predictions") != "0",
            attention=query.get("attention") == "1",
            state=query.get("predictions") == "0",
            keep_alive_s=_seconds(query.get("heartbeat", str(_KEEP_ALIVE_S))),
        )


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not _LEAST_S <= value <= _MOST_S:
        raise UsageError(f"heartbeat is {shortened(text)!r}; send a number of seconds from {_LEAST_S:g} to {_MOST_S:g}")
    return value


class PredictionFeed:
    """Serialises each prediction once, however many clients receive it.

    latest  holds the newest prediction of each place, since the slot holds that of the last place alone
    state   None: nobody is told how the run is
    """

    def __init__(
        self, slot: AsyncSlot[Prediction], latest: Slot[ClassifiedFrame], events: LiveEvents, state: LiveState | None
    ) -> None:
        self._slot = slot
        self._latest = latest
        self._events = events
        self._state = state
        self._messages: dict[tuple[bool, Place], tuple[Prediction, bytes]] = {}

    async def send(
        self,
        response: web.StreamResponse,
        transport: asyncio.Transport,
        asked: Subscription,
        last_id: str | None,
        base: str,
    ) -> None:
        """Send what is asked for until the client leaves or stops reading.

        last_id  the last event that the client has got in an earlier connection
        base     where a proxy shows vitcam to it
        """
        client = _Client(response, transport)
        try:
            await response.write(_COMMENT)  # so that the client has the head of the answer
            with self._events.inbox(base) as inbox:
                for message in await self._events.missed(last_id, base):
                    await client.write(message)
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._send_events(client, inbox))
                    group.create_task(self._send_predictions(client, asked))
                    if asked.state and self._state:
                        group.create_task(self._send_state(client, self._state))
        except* (ConnectionError, TimeoutError):
            transport.abort()

    async def _send_events(self, client: "_Client", inbox: EventInbox) -> None:
        while True:
            await client.write(await inbox.next())

    async def _send_predictions(self, client: "_Client", asked: Subscription) -> None:
        version = 0
        sent: tuple[Prediction, ...] = ()
        while True:
            if not asked.predictions:
                await asyncio.sleep(asked.keep_alive_s)
                await client.write(_COMMENT)
                continue
            found = await self._slot.newer(version, asked.keep_alive_s)
            newest = self._newest(found[1]) if found else ()
            fresh = [self._message(each, attention=asked.attention) for each in newest if each not in sent]
            await client.write(b"".join(fresh) or _COMMENT)
            sent = newest or sent
            version = found[0] if found else version
            await asyncio.sleep(1 / _MAX_PER_S)

    async def _send_state(self, client: "_Client", state: LiveState) -> None:
        sent = b""
        while True:
            if (message := state.message()) is not sent:
                await client.write(message)
                sent = message
            await asyncio.sleep(EVERY_S)

    def _newest(self, prediction: Prediction) -> tuple[Prediction, ...]:
        """With zones, and while something is followed, the newest prediction of each place, else this one."""
        latest = self._latest.peek()
        return latest.looks if latest is not None and latest.looks else (prediction,)

    def _message(self, prediction: Prediction, *, attention: bool) -> bytes:
        key = (attention, prediction.place)
        cached = self._messages.get(key)
        if cached is None or cached[0] is not prediction:
            if len(self._messages) > _MOST_MESSAGES:  # places that are gone
                self._messages.clear()
            cached = self._messages[key] = (prediction, _serialise(prediction, attention=attention))
        return cached[1]


class PredictionRoutes(Handlers):
    """Predictions and events as they come."""

    def __init__(self, app: AppContext) -> None:
        parts = app.parts
        self._clients = app.viewers["predictions"]
        live_events = LiveEvents(parts.history, app.threads.reads)
        parts.pages.attach(live_events)
        state = LiveState(parts.report) if parts.report else None
        self._feed = PredictionFeed(AsyncSlot(parts.predicted), parts.latest, live_events, state)

    @Route(
        "GET",
        "/api/predictions",
        Scope.READ,
        limits=ENDLESS,
        parameters={
            "attention": switch("1: with the attention of each head."),
            "only": one_of(("events",), "events: no predictions."),
            "predictions": one_of(("0",), "0: no predictions, and the state whenever it changes."),
            "heartbeat": described(
                NUMBER | {"minimum": _LEAST_S, "maximum": _MOST_S, "default": _KEEP_ALIVE_S},
                "Seconds after which a comment comes where nothing else has.",
            ),
        },
        answers={
            "text/event-stream": described(
                TEXT,
                "`prediction`, whose data are a `LivePrediction`; `event`, whose data are an `Event`; `alert`, whose "
                "data are an `AlertSound`; `state`, whose data are a `LiveState`.",
            )
        },
        refusals=(400, 503),
    )
    async def follow(self, request: web.Request) -> web.StreamResponse:
        """Every prediction, as server-sent events."""
        asked = Subscription.of(request.query)
        response = web.StreamResponse(headers=_HEADERS)
        if request.method == "HEAD":
            await response.prepare(request)
            return response
        with self._clients.reserve(address_of(request)):
            await response.prepare(request)
            last_id = request.headers.get("Last-Event-ID")
            await self._feed.send(response, transport_of(request), asked, last_id, base_of(request))
        return response


class _Client:
    """One connection: a message is written once the ones before it were read."""

    def __init__(self, response: web.StreamResponse, transport: asyncio.Transport) -> None:
        self._response = response
        self._back_pressure = BackPressure(transport, self._probe)
        self._turn = asyncio.Lock()
        self._greeting = _RETRY

    async def write(self, message: bytes) -> None:
        """Raises ConnectionError if the client has left, TimeoutError if it does not read."""
        async with asyncio.timeout(_WRITE_TIMEOUT_S), self._turn:
            if message != _COMMENT:
                message, self._greeting = self._greeting + message, b""
            await self._response.write(message)
            await self._back_pressure.wait_until_read(_ALLOWED_UNREAD)

    async def _probe(self, size: int) -> None:
        await self._response.write(b":" + b"." * size + b"\n\n")


def _serialise(prediction: Prediction, *, attention: bool) -> bytes:
    """Without an id: a client that comes back names the last one, and it must be that of an event."""
    headline = shown_record(prediction.told)
    record = {**prediction_record(prediction), "headline": headline, "frame": frame_record(prediction)}
    if attention:
        record["attention"] = nested_lists(prediction.attention)
    return f"event: prediction\ndata: {json.dumps(record)}\n\n".encode()
