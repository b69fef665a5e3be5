"""The pictures of one variant: made when a viewer is ready for one, and shared by all viewers."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.state import State
from vitcam.web.async_slot import AsyncSlot
from vitcam.web.stream.encoder import Encoder
from vitcam.web.stream.picture import Picture, Placeholder
from vitcam.web.stream.variant import Variant

_REPEAT_S = 1.0  # without a new frame the last picture is sent again, so that no connection times out
_STALE_NS = 2_000_000_000  # an older frame is only sent if the pipeline says that all is well
_TITLES = {"no_signal": "No picture", "starting": "Starting"}


class Channel:
    """Gives each viewer the newest picture, at most `variant.fps` times a second."""

    def __init__(
        self, variant: Variant, state: Callable[[], State], slot: AsyncSlot[ClassifiedFrame], encoder: Encoder
    ) -> None:
        self._variant = variant
        self._state = state
        self._slot = slot
        self._encoder = encoder
        self._version = 0
        self._newest: ClassifiedFrame | None = None
        self._last: Picture | None = None
        self._number = 0  # of `_last`
        self._generation = 0  # of the masks
        self._shown = 0  # the version of the frame on that picture; 0: a placeholder
        self._due = 0.0
        self._renewal: asyncio.Task[Picture] | None = None
        self.viewers: Counter[str] = Counter()
        """How many there are, by address."""

    async def next(self, seen: int) -> Picture:
        """The newest picture after number `seen`; waits about a second at most.

        Nothing is made in advance: the first viewer who is ready starts the work, and the others wait for the same
        picture. So viewers who do not read cost nothing.
        """
        loop = asyncio.get_running_loop()
        while True:
            if self._last is not None and self._last.number > seen and loop.time() < self._due:
                return self._last
            if self._renewal is None or self._renewal.done():
                self._renewal = loop.create_task(self._renew())
            generation = self._generation
            picture = await asyncio.shield(self._renewal)
            if generation == self._generation:
                return picture

    def drop_pixels(self) -> None:
        """Masks were drawn: what was made before, and what is being made, reaches nobody."""
        self._generation += 1
        self._newest = self._last = None
        self._shown = 0

    def close(self) -> None:
        """The last viewer left: cancel the picture that is being made."""
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None  # a cancelled task holds the frames of its functions, and these hold this channel

    async def _renew(self) -> Picture:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self._due - loop.time())
        found = await self._slot.newer(self._version, _REPEAT_S if self._last else 0.0)
        self._due = max(self._due + 1 / self._variant.fps, loop.time())
        if found is not None:
            self._version, self._newest = found
        generation, made = self._generation, await self._make(is_new=found is not None)
        self._number += 1
        picture = replace(made, number=self._number)
        if generation == self._generation:
            self._last = picture
        else:
            self._shown = 0
        return picture

    async def _make(self, *, is_new: bool) -> Picture:
        if self._newest is not None and is_new and _age_ns(self._newest) < _STALE_NS:
            return await self._from_newest(self._newest)
        placeholder = self._placeholder()
        if placeholder is None and self._newest is not None:
            return await self._from_newest(self._newest)
        placeholder = placeholder or Placeholder(_TITLES["starting"], "waiting for the first picture")
        if self._last is not None and self._last.placeholder == placeholder:
            return self._last
        jpeg = await self._encoder.encode_placeholder(placeholder, self._variant)
        self._shown = 0
        return Picture(jpeg, placeholder=placeholder)

    async def _from_newest(self, newest: ClassifiedFrame) -> Picture:
        if self._last is not None and self._shown == self._version:
            return self._last
        jpeg = await self._encoder.encode_frame(newest, self._variant)
        self._shown = self._version
        return Picture(jpeg, newest.frame.captured_ns, newest.prediction)

    def _placeholder(self) -> Placeholder | None:
        """What to say instead of a frame; None while the pipeline has frames."""
        state = self._state()
        title = _TITLES.get(state.status)
        return None if title is None else Placeholder(title, state.reasons[0] if state.reasons else "")


def _age_ns(classified: ClassifiedFrame) -> int:
    return time.monotonic_ns() - classified.frame.captured_ns
