"""The figures of the run for Prometheus."""

import asyncio

from aiohttp import web

from vitcam._version import __version__
from vitcam.access.tokens import Scope
from vitcam.parts.metrics.event_counts import EventCounts
from vitcam.run.kinds import Reports
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import TEXT
from vitcam.web.route import RequestLimits, Route

_LIMITS = RequestLimits(at_once=8, of_one_address=4)


class MetricsRoutes(Handlers):
    """Asks the parts of the run when somebody wants to know."""

    def __init__(self, app: AppContext) -> None:
        self._parts = app.parts
        self._counts = app.parts.objects.one(EventCounts)
        self._encoder = app.encoder
        self._viewers = app.viewers
        self._reads = app.threads.reads

    @Route("GET", "/metrics", Scope.READ, answers={"text/plain": TEXT}, refusals=(404,), limits=_LIMITS)
    async def metrics(self, request: web.Request) -> web.Response:
        """Counters, histograms and gauges for Prometheus."""
        clients = {"stream": self._viewers["streams"].in_use, "predictions": self._viewers["predictions"].in_use}
        accept = request.headers.get("Accept", "")
        text, media_type = await asyncio.wrap_future(self._reads.submit(self._text, clients, accept))
        return web.Response(body=text, headers={"Content-Type": media_type, "Cache-Control": "no-store"})

    def _text(self, clients: dict[str, int], accept: str) -> tuple[bytes, str]:
        from vitcam.parts.metrics.exposition import RunFigures, exposition  # loaded only where somebody asks

        parts, model = self._parts, self._parts.model.value
        figures = RunFigures(
            state=parts.state(),
            encoded=self._encoder.encoded,
            clients=clients,
            times=parts.times(),
            events={} if self._counts is None else self._counts.snapshot(),
            faults=parts.faults(),
            stalled=parts.stalled(),
            parts=[figure for each in parts.objects.each(Reports) for figure in each.figures()],
            build={"version": __version__, "model": model.info.card.name, "runtime": model.info.runtime.name},
        )
        return exposition(figures, accept)


HANDLERS = (MetricsRoutes,)
