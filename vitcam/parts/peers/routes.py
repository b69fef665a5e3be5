"""Other cameras beside this one: how each is, and its newest still. They are fetched while somebody asks for them.

Who may do everything here adds cameras, also within the home's network: that is where they are. What an address answers
is passed on only as far as a vitcam says it.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path
from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError, VitcamError
from vitcam.history.record import stored_record
from vitcam.history.stored import Query
from vitcam.parts.peers.access import forget_peer_access, rename_peer
from vitcam.parts.peers.answers import Caption, LastEvent, PeerStatus, last_event_of
from vitcam.parts.peers.peer import Peer
from vitcam.parts.peers.watch import PeerSeen, PeerWatch, Still
from vitcam.sentence import with_keys
from vitcam.slot import Slot
from vitcam.web.async_slot import AsyncSlot
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import COUNT, FLAG, NUMBER, TEXT, Schema, array_of, described, nullable, of_type, record
from vitcam.web.requests.admission import CHANGE, Admission
from vitcam.web.requests.body import Body, read_json
from vitcam.web.requests.middleware import error_response
from vitcam.web.route import BODY_REFUSALS, JSON, RequestLimits, Route, as_json

_NO_STORE = {"Cache-Control": "no-store"}
_OLD_S = 6.0
"""A still that is older is not served: the camera has given none since."""
_PATIENCE_S = 5.5
"""For the first still of a camera that nobody watched: longer than it may take to answer."""
_PICTURES = RequestLimits(at_once=128, of_one_address=96)

_SEEN: dict[str, Schema] = {
    "status": nullable(of_type(PeerStatus), "Null: it has not answered yet. `away`: it gives no answer."),
    "reason": described(TEXT, "Why it gives no picture; empty while all is well."),
    "caption": nullable(of_type(Caption), "What is displayed; null: nothing is known."),
    "last": nullable(of_type(LastEvent), "What happened last, by the clock of that camera."),
}
_OTHER: dict[str, Schema] = {
    "name": TEXT,
    "address": described(TEXT, "Of its page."),
    "still": nullable(COUNT, "Another number for each picture; null: there is none now."),
    "age_s": nullable(NUMBER, "How old the picture is."),
    "added": described(FLAG, "It was added on the page, and can be renamed and removed there."),
}
_SECRETS = ("token", "password", "fingerprint")
_WANTED = record(
    {
        "address": described(TEXT, "As browsers take it; without a scheme http and https are tried, and port 8420."),
        "name": described(TEXT, "Else the address says it."),
        "token": described(TEXT, "Of `POST /api/tokens` or `vitcam token create` there."),
        "password": described(TEXT, "A token is asked for with it, and kept in its place."),
        "fingerprint": described(TEXT, "SHA-256 of the certificate that is trusted."),
    },
    optional=("name", *_SECRETS),
) | {"additionalProperties": False}
_ADDED = record({"name": TEXT, "address": TEXT})
_NAMED = record({"name": described(TEXT, "Another name.")}) | {"additionalProperties": False}
_FORM = 'send {"address": "192.168.1.21", "password": "…"}; "name", "token" and "fingerprint" are optional texts'
_PEERS = record({"this": record(_SEEN), "peers": array_of(record(_SEEN | _OTHER))})


class PeerRoutes(Handlers):
    """Asks the thread that fetches, which ends its work when nobody has asked for a while."""

    def __init__(self, app: AppContext) -> None:
        self._parts = app.parts
        self._watch = app.parts.objects.one(PeerWatch) or PeerWatch((), None)
        self._reads = app.threads.reads
        self._asking = Admission.of_changes(CHANGE, app.threads.fetch)
        self._changes = Admission.of_changes(CHANGE, app.threads.edit)

    @Route("GET", "/api/peers", Scope.READ, answers={JSON: _PEERS})
    async def show(self, _: web.Request) -> web.Response:
        """The cameras of the wall: this one and its peers, what each displays, and what happened last."""
        self._watch.look()
        now_s = time.monotonic()
        peers = [
            {**_record(peer, self._slot(peer.name).peek(), now_s), "added": self._watch.is_added(peer.name)}
            for peer in self._watch.peers
        ]
        return web.json_response(with_keys({"this": await self._this(), "peers": peers}), headers=_NO_STORE)

    @Route(
        "GET",
        "/api/peers/{name}/snapshot.jpg",
        Scope.READ,
        limits=_PICTURES,
        answers={"image/jpeg": {}},
        refusals=(404, 503),
    )
    async def still(self, request: web.Request) -> web.Response:
        """The newest still of another camera, a second or two old. 503 with the reason where it gives none."""
        name = request.match_info["name"]
        if self._watch.slot(name) is None:
            raise web.HTTPNotFound(text="there is no camera of that name; `/api/peers` lists them")
        self._watch.look()
        found = await self._fresh(name)
        if isinstance(found, str):
            return error_response(HTTPStatus.SERVICE_UNAVAILABLE, found)
        return web.Response(body=found.jpeg, content_type="image/jpeg", headers=_NO_STORE)

    @Route("POST", "/api/peers", Scope.CONTROL, body={JSON: _WANTED}, answers={JSON: _ADDED}, refusals=(404, 409))
    async def add(self, request: web.Request) -> web.Response:
        """Add another camera. It is asked at once, and kept only once it has answered.

        Answers 409 with its `fingerprint` where its certificate is its own: sent again with that, it is trusted.
        """
        from vitcam.parts.peers.adding import CertificateToTrust, WantedPeer, add_peer  # few cameras have peers

        folder = self._folder()

        def work(body: Body) -> Peer:
            found = read_json(body)
            texts = isinstance(found, dict) and all(isinstance(each, str) for each in found.values())
            if not texts or "address" not in found or found.keys() - {"address", "name", *_SECRETS}:
                raise UsageError(_FORM)
            return add_peer(folder, WantedPeer(**found), [peer.name for peer in self._watch.peers])

        try:
            peer = await self._asking.serve(request, work)
        except CertificateToTrust as error:
            shown = {"error": str(error), "fingerprint": error.fingerprint}
            return web.json_response(shown, status=HTTPStatus.CONFLICT, headers=_NO_STORE)
        self._watch.read()
        return web.json_response({"name": peer.name, "address": peer.base}, headers=_NO_STORE)

    @Route(
        "PATCH",
        "/api/peers/{name}",
        Scope.CONTROL,
        body={JSON: _NAMED},
        answers=as_json("Status"),
        refusals=(404, 409),
    )
    async def rename(self, request: web.Request) -> web.Response:
        """Give a camera that was added here another name."""
        from vitcam.parts.peers.adding import taken_name

        name, folder = self._added(request), self._folder()

        def work(body: Body) -> None:
            found = read_json(body)
            if not isinstance(found, dict) or not isinstance(new := found.get("name"), str) or len(found) != 1:
                raise UsageError('send {"name": "garden"}')
            if self._watch.slot(new) is not None:
                raise UsageError(taken_name(new))
            _write(lambda: rename_peer(folder, name, new))

        await self._changes.serve(request, work)
        self._watch.read()
        return web.json_response({"status": "renamed"})

    @Route("DELETE", "/api/peers/{name}", Scope.CONTROL, answers=as_json("Status"), refusals=(*BODY_REFUSALS, 404, 409))
    async def remove(self, request: web.Request) -> web.Response:
        """Forget a camera that was added here. Its token stays valid there until it is taken back there."""
        name, folder = self._added(request), self._folder()
        await self._changes.serve(request, lambda _: _write(lambda: forget_peer_access(folder, name)))
        self._watch.read()
        return web.json_response({"status": "removed"})

    def _folder(self) -> Path:
        if self._watch.folder is None:
            raise web.HTTPNotFound(text="this run has no state folder to keep cameras in")
        return self._watch.folder

    def _added(self, request: web.Request) -> str:
        name = request.match_info["name"]
        peer = next((each for each in self._watch.peers if each.name == name), None)
        if peer is None:
            raise web.HTTPNotFound(text="there is no camera of that name; `/api/peers` lists them")
        if not self._watch.is_added(name):
            raise web.HTTPConflict(text=f"{name} is set by {peer.place or 'the configuration'}; change it there")
        return name

    async def _fresh(self, name: str) -> Still | str:
        """A still that is new enough, or why there is none."""
        slot, version, why = AsyncSlot(self._slot(name)), 0, "it has not answered yet"
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while True:
                    found = await slot.newer(version, _PATIENCE_S)
                    if found is None:
                        return f"{name}: {why}"
                    version, seen = found
                    if seen.still is not None and time.monotonic() - seen.still.came_s < _OLD_S:
                        return seen.still
                    why = seen.reason or "it has no picture now"
                    if seen.still is None:
                        return f"{name}: {why}"
        except TimeoutError:
            return f"{name}: {why}"

    def _slot(self, name: str) -> Slot[PeerSeen]:
        return self._watch.slot(name) or Slot()  # it may have been taken out of the configuration meanwhile

    async def _this(self) -> dict[str, Any]:
        state, latest = self._parts.state(), self._parts.latest.peek()
        prediction = None if latest is None else latest.prediction
        shown = None if prediction is None else prediction.shown
        caption = None if prediction is None or shown is None else Caption(shown.kind, shown.p, prediction.zone)
        last = await asyncio.wrap_future(self._reads.submit(self._last_event))
        seen = PeerSeen(state.status, state.reason or (state.problem or ""), caption, last)
        return _words(seen)

    def _last_event(self) -> LastEvent | None:
        """Of this camera. Asks the disk."""
        history = self._parts.history
        if history is None:
            return None
        history.viewer_asked()
        try:
            return last_event_of({"events": [stored_record(event) for event in history.find(Query(), 1).events]})
        except VitcamError:  # the state says that the history cannot be read
            return None


def _record(peer: Peer, seen: PeerSeen | None, now_s: float) -> dict[str, Any]:
    still = None if seen is None or seen.still is None or now_s - seen.still.came_s >= _OLD_S else seen.still
    return {
        "name": peer.name,
        "address": peer.base,
        "still": None if still is None else still.number,
        "age_s": None if still is None else round(now_s - still.came_s, 1),
        **_words(seen),
    }


def _write(change: Callable[[], None]) -> None:
    """Raises UsageError; VitcamError where the disk does not take it."""
    try:
        change()
    except OSError as error:
        raise VitcamError(f"the change cannot be kept: {error.strerror}") from error


def _words(seen: PeerSeen | None) -> dict[str, Any]:
    if seen is None:
        return {"status": None, "reason": "", "caption": None, "last": None}
    return {
        "status": seen.status,
        "reason": seen.reason,
        "caption": None if seen.caption is None else asdict(seen.caption),
        "last": None if seen.last is None else asdict(seen.last),
    }


HANDLERS = (PeerRoutes,)
