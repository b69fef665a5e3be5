"""Logging in on the page and out again. Where nothing is protected, both lead to the page."""

from collections.abc import Sequence
from urllib.parse import parse_qs

from aiohttp import web

from vitcam.access.credentials import COOKIE, cookie_value, read_sessions, session_cookie
from vitcam.access.password import MOST
from vitcam.access.sessions import LASTS_S
from vitcam.errors import UsageError
from vitcam.web.page_files import PageFiles
from vitcam.web.requests.access import BEARER, LOGIN, AccessControl
from vitcam.web.requests.admission import Quota
from vitcam.web.requests.base_path import address_on_page, base_of
from vitcam.web.requests.body import Body, BodyLimits, read_body
from vitcam.web.requests.proxies import address_of

PAGE = "login.html"
FILES = frozenset({"login.css", "login.js", "icon.svg"})
"""All that the login page loads: everybody may have these."""
_FORM = BodyLimits(4096, 5.0, "the form")
_AT_ONCE, _OF_ONE_ADDRESS = 64, 16
_HOME = ""
_EMPTY = '""'


class LoginRoutes:
    """`GET /login`, `GET /login/{name}`, `POST /login` and `POST /logout`.

    access  None: nothing is protected
    framed  whether other sites may show the page in a frame
    """

    def __init__(self, access: AccessControl | None, page: PageFiles, framed: bool) -> None:
        self._framed = framed
        self._access = access
        self._page = page
        self._quota = Quota(_AT_ONCE, _OF_ONE_ADDRESS, "logins")

    async def show(self, request: web.Request) -> web.Response:
        """The login page; for a client that has a session already, the way to the page."""
        if self._access is None or self._access.grant_of(request) is not None:
            raise web.HTTPSeeOther(address_on_page(request, _HOME))
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
                raise web.HTTPSeeOther(address_on_page(request, _HOME))
            identifier = await self._access.log_in(request, password)
        if identifier is None:
            raise web.HTTPUnauthorized(text="this is not the password", headers={"WWW-Authenticate": BEARER})
        answer = _to(request, _HOME)
        known = read_sessions(session_cookie(request.headers.getall("Cookie", [])))
        self._set_cookie(answer, request, (*known, identifier))
        return answer

    async def log_out(self, request: web.Request) -> web.Response:
        """End the session, and its streams with it."""
        answer = _to(request, LOGIN)
        if self._access is not None:
            self._set_cookie(answer, request, await self._access.log_out(request))
        return answer

    def _set_cookie(self, answer: web.Response, request: web.Request, sessions: Sequence[str]) -> None:
        """Let the browser show these sessions from now on; none: it forgets the cookie."""
        lasts_s = LASTS_S if sessions else 0
        words = [
            f"{COOKIE}={cookie_value(sessions) or _EMPTY}",
            f"Max-Age={lasts_s}",
            f"Path={base_of(request) or '/'}",
            "HttpOnly",
        ]
        if self._framed and request.secure:
            words += ["Secure", "SameSite=None", "Partitioned"]  # else it does not travel in another site's frame
        else:
            words += [*(["Secure"] if request.secure else []), "SameSite=Strict"]
        answer.headers["Set-Cookie"] = "; ".join(words)


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


def _to(request: web.Request, name: str) -> web.Response:
    return web.Response(status=303, headers={"Location": address_on_page(request, name), "Cache-Control": "no-store"})
