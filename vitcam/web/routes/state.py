"""How the daemon is: the whole state, and in a word for what watches over it."""

from dataclasses import asdict

from aiohttp import web

from vitcam.access.guard import Grant
from vitcam.access.tokens import Scope
from vitcam.sentence import with_keys
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.middleware import error_response
from vitcam.web.route import Route, as_json
from vitcam.web.routes.crop import view_record
from vitcam.web.routes.playback import playback_record
from vitcam.web.routes.remembered import set_aside_record


class StateRoutes(Handlers):
    """Asks the pipeline, and what viewers may change of it."""

    def __init__(self, app: AppContext) -> None:
        self._parts = app.parts
        self._encoder = app.encoder
        self._access = app.access
        self._viewers = app.viewers

    @Route("GET", "/api/state", Scope.READ, answers=as_json("State"))
    async def state(self, request: web.Request) -> web.Response:
        """Status, rates, latencies and clients."""
        parts = self._parts
        record = parts.state().record()
        record["frames"]["encoded"] = self._encoder.encoded
        record["view"] = view_record(parts)
        record["playback"] = playback_record(parts.playback)
        record["set_aside"] = set_aside_record(parts.set_aside)
        grant = self._grant(request)
        record["access"] = None if grant is None else asdict(grant)
        streams, predictions = self._viewers["streams"].in_use, self._viewers["predictions"].in_use
        record["clients"] = {"stream": streams, "predictions": predictions}
        return web.json_response(with_keys(record), headers={"Cache-Control": "no-store"})

    @Route("GET", "/healthz", None, answers=as_json("Status"))
    async def healthz(self, _: web.Request) -> web.Response:
        """Whether the process runs."""
        return web.json_response({"status": "ok"})

    @Route("GET", "/readyz", None, answers=as_json("Status"), refusals=(503,))
    async def readyz(self, request: web.Request) -> web.Response:
        """Whether frames are classified, and what else is wrong.

        503 where no frames are classified. Callers that may not look get no reason.
        """
        state = self._parts.state()
        may_look = self._access is None or self._grant(request) is not None
        reason = state.reason if may_look else ""
        if state.status in ("ok", "degraded"):
            return web.json_response({"status": state.status} | ({"reason": reason} if reason else {}))
        return error_response(503, reason or state.status)

    def _grant(self, request: web.Request) -> Grant | None:
        return self._access.grant_of(request) if self._access else None
