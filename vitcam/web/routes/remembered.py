"""What starts failed with, and what is therefore not in force: the page offers to use it again."""

from typing import Any

from aiohttp import web

from vitcam.errors import UsageError
from vitcam.web.parts import Aside
from vitcam.web.requests.admission import Admission
from vitcam.web.requests.body import Body, read_json


class RememberedRoute:
    """`POST /api/remembered`, and `set_aside` in `/api/state`."""

    def __init__(self, aside: Aside | None, admission: Admission) -> None:
        self._aside = aside
        self._admission = admission

    async def answer(self, request: web.Request) -> web.Response:
        """Use it again, or forget it. Answers 409 if there is nothing to use."""
        reason = await self._admission.serve(request, self._decide)
        return web.json_response({"set_aside": self.record(), "remembered": not reason, "reason": reason})

    def record(self) -> dict[str, Any] | None:
        """What is set aside, and why; None if nothing is."""
        return None if self._aside is None else self._aside.record()

    def _decide(self, body: Body) -> str:
        """Returns why it is not kept, or ""."""
        aside = self._aside
        match read_json(body):
            case {"use": True, **rest} if not rest:
                if aside is None or aside.record() is None:
                    raise web.HTTPConflict(text="nothing of earlier runs is set aside")
                return aside.use()
            case {"use": False, **rest} if not rest:
                if aside is not None and aside.record() is not None:
                    aside.forget()
                return ""
        raise UsageError('send {"use": true} to use again what is set aside, or {"use": false} to forget it')
