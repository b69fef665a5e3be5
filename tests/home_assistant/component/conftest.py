"""A camera, and what waits for it. `make test-home-assistant` runs these tests; elsewhere none is collected."""

import asyncio
import ssl
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from tests.daemon import Daemon, daemon
from tests.eventually import eventually

if find_spec("pytest_homeassistant_custom_component") is None:
    collect_ignore_glob = ["*.py"]
else:
    import custom_components.vitcam  # noqa: F401 - before Home Assistant looks in the folder of its tests
    import pytest_socket
    from homeassistant.config_entries import ConfigEntry
    from homeassistant.core import HomeAssistant
    from homeassistant.helpers import entity_registry as er
    from homeassistant.helpers.service_info.zeroconf import ZeroconfServiceInfo

PYTHON = str(Path(__file__).parents[3] / ".venv" / "bin" / "python")
PASSWORD = "correct horse battery"
LIMIT_S = 6.0
"""Within so many seconds a camera is known to be away, or to be there again."""


@pytest.fixture(autouse=True)
def _with_integration_and_sockets(enable_custom_integrations: None, socket_enabled: None) -> None:
    """Ours is found, and may connect."""


@contextmanager
def camera(
    folder: Path,
    *options: str,
    password: str = PASSWORD,
    host: str = "127.0.0.1",
    port: int = 0,
    python: str = PYTHON,
    **environment: str,
) -> Iterator[Daemon]:
    """A real camera, called kitchen, that plays the demo.

    password  empty: everybody may do everything
    host      where it is reached
    port      0: a free one
    python    starts it, such as in a network of its own
    """
    pytest_socket.enable_socket()  # a fixture of a module comes before `socket_enabled`
    access = ("--host", "0.0.0.0") if password else ()
    variables = {"XDG_STATE_HOME": str(folder), "VITCAM_MQTT_NAME": "kitchen", **environment}
    if password:
        variables["VITCAM_WEB_PASSWORD"] = password
    options = (*options, "--port", str(port)) if port else options
    with daemon("--source", "demo", "--loop", *access, *options, python=python, **variables) as running:
        scheme = "https" if "VITCAM_WEB_CERTIFICATE" in environment else "http"
        running.url = f"{scheme}://{host}:{port or port_of(running)}"
        assert eventually(lambda: _is_ready(running), 60, every_s=0.1), running.errors()
        yield running


def _is_ready(running: Daemon) -> bool:
    certificate_of_the_test = ssl._create_unverified_context()
    with suppress(OSError), urllib.request.urlopen(f"{running.url}/readyz", context=certificate_of_the_test):
        return True
    return False


async def until(condition: Callable[[], Any], within_s: float = 30.0) -> Any:
    """What it gives, once that is true. Raises AssertionError after `within_s`."""
    end = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < end, "it did not happen"
        await asyncio.sleep(0.05)
    return found


def port_of(running: Daemon) -> int:
    return int(running.url.rpartition(":")[2])


def announced(camera_id: str, serial: str, port: int, **more: str) -> "ZeroconfServiceInfo":
    """What Avahi tells of a camera of this machine."""
    return ZeroconfServiceInfo(
        ip_address=ip_address("127.0.0.1"),
        ip_addresses=[ip_address("127.0.0.1")],
        hostname="vitcam.local.",
        name="vitcam on pi._vitcam._tcp.local.",
        port=port,
        type="_vitcam._tcp.local.",
        properties={"id": camera_id, "serial": serial, "name": "kitchen", "tls": "0", "path": "/", **more},
    )


async def add_by_hand(hass: "HomeAssistant", running: Daemon, password: str = PASSWORD) -> "ConfigEntry[Any]":
    """Add a camera as a person does."""
    flows = hass.config_entries.flow
    step = await flows.async_init("vitcam", context={"source": "user"})
    step = await flows.async_configure(step["flow_id"], {"url": running.url, "verify_ssl": True})
    if password:
        assert step["step_id"] == "password", step
        step = await flows.async_configure(step["flow_id"], {"password": password})
    assert step["type"] == "create_entry", step
    await hass.async_block_till_done()
    [entry] = hass.config_entries.async_entries("vitcam")
    return entry


def states_of(hass: "HomeAssistant", entry: "ConfigEntry[Any]") -> dict[str, str]:
    """Entity -> state, of a camera."""
    entities = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
    found = {each.entity_id: hass.states.get(each.entity_id) for each in entities}
    return {entity: state.state for entity, state in found.items() if state}
