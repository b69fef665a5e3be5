"""All variants that are being watched now, and snapshots."""

import asyncio
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from vitcam.errors import VitcamError
from vitcam.pipeline.latest_frame import ClassifiedFrame
from vitcam.slot import Current
from vitcam.state import State
from vitcam.web.async_slot import AsyncSlot
from vitcam.web.stream.channel import Channel
from vitcam.web.stream.encoder import Encoder, has_weights
from vitcam.web.stream.picture import Picture
from vitcam.web.stream.variant import Demand, Variant

_READ_S, _LOOK_S = 1.0, 0.005
MAX_VARIANTS = 8
MAX_OF_ONE_ADDRESS = MAX_VARIANTS // 2


class TooManyVariantsError(VitcamError):
    """Every variant is drawn and encoded separately, so their number is limited."""


@dataclass(frozen=True, eq=False)
class OutgoingPicture:
    """A picture on its way to a client."""

    transport: asyncio.Transport

    def drop(self) -> None:
        """Close the connection, and forget what the kernel has not sent yet."""
        connection: socket.socket | None = self.transport.get_extra_info("socket")
        if connection is not None and not self.transport.is_closing():
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


class Preview:
    """Keeps a channel for every variant from its first viewer to its last.

    state    says why there is no picture
    default  the variant that is always allowed, however many others are watched
    """

    def __init__(
        self,
        state: Callable[[], State],
        slot: AsyncSlot[ClassifiedFrame],
        encoder: Encoder,
        demand: Demand,
        default: Current[Variant],
    ) -> None:
        self._state = state
        self._slot = slot
        self._encoder = encoder
        self._demand = demand
        self._default = default
        self._channels: dict[Variant, Channel] = {}
        self._sending: set[OutgoingPicture] = set()
        self._generation = 0  # of the masks

    @contextmanager
    def watch(self, variant: Variant, address: str) -> Iterator[Channel]:
        """The channel of a variant, which stays open while the context lasts. Raises TooManyVariantsError.

        address  of the viewer
        """
        self.check_limits(variant, address)
        channel = self._channels.get(variant)
        if channel is None:
            channel = Channel(variant, self._state, self._slot, self._encoder)
            self._channels[variant] = channel
        channel.viewers[address] += 1
        try:
            with self._demand.watching(variant):
                yield channel
        finally:
            channel.viewers[address] -= 1
            if not channel.viewers.total():
                channel.close()
                del self._channels[variant]

    @contextmanager
    def sending(self, transport: asyncio.Transport) -> Iterator[None]:
        """While the context lasts, a picture is on its way to a client."""
        picture = OutgoingPicture(transport)
        self._sending.add(picture)
        try:
            yield
        finally:
            self._sending.discard(picture)

    async def drop_pixels(self) -> None:
        """Masks were drawn: nobody gets a picture that was made before. Who does not read one is disconnected."""
        self._generation += 1
        for channel in self._channels.values():
            channel.drop_pixels()
        before = {*self._sending}
        ends_s = time.monotonic() + _READ_S
        while before & self._sending and time.monotonic() < ends_s:
            await asyncio.sleep(_LOOK_S)
        for picture in before & self._sending:
            picture.drop()

    def check_limits(self, variant: Variant, address: str) -> None:
        """Raise TooManyVariantsError if this viewer may not watch one more variant."""
        if variant == self._default.value or variant in self._channels:
            return
        others = [channel for known, channel in self._channels.items() if known != self._default.value]
        if sum(channel.viewers[address] > 0 for channel in others) >= MAX_OF_ONE_ADDRESS:
            raise TooManyVariantsError(
                f"your address watches {MAX_OF_ONE_ADDRESS} different pictures already; close one, or ask for the "
                "same overlay, head, opacity, width, quality and fps as another viewer"
            )
        if len(others) >= MAX_VARIANTS - 1:
            raise TooManyVariantsError(
                f"{len(others)} different pictures are being watched already; ask for the same overlay, head, opacity, "
                "width, quality and fps as another viewer, or for /stream without parameters, or try again later"
            )

    async def snapshot(self, variant: Variant, address: str, timeout_s: float) -> Picture:
        """A picture captured after this call; if there is none within `timeout_s`, the newest one."""
        asked_ns = time.monotonic_ns()
        with self.watch(variant, address) as channel:
            try:
                async with asyncio.timeout(timeout_s):
                    await self._frame_after(asked_ns, timeout_s, variant)
                    picture = await channel.next(0)
                    while picture.captured_ns < asked_ns:  # made for a stream from an older frame
                        picture = await channel.next(picture.number)
                    return picture
            except TimeoutError:
                return await channel.next(0)

    async def look(self, track: int, variant: Variant) -> Picture | None:
        """What the model saw of something that is followed, the last time that it looked; None: it is not followed."""
        while True:
            found = await self._slot.newer(0, 0.0)
            looks = found[1].looks if found else ()
            look = next((each for each in looks if each.track == track), None)
            if found is None or look is None or track not in found[1].seen:
                return None
            generation = self._generation
            jpeg = await self._encoder.encode_look(found[1].seen[track], look, variant)
            if generation == self._generation:
                return Picture(jpeg, look.captured_ns, look)

    async def _frame_after(self, captured_ns: int, timeout_s: float, variant: Variant) -> None:
        """Wait for a frame captured after that, so that a snapshot encodes one picture and not two.

        A rollout is computed only from now on, so the first frames may have none.
        """
        version = 0
        while True:
            found = await self._slot.newer(version, timeout_s)
            if found is not None:
                version, classified = found
                if classified.frame.captured_ns >= captured_ns and has_weights(classified, variant):
                    return
