"""Pausing what is seen, and stepping through a source of files."""

from dataclasses import asdict
from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.sources.playback import Playback, Position
from vitcam.text import readable
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.body import Body, read_json
from vitcam.web.route import Route, as_json

_USAGE = 'send {"paused": true}, {"paused": false}, {"step": 1} or {"step": -1}'


class PlaybackRoute(Handlers):
    """Controls the source."""

    def __init__(self, app: AppContext) -> None:
        self._playback = app.parts.playback
        self._pause = app.parts.pause
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
        """Pause and step through files. A camera that is paused is shown and not classified.

        Answers 409 if the source cannot do that.
        """
        record = await self._admission.serve(request, self._apply)
        if record is None:
            raise web.HTTPConflict(text=self._why_not())
        return web.json_response(record)

    def _apply(self, body: Body) -> dict[str, Any] | None:
        match read_json(body):
            case {"paused": bool(paused), **rest} if not rest:
                if self._playback.pause(paused):
                    return playback_record(self._playback)
                return asdict(Position(paused)) if self._pause(paused) else None
            case {"step": 1 | -1 as step, **rest} if type(step) is int and not rest:
                return playback_record(self._playback) if self._playback.step(step) else None
        raise UsageError(_USAGE)

    def _why_not(self) -> str:
        if self._playback.position is None:
            return (
                "this source cannot do that: a camera can be paused, photos and videos too, unless with --no-realtime"
            )
        return "this source cannot step back; only a folder of photos can"


def playback_record(playback: Playback) -> dict[str, Any] | None:
    """The position in the files; None if the source is none of files, or is played with --no-realtime."""
    position = playback.position
    if position is None:
        return None
    return asdict(position) | {"path": None if position.path is None else readable(position.path)}
