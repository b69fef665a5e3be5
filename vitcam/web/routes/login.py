"""Logging in on the page and out again. Where nothing is protected, both lead to the page."""

from collections.abc import Sequence
from urllib.parse import parse_qs

from aiohttp import web

from vitcam.access.credentials import COOKIE, cookie_value, read_sessions
from vitcam.access.password import MOST
from vitcam.access.sessions import LASTS_S
from vitcam.errors import UsageError
from vitcam.web.requests.access import BEARER, LOGIN, AccessControl
from vitcam.web.requests.admission import Quota
from vitcam.web.requests.body import Body, BodyLimits, read_body
from vitcam.web.requests.proxies import address_of
from vitcam.web.routes.static import PageFiles

PAGE = "login.html"
FILES = frozenset({"login.css", "login.js", "icon.svg"})
"""All that the login page loads: everybody may have these."""
_FORM = BodyLimits(4096, 5.0, "the form")
_AT_ONCE, _OF_ONE_ADDRESS = 64, 16
_HOME = "/"


class LoginRoutes:
    """`GET /login`, `GET /login/{name}`, `POST /login` and `POST /logout`.

    access  None: nothing is protected
    """

    def __init__(self, access: AccessControl | None, page: PageFiles) -> None:
        self._access = access
        self._page = page
        self._quota = Quota(_AT_ONCE, _OF_ONE_ADDRESS, "logins")

    async def show(self, request: web.Request) -> web.Response:
        """The login page; for a client that has a session already, the way to the page."""
        if self._access is None or self._access.grant_of(request) is not None:
            raise web.HTTPSeeOther(_HOME)
        return self._page.serve(request, PAGE)

    async def file(self, request: web.Request) -> web.Response:
        """A file that the login page loads. Raises HTTPNotFound for every other."""
        name = request.match_info["name"]
        if name not in FILES:
            raise web.HTTPNotFound
        return self._page.serve(request, name)

    async def log_in(self, request: web.Request) -> web.Response:
        """Open a session. Answers 303 with its cookie, 401 for a wrong password, 429 after too many."""
        with self._quota.reserve(address_of(request)):
            password = read_password(await read_body(request, _FORM))
            if self._access is None:
                raise web.HTTPSeeOther(_HOME)
            identifier = await self._access.log_in(request, password)
        if identifier is None:
            raise web.HTTPUnauthorized(text="this is not the password", headers={"WWW-Authenticate": BEARER})
        answer = _to(_HOME)
        _set_cookie(answer, request, (*read_sessions(request.cookies.get(COOKIE)), identifier))
        return answer

    async def log_out(self, request: web.Request) -> web.Response:
        """End the session, and its streams with it."""
        answer = _to(LOGIN)
        if self._access is not None:
            _set_cookie(answer, request, await self._access.log_out(request))
        return answer


def read_password(body: Body) -> str:
    """The field `password` of a form as browsers send it. Raises UsageError."""
    if not body.content_type.lower().startswith("application/x-www-form-urlencoded"):
        raise UsageError(
            "send the password as a form: Content-Type application/x-www-form-urlencoded, field `password`"
        )
    try:
        found = parse_qs(body.data.decode("ascii"), keep_blank_values=True, max_num_fields=8, errors="strict")
    except ValueError:
        raise UsageError("the form cannot be read; send one field, `password`, as UTF-8") from None
    passwords = found.get("password", [])
    if len(passwords) != 1 or not 0 < len(passwords[0]) <= MOST:
        raise UsageError(f"send one field `password` with 1 to {MOST} characters")
    return passwords[0]


def _set_cookie(answer: web.Response, request: web.Request, sessions: Sequence[str]) -> None:
    """Let the browser show these sessions from now on; none: it forgets the cookie."""
    lasts_s = LASTS_S if sessions else 0
    answer.set_cookie(
        COOKIE,
        cookie_value(sessions),
        max_age=lasts_s,
        path="/",
        secure=request.secure,
        httponly=True,
        samesite="Strict",
    )


def _to(place: str) -> web.Response:
    return web.Response(status=303, headers={"Location": place, "Cache-Control": "no-store"})
