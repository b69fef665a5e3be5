"""Logging in on the page and out again. Where nothing is protected, both lead to the page."""

from collections.abc import Sequence
from urllib.parse import parse_qs

from aiohttp import web

from vitcam.access.credentials import COOKIE, cookie_value, read_sessions, session_cookie
from vitcam.access.password import MOST
from vitcam.access.sessions import LASTS_S
from vitcam.errors import UsageError
from vitcam.names.languages import LANGUAGES
from vitcam.sentence import Sentence
from vitcam.web.context import AppContext, Handlers
from vitcam.web.openapi.schema import TEXT, Schema
from vitcam.web.requests.access import BEARER, LOGIN
from vitcam.web.requests.admission import Quota
from vitcam.web.requests.base_path import address_on_page, base_of
from vitcam.web.requests.body import Body, BodyLimits, read_body
from vitcam.web.requests.proxies import address_of
from vitcam.web.requests.refusal import refusal
from vitcam.web.route import Route

PAGE = "login.html"
FILES = {
    **{name: name for name in ("login.css", "login.js", "icon.svg")},
    **{name: f"language/{name}" for name in ("language.js", "said.js", *(f"{code}.json" for code in LANGUAGES))},
}
"""All that the login page loads, and where it is in `page/`: everybody may have these."""
_FORM = BodyLimits(4096, 5.0, "the form")
_PASSWORD: Schema = {
    "type": "object",
    "properties": {"password": {"type": "string", "minLength": 1, "maxLength": MOST}},
    "required": ["password"],
}
_AT_ONCE, _OF_ONE_ADDRESS = 64, 16
_HOME = ""
_EMPTY = '""'


class LoginRoutes(Handlers):
    """Everybody may ask for the form, and send it."""

    def __init__(self, app: AppContext) -> None:
        self._framed = app.framed
        self._access = app.access
        self._page = app.files
        self._quota = Quota(_AT_ONCE, _OF_ONE_ADDRESS, "logins")

    @Route(
        "GET",
        "/login",
        None,
        answers={"text/html": TEXT},
        leads_to="The page, where nothing is protected or there is a session.",
        cached=True,
    )
    async def show(self, request: web.Request) -> web.Response:
        """The login page.

        For a client that has a session already: the way to the page.
        """
        if self._access is None or self._access.grant_of(request) is not None:
            raise web.HTTPSeeOther(address_on_page(request, _HOME))
        return self._page.serve(request, PAGE)

    @Route(
        "GET",
        "/login/{name}",
        None,
        answers={
            **dict.fromkeys(("text/css", "text/javascript", "image/svg+xml"), TEXT),
            "application/json": {"type": "object"},
        },
        cached=True,
        refusals=(404,),
    )
    async def file(self, request: web.Request) -> web.Response:
        """A file that the login page loads.

        Raises HTTPNotFound for every other.
        """
        place = FILES.get(request.match_info["name"])
        if place is None:
            raise web.HTTPNotFound
        return self._page.serve(request, place)

    @Route(
        "POST",
        "/login",
        None,
        body={"application/x-www-form-urlencoded": _PASSWORD},
        leads_to="The page, with the cookie of a new session.",
        refusals=(401, 429),
    )
    async def log_in(self, request: web.Request) -> web.Response:
        """Open a session with the form field `password`.

        Answers 303 with its cookie, 401 for a wrong password, 429 after too many.
        """
        with self._quota.reserve(address_of(request)):
            password = read_password(await read_body(request, _FORM))
            if self._access is None:
                raise web.HTTPSeeOther(address_on_page(request, _HOME))
            identifier = await self._access.log_in(request, password)
        if identifier is None:
            wrong = Sentence("this is not the password", "login.wrong")
            raise refusal(web.HTTPUnauthorized, wrong, {"WWW-Authenticate": BEARER})
        answer = _to(request, _HOME)
        known = read_sessions(session_cookie(request.headers.getall("Cookie", [])))
        self._set_cookie(answer, request, (*known, identifier))
        return answer

    @Route("POST", "/logout", None, leads_to="The login page; the session has ended.")
    async def log_out(self, request: web.Request) -> web.Response:
        """End the session.

        Its streams end with it.
        """
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
