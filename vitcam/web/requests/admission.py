"""Requests with a body: few at once, read within their limits, worked on off the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import ExitStack
from typing import TypeVar

from aiohttp import web

from vitcam.web.requests.body import Body, BodyLimits, read_body
from vitcam.web.requests.quota import Quota, address_of

T = TypeVar("T")


class Admission:
    """A request holds its place until the work on its body is really done, also when its client has left.

    limits    of one body
    places    how many may come at once
    executor  does the work; it is given one piece at a time, so that who leaves while others are served costs nothing
    """

    def __init__(self, limits: BodyLimits, places: Quota, executor: Executor) -> None:
        self._limits = limits
        self._places = places
        self._executor = executor
        self._turn = asyncio.Lock()

    async def answer(self, request: web.Request, work: Callable[[Body], T]) -> T:
        """What `work` makes of the request's body. Raises what `read_body` and `work` raise, and `Quota.reserve`."""
        with ExitStack() as held:
            held.enter_context(self._places.reserve(address_of(request)))
            body = await read_body(request, self._limits)
            await self._turn.acquire()
            held.callback(self._turn.release)
            job = self._executor.submit(work, body)
            loop, free = asyncio.get_running_loop(), held.pop_all().close
            job.add_done_callback(lambda _: loop.is_closed() or loop.call_soon_threadsafe(free))
            return await asyncio.shield(asyncio.wrap_future(job))
