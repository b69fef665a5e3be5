"""Pausing and stepping through files: said to the page, and done by it."""

from dataclasses import asdict
from typing import Any

from aiohttp import web

from vitcam.errors import UsageError
from vitcam.sources.playback import Playback
from vitcam.text import readable
from vitcam.web.requests.admission import Admission
from vitcam.web.requests.body import Body, read_json

_HOW = 'send {"paused": true}, {"paused": false}, {"step": 1} or {"step": -1}'


class PlaybackRoute:
    """`POST /api/playback`, and what `/api/state` says of it."""

    def __init__(self, playback: Playback, admission: Admission) -> None:
        self._playback = playback
        self._admission = admission

    async def answer(self, request: web.Request) -> web.Response:
        """Pause, go on or step; 409 where the source cannot."""
        if not await self._admission.serve(request, self._obey):
            raise web.HTTPConflict(text=self._why_not())
        return web.json_response(self.record())

    def record(self) -> dict[str, Any] | None:
        """None where the source cannot be paused, such as a camera."""
        position = self._playback.position
        if position is None:
            return None
        return asdict(position) | {"path": None if position.path is None else readable(position.path)}

    def _obey(self, body: Body) -> bool:
        match read_json(body):
            case {"paused": bool(paused), **rest} if not rest:
                return self._playback.pause(paused)
            case {"step": 1 | -1 as step, **rest} if type(step) is int and not rest:
                return self._playback.step(step)
        raise UsageError(_HOW)

    def _why_not(self) -> str:
        if self._playback.position is None:
            return "this source cannot be paused; photos and videos can, unless they are played with --no-realtime"
        return "this source cannot step back; a folder of photos can"
