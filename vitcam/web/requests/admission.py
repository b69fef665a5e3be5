"""Admission control: how many requests of a kind are served at once, in all and from one address.

`Quota` counts requests. `Admission` is for those with a body: it also reads the body, and works on it off the loop.
`RouteLimits` keeps every request to what the table of routes gives its route.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, Self, TypeVar

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from vitcam.access.attempts import home_of
from vitcam.errors import VitcamError
from vitcam.web.requests.body import Body, BodyLimits, read_body
from vitcam.web.requests.connections import Connections
from vitcam.web.requests.proxies import address_of
from vitcam.web.route import USUAL, Route, key_of

T = TypeVar("T")

CHANGE = BodyLimits(4096, 5.0, "the request")
MAX_CHANGES = 8
_NOWHERE = ("", "")


class Quota:
    """How many requests may be served at once. Without a limit for each address, one client could take them all.

    total        in all
    per_address  from one IP address, or from one home's network of IPv6
    noun         what is requested, in the plural, such as `photos`
    """

    def __init__(self, total: int, per_address: int, noun: str) -> None:
        self._total = total
        self._per_address = per_address
        self._noun = noun
        self._in_use: Counter[str] = Counter()

    @property
    def in_use(self) -> int:
        """Requests that are being served now."""
        return self._in_use.total()

    @contextmanager
    def reserve(self, address: str) -> Iterator[None]:
        """Count a request from `address` while the context lasts. Raises HTTPServiceUnavailable if there are enough."""
        address = home_of(address)
        if self.in_use >= self._total:
            raise _busy(f"{self._total} {self._noun} are being served already; try again in a second")
        if self._in_use[address] >= self._per_address:
            raise _busy(
                f"your address has {self._per_address} {self._noun} here already; end one or try again in a second"
            )
        self._in_use[address] += 1
        try:
            yield
        finally:
            self._in_use[address] -= 1
            if not self._in_use[address]:
                del self._in_use[address]


class Admission:
    """Serves requests with a body. A request stays counted until the work on it has ended, even if its client left.

    limits    of one body
    quota     how many are served at once
    executor  does the work. It gets one piece of work at a time, so that a request whose client leaves while it waits
              for its turn costs nothing.
    """

    def __init__(self, limits: BodyLimits, quota: Quota, executor: Executor) -> None:
        self._limits = limits
        self._quota = quota
        self._executor = executor
        self._turn = asyncio.Lock()

    @classmethod
    def of_changes(cls, limits: BodyLimits, executor: Executor) -> Self:
        """Of requests that change something, which may wait for the disk."""
        return cls(limits, Quota(MAX_CHANGES, MAX_CHANGES // 2, "changes"), executor)

    async def serve(self, request: web.Request, work: Callable[[Body], T], body: Body | None = None) -> T:
        """What `work` returns for the request's body. Raises what `Quota.reserve`, `read_body` and `work` raise.

        body  what the request stands for, where its own body was read already
        """
        with ExitStack() as reserved:
            reserved.enter_context(self._quota.reserve(address_of(request)))
            body = body or await read_body(request, self._limits)
            await self._turn.acquire()
            reserved.callback(self._turn.release)
            future = self._executor.submit(work, body)
            loop, release = asyncio.get_running_loop(), reserved.pop_all().close
            future.add_done_callback(lambda _: loop.is_closed() or loop.call_soon_threadsafe(release))
            answer = asyncio.wrap_future(future)
            answer.add_done_callback(partial(_hush, future))
            try:
                return await asyncio.shield(answer)
            finally:
                del future, answer  # an error holds this frame with the body; if the frame held the error, both stayed


class RouteLimits:
    """Keeps every request to the limits of its route, and an address to its share of all connections.

    It counts the addresses that proxies name, so its middleware comes after theirs. What is found nowhere has the usual
    limits, too.
    """

    def __init__(self, routes: Sequence[Route], connections: Connections) -> None:
        self._all = Quota(connections.most, connections.most_of_one, "requests")
        limits = {_NOWHERE: USUAL} | {route.key: route.limits for route in routes}
        self._quotas = {
            key: Quota(each.at_once, each.of_one_address, f"requests of {key[1]}" if key[1] else "requests")
            for key, each in limits.items()
        }

    def middleware(self) -> Middleware:
        """A request counts until its client has read the answer."""

        @web.middleware
        async def limit(request: web.Request, handler: Handler) -> web.StreamResponse:
            quota = self._quotas.get(key_of(request), self._quotas[_NOWHERE])
            address = address_of(request)
            with self._all.reserve(address), quota.reserve(address):
                response = await handler(request)
                await response.prepare(request)  # aiohttp would send it after all middleware
                await response.write_eof()
                return response

        return limit


def _hush(work: Future[Any], answer: asyncio.Future[Any]) -> None:
    """Without this, asyncio would log a refusal whose client has left as an error that nobody asked for."""
    if isinstance(work.exception(), VitcamError):
        answer.exception()


def _busy(sentence: str) -> web.HTTPServiceUnavailable:
    return web.HTTPServiceUnavailable(text=sentence, headers={"Retry-After": "1"})
