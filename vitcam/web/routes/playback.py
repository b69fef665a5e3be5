"""Pausing a source of files and stepping through it."""

from dataclasses import asdict
from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.sources.playback import Playback
from vitcam.text import readable
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.body import Body, read_json
from vitcam.web.route import Route, as_json

_USAGE = 'send {"paused": true}, {"paused": false}, {"step": 1} or {"step": -1}'


class PlaybackRoute(Handlers):
    """Controls the source."""

    def __init__(self, app: AppContext) -> None:
        self._playback = app.parts.playback
        self._admission = app.changes

    @Route(
        "POST",
        "/api/playback",
        Scope.CONTROL,
        body=as_json("PlaybackRequest"),
        answers=as_json("Playback"),
        refusals=(409,),
    )
    async def answer(self, request: web.Request) -> web.Response:
        """Pause and step through files.

        Answers 409 if the source cannot do that.
        """
        if not await self._admission.serve(request, self._apply):
            raise web.HTTPConflict(text=self._why_not())
        return web.json_response(playback_record(self._playback))

    def _apply(self, body: Body) -> bool:
        match read_json(body):
            case {"paused": bool(paused), **rest} if not rest:
                return self._playback.pause(paused)
            case {"step": 1 | -1 as step, **rest} if type(step) is int and not rest:
                return self._playback.step(step)
        raise UsageError(_USAGE)

    def _why_not(self) -> str:
        if self._playback.position is None:
            return "this source cannot be paused; photos and videos can be, unless they are played with --no-realtime"
        return "this source cannot step back; only a folder of photos can"


def playback_record(playback: Playback) -> dict[str, Any] | None:
    """The position in the files; None if the source cannot be paused, such as a camera."""
    position = playback.position
    if position is None:
        return None
    return asdict(position) | {"path": None if position.path is None else readable(position.path)}
