"""Admission control: how many requests of a kind are served at once, in all and from one address.

`Quota` counts requests. `Admission` is for those with a body: it also reads the body, and works on it off the loop.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, TypeVar

from aiohttp import web

from vitcam.access.attempts import home_of
from vitcam.errors import VitcamError
from vitcam.web.requests.body import Body, BodyLimits, read_body
from vitcam.web.requests.proxies import address_of

T = TypeVar("T")


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

    async def serve(self, request: web.Request, work: Callable[[Body], T]) -> T:
        """What `work` returns for the request's body. Raises what `Quota.reserve`, `read_body` and `work` raise."""
        with ExitStack() as reserved:
            reserved.enter_context(self._quota.reserve(address_of(request)))
            body = await read_body(request, self._limits)
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


def _hush(work: Future[Any], answer: asyncio.Future[Any]) -> None:
    """Without this, asyncio would log a refusal whose client has left as an error that nobody asked for."""
    if isinstance(work.exception(), VitcamError):
        answer.exception()


def _busy(sentence: str) -> web.HTTPServiceUnavailable:
    return web.HTTPServiceUnavailable(text=sentence, headers={"Retry-After": "1"})
