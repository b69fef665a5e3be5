"""Who may come in: so many at once, and so many of one address, so that nobody takes what is there for all."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web


class Quota:
    """A counted number of places.

    most  places in all
    each  places that one address may hold
    noun  what a place is for, in the plural, such as `photos`
    """

    def __init__(self, most: int, each: int, noun: str) -> None:
        self._most = most
        self._each = each
        self._noun = noun
        self._held: Counter[str] = Counter()

    @property
    def in_use(self) -> int:
        """Requests that are being served now."""
        return self._held.total()

    @contextmanager
    def reserve(self, address: str) -> Iterator[None]:
        """A place, as long as the context lasts. Raises HTTPServiceUnavailable if there is none."""
        if self.in_use >= self._most:
            raise _busy(f"{self._most} {self._noun} are being served already; try again in a second")
        if self._held[address] >= self._each:
            raise _busy(f"your address has {self._each} {self._noun} here already; end one or try again in a second")
        self._held[address] += 1
        try:
            yield
        finally:
            self._held[address] -= 1
            if not self._held[address]:
                del self._held[address]


def address_of(request: web.Request) -> str:
    """The client's IP address as the connection has it, without its port; empty once the client has left."""
    return request.remote or ""


def _busy(sentence: str) -> web.HTTPServiceUnavailable:
    return web.HTTPServiceUnavailable(text=sentence, headers={"Retry-After": "1"})
