"""Tokens for programs and for other cameras: made, listed and taken back by who may do everything here."""

from typing import Any

from aiohttp import web

from vitcam.access.tokens import Scope
from vitcam.errors import UsageError
from vitcam.text import shortened
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import TEXT, TIME, array_of, described, one_of, record
from vitcam.web.requests.access import AccessControl
from vitcam.web.requests.admission import CHANGE, MAX_CHANGES, Quota
from vitcam.web.requests.body import read_body, read_json
from vitcam.web.requests.proxies import address_of
from vitcam.web.route import BODY_REFUSALS, JSON, Route, as_json

_NO_STORE = {"Cache-Control": "no-store"}
_FORM = 'send {"name": "kitchen", "scope": "read"}'
_SCOPE = one_of([each.value for each in Scope], "`read`: look. `control`: everything.")
_KEPT = {"name": TEXT, "scope": _SCOPE}
_TOKENS = record({"tokens": array_of(record({**_KEPT, "created": TIME}))})
_MADE = record({**_KEPT, "token": described(TEXT, "It is shown only this once.")})
_WANTED = record(
    {"name": described(TEXT, "1 to 64 letters, digits, spaces, dots, _ or -"), "scope": _SCOPE}, optional=("scope",)
) | {"additionalProperties": False}


class TokenRoutes(Handlers):
    """Another camera asks here, with this one's password, for a token of its own."""

    def __init__(self, app: AppContext) -> None:
        self._access = app.access
        self._quota = Quota(MAX_CHANGES, MAX_CHANGES // 2, "changes")

    @Route("GET", "/api/tokens", Scope.CONTROL, answers={JSON: _TOKENS})
    async def show(self, _: web.Request) -> web.Response:
        """The tokens that open something here, in the order in which they were made.

        None where everybody may do everything.
        """
        known = self._access.tokens if self._access else ()
        tokens = [{"name": each.name, "scope": each.scope, "created": each.created} for each in known]
        return web.json_response({"tokens": tokens}, headers=_NO_STORE)

    @Route("POST", "/api/tokens", Scope.CONTROL, body={JSON: _WANTED}, answers={JSON: _MADE}, refusals=(404,))
    async def make(self, request: web.Request) -> web.Response:
        """Make a token; without a scope one that may look.

        A caller without a token gives the password as Basic, with the user name `vitcam`. Wrong ones are limited as at
        the login.
        """
        access = self._there()
        with self._quota.reserve(address_of(request)):
            name, scope = _wanted(read_json(await read_body(request, CHANGE)))
            token = await access.create_token(name, scope)
        return web.json_response({"name": name, "scope": scope, "token": token}, headers=_NO_STORE)

    @Route("DELETE", "/api/tokens/{name}", Scope.CONTROL, answers=as_json("Status"), refusals=(*BODY_REFUSALS, 404))
    async def revoke(self, request: web.Request) -> web.Response:
        """Take a token back. What uses it is refused from now on, and its streams end."""
        access, name = self._there(), request.match_info["name"]
        if not any(each.name == name for each in access.tokens):
            raise web.HTTPNotFound
        with self._quota.reserve(address_of(request)):
            await access.revoke_token(name)
        return web.json_response({"status": "revoked"})

    def _there(self) -> AccessControl:
        if self._access is None:
            raise web.HTTPNotFound(text="everybody may do everything here, so no token is needed")
        return self._access


def _wanted(body: Any) -> tuple[str, Scope]:
    """Raises UsageError."""
    if not isinstance(body, dict) or not isinstance(name := body.get("name"), str) or body.keys() - {"name", "scope"}:
        raise UsageError(_FORM)
    scope = body.get("scope", Scope.READ.value)
    if scope not in [each.value for each in Scope]:
        raise UsageError(f"the scope {shortened(repr(scope))} is not one; {_FORM}")
    return name, Scope(scope)
