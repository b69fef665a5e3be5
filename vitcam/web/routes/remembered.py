"""What starts failed with, and what is therefore not in force: the page offers to use it again."""

from typing import TYPE_CHECKING, Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.sentence import with_keys
from vitcam.web.context import AppContext, Handlers
from vitcam.web.requests.body import Body, read_json
from vitcam.web.requests.versions import remembered
from vitcam.web.route import Route, as_json

if TYPE_CHECKING:
    from vitcam.daemon.saved_state.set_aside import SetAside


class RememberedRoute(Handlers):
    """Puts it in force, or forgets it."""

    def __init__(self, app: AppContext) -> None:
        self._aside = app.parts.set_aside
        self._admission = app.changes

    @Route(
        "POST",
        "/api/remembered",
        Scope.CONTROL,
        body=as_json("RememberedRequest"),
        answers=as_json("ChangedRemembered"),
        refusals=(409,),
    )
    async def answer(self, request: web.Request) -> web.Response:
        """Use again what failing starts were made without, or forget it.

        Answers 409 if there is nothing to use.
        """
        reason = await self._admission.serve(request, self._decide)
        record = set_aside_record(self._aside)
        return web.json_response(with_keys({"set_aside": record, **remembered(reason)}))

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


def set_aside_record(aside: "SetAside | None") -> dict[str, Any] | None:
    """What is set aside, and why; None if nothing is."""
    return None if aside is None else aside.record()
