"""All the variants that are being watched now, and snapshots."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

from vitcam.errors import VitcamError
from vitcam.frames import ClassifiedFrame
from vitcam.web.live import AsyncSlot, LivePipeline
from vitcam.web.stream.channel import Channel
from vitcam.web.stream.demand import Demand
from vitcam.web.stream.encoder import Encoder
from vitcam.web.stream.picture import Picture, has_weights
from vitcam.web.stream.variant import Variant

MAX_VARIANTS = 8
MAX_OF_ONE_ADDRESS = MAX_VARIANTS // 2


class TooManyVariantsError(VitcamError):
    """Each variant costs drawing and encoding of its own."""


class Preview:
    """Channels come with their first viewer and go with their last.

    default  the variant that always has a place, however many others are watched
    """

    def __init__(
        self, live: LivePipeline, slot: AsyncSlot[ClassifiedFrame], encoder: Encoder, demand: Demand, default: Variant
    ) -> None:
        self._live = live
        self._slot = slot
        self._encoder = encoder
        self._demand = demand
        self._default = default
        self._channels: dict[Variant, Channel] = {}

    @contextmanager
    def watch(self, variant: Variant, address: str) -> Iterator[Channel]:
        """The channel of a variant, alive while somebody is inside. Raises TooManyVariantsError.

        address  of the viewer
        """
        self.check_room(variant, address)
        channel = self._channels.get(variant)
        if channel is None:
            channel = Channel(variant, self._live, self._slot, self._encoder)
            self._channels[variant] = channel
        channel.viewers[address] += 1
        try:
            with self._demand.looking(variant):
                yield channel
        finally:
            channel.viewers[address] -= 1
            if not channel.viewers.total():
                channel.close()
                del self._channels[variant]

    def check_room(self, variant: Variant, address: str) -> None:
        """Each variant costs drawing and encoding of its own. Raises TooManyVariantsError."""
        if variant == self._default or variant in self._channels:
            return
        others = [channel for known, channel in self._channels.items() if known != self._default]
        if sum(channel.viewers[address] > 0 for channel in others) >= MAX_OF_ONE_ADDRESS:
            raise TooManyVariantsError(
                f"your address watches {MAX_OF_ONE_ADDRESS} different pictures already; close one, or ask for the "
                "same overlay, head, opacity, width, quality and fps as another viewer"
            )
        if len(others) >= MAX_VARIANTS - 1:
            raise TooManyVariantsError(
                f"{len(others)} different pictures are being watched already; ask for the same overlay, head, opacity, "
                "width, quality and fps as another viewer, or for /stream alone, or come back later"
            )

    async def snapshot(self, variant: Variant, address: str, patience_s: float) -> Picture:
        """A picture captured after this call; if none comes within `patience_s`, what there is."""
        asked_ns = time.monotonic_ns()
        with self.watch(variant, address) as channel:
            try:
                async with asyncio.timeout(patience_s):
                    await self._frame_after(asked_ns, patience_s, variant)
                    picture = await channel.next(0)
                    while picture.captured_ns < asked_ns:  # a stream had it in the making before we asked
                        picture = await channel.next(picture.number)
                    return picture
            except TimeoutError:
                return await channel.next(0)

    async def _frame_after(self, captured_ns: int, patience_s: float, variant: Variant) -> None:
        """Return once the slot holds a frame captured after that; so a snapshot alone encodes one picture, not two.

        A rollout is worked out only from now on: the first frames may still be without.
        """
        version = 0
        while True:
            found = await self._slot.newer(version, patience_s)
            if found is not None:
                version, shown = found
                if shown.frame.captured_ns >= captured_ns and has_weights(shown, variant):
                    return
