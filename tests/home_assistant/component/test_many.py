"""Twenty cameras. One of them is real; the others give its answers, each with an id of its own."""

import asyncio
from pathlib import Path

from homeassistant.core import HomeAssistant

from tests.home_assistant.component.conftest import LIMIT_S, camera, states_of, until
from tests.home_assistant.component.copies import Copies, entry_of

COUNT = 20


async def test_each_of_twenty_cameras_has_one_connection_and_is_asked_for_nothing_else(
    hass: HomeAssistant, tmp_path: Path
) -> None:
    with camera(tmp_path, password="") as real:
        copies = Copies.of(real)
    async with copies.serving(COUNT) as ports:
        entries = [entry_of(hass, number, port) for number, port in enumerate(ports)]
        await asyncio.gather(*(hass.config_entries.async_setup(entry.entry_id) for entry in entries))
        await hass.async_block_till_done()
        assert all(len(states_of(hass, entry)) == 10 for entry in entries)

        asked = len(copies.asked)
        await asyncio.sleep(LIMIT_S)  # nothing is to happen
        assert len(copies.asked) == asked
        assert all(entry.runtime_data.connected for entry in entries)
    await until(lambda: not any(entry.runtime_data.connected for entry in entries), LIMIT_S)
    await asyncio.gather(*(hass.config_entries.async_unload(entry.entry_id) for entry in entries))
