"""A camera whose network is gone, and comes back."""

import signal
from pathlib import Path

import pytest_socket
from homeassistant.core import HomeAssistant

from tests.home_assistant.cable import HERE, THERE, cable
from tests.home_assistant.component.conftest import LIMIT_S, PYTHON, add_by_hand, camera, port_of, states_of, until


async def test_a_camera_whose_cable_is_pulled_is_away_soon_and_back_soon(hass: HomeAssistant, tmp_path: Path) -> None:
    pytest_socket.socket_allow_hosts([HERE, THERE, "127.0.0.1"])
    with cable(tmp_path) as lan:
        python = lan.program(PYTHON)
        with camera(tmp_path, python=python, host=THERE) as first:
            entry = await add_by_hand(hass, first)

            lan.pull()
            await until(lambda: set(states_of(hass, entry).values()) == {"unavailable"}, LIMIT_S)
            lan.plug_in()
            await until(lambda: states_of(hass, entry)["switch.kitchen_paused"] == "off", LIMIT_S)

            first.end(signal.SIGKILL)  # its power is gone
            lan.pull()
            await until(lambda: set(states_of(hass, entry).values()) == {"unavailable"}, LIMIT_S)
        lan.plug_in()
        with camera(tmp_path, python=python, host=THERE, port=port_of(first)):
            await until(lambda: states_of(hass, entry)["switch.kitchen_paused"] == "off", LIMIT_S)
        await hass.config_entries.async_remove(entry.entry_id)
