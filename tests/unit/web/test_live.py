"""The event loop waits for values that threads put."""

import asyncio

import pytest

from vitcam.slot import Slot
from vitcam.web.async_slot import AsyncSlot


@pytest.mark.timeout(20)
def test_the_event_loop_goes_on_while_a_viewer_waits_for_a_picture_that_was_cleared() -> None:
    slot: Slot[str] = Slot()
    slot.put("unmasked")
    slot.clear()

    async def watch() -> tuple[tuple[int, str] | None, tuple[int, str] | None]:
        waiting = AsyncSlot(slot)
        nothing = await waiting.newer(0, timeout_s=0.05)
        asyncio.get_running_loop().call_later(0.05, slot.put, "masked")
        return nothing, await waiting.newer(0, timeout_s=10)

    assert asyncio.run(watch()) == (None, (2, "masked"))
