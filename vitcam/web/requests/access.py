"""Lets a request through if its caller may do what it asks for; else it gets a 401, a 403, a 429 or the login page."""

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from vitcam.access.attempts import Attempts, home_of
from vitcam.access.credentials import Credentials, read_credentials, session_cookie
from vitcam.access.guard import Grant, Guard, is_user
from vitcam.access.password import USER
from vitcam.access.tokens import Scope, Token
from vitcam.sentence import Sentence
from vitcam.web.requests.base_path import address_on_page, base_of
from vitcam.web.requests.proxies import address_of
from vitcam.web.requests.refusal import refusal
from vitcam.web.route import Route, key_of

LOGIN = "login"
_MOST_WAITING, _MOST_WAITING_OF_ONE = 64, 16
_BASIC = 'Basic realm="vitcam", charset="UTF-8"'
BEARER = 'Bearer realm="vitcam"'

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _InProgress:
    """A request that is being answered, such as a stream."""

    request: web.Request
    credentials: Credentials
    grant: Grant | None
    """None: a route that everybody may call, called without a session or a token."""


class AccessControl:
    """Checks every request against the table of routes.

    guard     knows password, tokens and sessions
    executor  reads and writes the state folder: one thread
    checker   checks passwords, which takes some tenths of a second: one thread
    """

    def __init__(self, guard: Guard, executor: Executor, checker: Executor) -> None:
        self._guard = guard
        self._executor = executor
        self._checker = checker
        self._attempts = Attempts()
        self._turns: dict[str, asyncio.Lock] = {}
        self._waiting: Counter[str] = Counter()
        self._in_progress: dict[int, _InProgress] = {}  # by the identity of the request

    def middleware(self, routes: Sequence[Route]) -> Middleware:
        """Refuses what the caller may not do. It comes after the checks of host and origin.

        A path or method that does not exist needs as much as looking.
        """
        needed = {route.key: route.needs for route in routes}

        @web.middleware
        async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
            if len(request.headers.getall("Authorization", [])) > 1:
                raise web.HTTPBadRequest(text="the request has several Authorization headers; send one")
            needs = needed.get(key_of(request), Scope.READ)
            if needs is None:
                return await self._serve(request, handler, self._guard.granted(_shown(request)))
            grant = await self._grant(request)
            if grant is None:
                return _who_are_you(request)
            if needs is Scope.CONTROL and grant.scope is not Scope.CONTROL:
                raise refusal(web.HTTPForbidden, _only_reads(grant))
            return await self._serve(request, handler, grant)

        return check

    async def log_in(self, request: web.Request, password: str) -> str | None:
        """The identifier of a new session; None if the password is wrong. Raises HTTPTooManyRequests."""
        grant = await self._password_grant(request, Credentials(USER, password))
        return None if grant is None else await self._in_thread(self._guard.open_session, grant.scope)

    async def check_password(self, request: web.Request, password: str) -> None:
        """Raises HTTPForbidden unless it is the one that allows everything, HTTPTooManyRequests."""
        grant = await self._password_grant(request, Credentials(USER, password))
        if grant is None or grant.scope is not Scope.CONTROL:
            raise refusal(
                web.HTTPForbidden, Sentence("this is not the password of now; type that one, too", "password.not_now")
            )

    async def log_out(self, request: web.Request) -> tuple[str, ...]:
        """End the request's session and every stream that it has open; the sessions that it shows of other vitcams."""
        shown = _shown(request).sessions
        own = [identifier for identifier in shown if self._guard.is_session(identifier)]
        for identifier in own:
            await self._in_thread(self._guard.close_session, identifier)
        self._end_revoked(but=request)
        return tuple(identifier for identifier in shown if identifier not in own)

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Those that open something."""
        return self._guard.tokens

    async def create_token(self, name: str, scope: Scope) -> str:
        """A new token. Raises UsageError, VitcamError."""
        return await self._in_thread(self._guard.create_token, name, scope)

    async def revoke_token(self, name: str) -> None:
        """Forget a token, and end what it has open. Raises UsageError, VitcamError."""
        await self._in_thread(self._guard.revoke_token, name)
        self._end_revoked()

    async def refresh(self) -> None:
        """Read password and tokens again if they changed; ends what is not allowed any more. To be called regularly."""
        if await self._in_thread(self._guard.refresh):
            self._end_revoked()

    def grant_of(self, request: web.Request) -> Grant | None:
        """What gave a request access that is being answered."""
        served = self._in_progress.get(id(request))
        return served.grant if served else None

    async def _serve(self, request: web.Request, handler: Handler, grant: Grant | None) -> web.StreamResponse:
        self._in_progress[id(request)] = _InProgress(request, _shown(request), grant)
        try:
            return await handler(request)
        finally:
            del self._in_progress[id(request)]

    async def _grant(self, request: web.Request) -> Grant | None:
        """Raises HTTPTooManyRequests."""
        credentials = _shown(request)
        grant = self._guard.granted(credentials)
        if grant is None and credentials.password is not None:
            right = await self._password_grant(request, credentials)
            return right if is_user(credentials.user) else None
        return grant

    async def _password_grant(self, request: web.Request, credentials: Credentials) -> Grant | None:
        """What a password allows; None: it is wrong. The checks of one address come one after the other.

        raises  HTTPTooManyRequests if this address has to wait
        """
        address = home_of(address_of(request))
        self._check_wait(address)
        if known := self._guard.proved(credentials):
            return known
        with self._queued(address) as turn:
            async with turn:
                self._check_wait(address)
                if known := self._guard.proved(credentials):  # another request has proved it meanwhile
                    return known
                wrong = self._attempts.begin(address)
                check = self._checker.submit(self._guard.scope_of, credentials.password or "")
                scope = await asyncio.wrap_future(check)
        if scope is None:
            log.warning("a wrong password came from %s, %d in a row", address, wrong)
            return None
        self._attempts.right(address)
        return Grant(scope, "password")

    @contextmanager
    def _queued(self, address: str) -> Iterator[asyncio.Lock]:
        """The turns of an address. Raises HTTPTooManyRequests if too many wait for theirs."""
        if self._waiting[address] >= _MOST_WAITING_OF_ONE or self._waiting.total() >= _MOST_WAITING:
            raise web.HTTPServiceUnavailable(
                text="many passwords are being checked already; try again in a second", headers={"Retry-After": "1"}
            )
        self._waiting[address] += 1
        try:
            yield self._turns.setdefault(address, asyncio.Lock())
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address], self._turns[address]

    def _check_wait(self, address: str) -> None:
        if wait_s := self._attempts.wait_s(address):
            raise _too_many(math.ceil(wait_s))

    def _end_revoked(self, but: web.Request | None = None) -> None:
        """Close the connections of streams whose session, token or password is not valid any more."""
        for served in self._in_progress.values():
            shown, transport = served.credentials, served.request.transport
            valid = served.grant is None or self._guard.granted(shown) or self._guard.proved(shown)
            if not valid and served.request is not but and transport is not None:
                transport.abort()

    async def _in_thread(self, work: Callable[P, T], *values: P.args, **named: P.kwargs) -> T:
        return await asyncio.wrap_future(self._executor.submit(work, *values, **named))


def _shown(request: web.Request) -> Credentials:
    return read_credentials(
        request.headers.getall("Authorization", []), session_cookie(request.headers.getall("Cookie", []))
    )


def _who_are_you(request: web.Request) -> web.StreamResponse:
    """A 401, or for a person who opens the page the way to the login page."""
    if (
        key_of(request)[1] == "/"
        and not request.query.get("action")
        and "text/html" in request.headers.get("Accept", "")
    ):
        raise web.HTTPSeeOther(address_on_page(request, LOGIN))
    answer = web.HTTPUnauthorized(
        text=f"this vitcam asks for its password or a token; log in at {base_of(request)}/{LOGIN}"
    )
    # a browser would ask with a window of its own if the page's own requests got the first one
    answer.headers.add("WWW-Authenticate", BEARER)
    if request.headers.get("Sec-Fetch-Site") != "same-origin":
        answer.headers.add("WWW-Authenticate", _BASIC)
    raise answer


def _only_reads(grant: Grant) -> Sentence:
    if not grant.is_token:
        return Sentence(
            "the password to watch allows no changes; log out, then log in with the other password",
            "password.only_watch",
        )
    make = "`vitcam token create NAME --scope control` makes one that may do this"
    return Sentence(f"the token {grant.shown!r} may only read; {make}", "password.token_reads", name=grant.shown)


def _too_many(wait_s: int) -> web.HTTPTooManyRequests:
    sentence = Sentence(
        f"too many wrong passwords came from this address; try again in {wait_s} s", "login.too_many", seconds=wait_s
    )
    return refusal(web.HTTPTooManyRequests, sentence, {"Retry-After": str(wait_s)})
