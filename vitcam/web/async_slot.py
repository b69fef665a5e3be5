"""How the web server's event loop waits for the next frame of a running pipeline."""

import asyncio
import contextlib
from typing import Generic, TypeVar

from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.slot import Slot

T = TypeVar("T")


def size_of(latest: Slot[ClassifiedFrame]) -> tuple[int, int] | None:
    """(height, width) of the newest picture in px; None before the first one."""
    newest = latest.peek()
    return None if newest is None else newest.frame.preview.shape[:2]


class AsyncSlot(Generic[T]):
    """A slot that an event loop can wait for.

    It is subscribed to the slot only while somebody waits, and one put ends the subscription. So a pipeline with 200
    frames/s wakes the event loop 15 times a second for a viewer with 15 frames/s, and never without viewers.
    """

    def __init__(self, slot: Slot[T]) -> None:
        self._slot = slot
        self._next: asyncio.Future[None] | None = None

    async def newer(self, after: int, timeout_s: float) -> tuple[int, T] | None:
        """The newest value and its version, once that exceeds `after`; None if there is none within `timeout_s`."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        while (found := self._slot.get(after, 0.0)) is None:
            try:
                async with asyncio.timeout_at(deadline):
                    await self._next_put(after)
            except TimeoutError:
                return None
        return found

    async def _next_put(self, after: int) -> None:
        if self._next is None:
            self._subscribe()
        next_put = self._next
        # checked again after subscribing: otherwise a put just before that would be missed
        if next_put is not None and not self._slot.has(after):
            await asyncio.shield(next_put)

    def _subscribe(self) -> None:
        loop = asyncio.get_running_loop()
        next_put = self._next = loop.create_future()

        def wake() -> None:
            unsubscribe()
            if not next_put.done():
                next_put.set_result(None)
                self._next = None

        def changed() -> None:
            with contextlib.suppress(RuntimeError):  # the event loop has ended
                loop.call_soon_threadsafe(wake)

        unsubscribe = self._slot.subscribe(changed)
