"""What the web part sees of a pipeline, and how its loop waits for the next picture."""

import asyncio
import contextlib
from typing import Generic, Protocol, TypeVar

from vitcam.frames import ClassifiedFrame, Prediction
from vitcam.slot import Slot
from vitcam.state import State

T = TypeVar("T")


class LivePipeline(Protocol):
    """A running pipeline, or anything that shows pictures."""

    @property
    def latest(self) -> Slot[ClassifiedFrame]:
        """The newest frame with the newest prediction."""
        ...

    @property
    def predicted(self) -> Slot[Prediction]:
        """The newest prediction."""
        ...

    def state(self) -> State:
        """How things are now; called from the web part's thread, must not block."""
        ...


class AsyncSlot(Generic[T]):
    """The event loop's side of a slot.

    Subscribed only while somebody waits, and one put ends the subscription: a pipeline with 200 frames/s and a viewer
    with 15 crosses from thread to thread 15 times a second, one without viewers never.
    """

    def __init__(self, slot: Slot[T]) -> None:
        self._slot = slot
        self._rung: asyncio.Future[None] | None = None

    async def newer(self, after: int, timeout_s: float) -> tuple[int, T] | None:
        """The newest value and its version once that exceeds `after`; None when none came within `timeout_s`."""
        deadline = asyncio.get_running_loop().time() + timeout_s
        while (found := self._slot.get(after, 0.0)) is None:
            try:
                async with asyncio.timeout_at(deadline):
                    await self._next_put(after)
            except TimeoutError:
                return None
        return found

    async def _next_put(self, after: int) -> None:
        if self._rung is None:
            self._listen()
        rung = self._rung
        # looked at again now that we listen: a put just before that would be missed
        if rung is not None and self._slot.version <= after:
            await asyncio.shield(rung)

    def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        rung = self._rung = loop.create_future()

        def ring() -> None:
            unsubscribe()
            if not rung.done():
                rung.set_result(None)
                self._rung = None

        def changed() -> None:
            with contextlib.suppress(RuntimeError):  # a loop that has ended needs no news
                loop.call_soon_threadsafe(ring)

        unsubscribe = self._slot.subscribe(changed)
