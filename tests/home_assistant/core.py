"""A real Home Assistant core that reads one JSON object a line and answers each with one. It knows nothing of vitcam.

Run it with the Python of Home Assistant's own environment: `python core.py FOLDER`. `FOLDER/configuration.yaml` is what
it is configured by.
"""

import asyncio
import base64
import importlib
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import voluptuous
from homeassistant import bootstrap, core, runner
from homeassistant.auth.const import GROUP_ID_ADMIN
from homeassistant.components import camera
from homeassistant.components.automation.config import async_validate_config_item
from homeassistant.components.blueprint.models import Blueprint
from homeassistant.components.blueprint.schemas import BLUEPRINT_SCHEMA
from homeassistant.components.mqtt import discovery
from homeassistant.config_entries import ConfigEntryDisabler
from homeassistant.const import __version__
from homeassistant.helpers import device_registry, entity_registry
from homeassistant.util.yaml import load_yaml_dict

# no page, unless the configuration names it: few tests look at it
bootstrap.DEFAULT_INTEGRATIONS = {"automation", "network", "zone"}
bootstrap.CRITICAL_INTEGRATIONS = set()

Answer = dict[str, Any] | list[Any] | str | None


class Driver:
    """Each public method is a command; its arguments are the other keys of the object."""

    def __init__(self, hass: core.HomeAssistant) -> None:
        self._hass = hass

    async def schemas(self, payload: dict[str, Any]) -> dict[str, str]:
        """Key of each entity -> the platform whose schema took it, `taken back`, or what is wrong."""
        parsed = discovery._parse_device_payload(self._hass, json.dumps(payload), "test", None)
        if not parsed:
            return {"": "the message as a whole is refused; the log says why"}
        found = {}
        for key, component in parsed["components"].items():
            platform = component.pop("platform")
            if not component:
                found[key] = "taken back"
                continue
            config = discovery.MQTTDiscoveryPayload(component)
            config["device"], config["origin"] = parsed["device"], parsed["origin"]
            discovery._merge_common_device_options(config, parsed)
            schema = importlib.import_module(f"homeassistant.components.mqtt.{platform}").DISCOVERY_SCHEMA
            try:
                lost = set(config) - set(schema(config))  # a schema drops what it does not know
                found[key] = f"unknown: {sorted(lost)}" if lost else platform
            except voluptuous.Invalid as error:
                found[key] = str(error)
        return found

    async def add(self, integration: str, given: dict[str, Any], password: str = "") -> str:
        """Add an integration by its own dialog, as a person does.

        password  for a dialog that asks for it in a step of its own
        """
        flow = self._hass.config_entries.flow
        step = await flow.async_init(integration, context={"source": "user"})
        step = await flow.async_configure(step["flow_id"], given)
        if step["type"] == "form" and step["step_id"] == "password":
            step = await flow.async_configure(step["flow_id"], {"password": password})
        while step["type"] == "form" and not step["errors"]:  # asks whether the picture is right
            step = await flow.async_configure(step["flow_id"], {"confirmed_ok": True})
        await self._hass.async_block_till_done()
        return str(step.get("errors") or step["type"])

    async def enable(self, integration: str, enabled: bool) -> None:
        """Enable or disable all that was added of an integration."""
        disabled_by = None if enabled else ConfigEntryDisabler.USER
        for entry in self._hass.config_entries.async_entries(integration):
            await self._hass.config_entries.async_set_disabled_by(entry.entry_id, disabled_by)
        await self._hass.async_block_till_done()

    async def entities(self, platform: str = "mqtt") -> list[Any]:
        """Every entity of an integration, with its state."""
        registry = entity_registry.async_get(self._hass)
        return [self._described(each) for each in registry.entities.values() if each.platform == platform]

    def _described(self, entry: entity_registry.RegistryEntry) -> dict[str, Any]:
        state = self._hass.states.get(entry.entity_id)
        return {
            "id": entry.entity_id,
            "unique_id": entry.unique_id,
            "category": entry.entity_category,
            "state": state and state.state,
            "attributes": json.loads(json.dumps(dict(state.attributes), default=str)) if state else {},
        }

    async def states(self, domain: str) -> dict[str, Any]:
        """Entity -> state and attributes, of everything of a domain, also what no integration registers."""
        states = self._hass.states.async_all(domain)
        found = {state.entity_id: {"state": state.state, "attributes": dict(state.attributes)} for state in states}
        return json.loads(json.dumps(found, default=str))  # type: ignore[no-any-return]

    async def devices(self) -> list[Any]:
        """Every device, as the page shows it."""
        registry = device_registry.async_get(self._hass)
        return [
            {
                "name": each.name,
                "manufacturer": each.manufacturer,
                "model": each.model,
                "sw_version": each.sw_version,
                "page": each.configuration_url,
            }
            for each in registry.devices.values()
        ]

    async def call(self, domain: str, service: str, given: dict[str, Any]) -> None:
        """Call a service, as a button of the page does."""
        await self._hass.services.async_call(domain, service, given, blocking=True)

    async def sign_in(self, url: str) -> dict[str, Any]:
        """What the page at this address keeps of somebody who has signed in: here an owner, who is made."""
        user = await self._hass.auth.async_create_user("Ada", group_ids=[GROUP_ID_ADMIN])
        refresh = await self._hass.auth.async_create_refresh_token(user, client_id=f"{url}/")
        return {
            "hassUrl": url,
            "clientId": f"{url}/",
            "access_token": self._hass.auth.async_create_access_token(refresh),
            "refresh_token": refresh.token,
            "token_type": "Bearer",
            "expires_in": 1800,
            "expires": 1000 * (time.time() + 1800),
        }

    async def image(self, entity: str) -> dict[str, str]:
        """The picture of a camera."""
        found = await camera.async_get_image(self._hass, entity, timeout=20)
        return {"type": found.content_type, "base64": base64.b64encode(found.content).decode()}

    async def blueprint(self, file: str, inputs: dict[str, Any]) -> dict[str, Any]:
        """Read a blueprint for automations, and check what becomes of it with these inputs."""
        text = await self._hass.async_add_executor_job(load_yaml_dict, file)
        found = Blueprint(text, path=file, expected_domain="automation", schema=BLUEPRINT_SCHEMA)
        used = {"use_blueprint": {"path": f"vitcam/{Path(file).name}", "input": inputs}}
        config = await async_validate_config_item(self._hass, "test", {"id": "test", "alias": "test", **used})
        problem = "it cannot be used" if config is None else config.validation_error
        return {"name": found.name, "inputs": sorted(found.inputs), "problem": problem and str(problem)}


async def _main(folder: str) -> None:
    hass = await bootstrap.async_setup_hass(runner.RuntimeConfig(folder, skip_pip=True))
    assert hass is not None, "the log says why"
    await hass.async_start()
    _say({"version": __version__})
    driver, loop = Driver(hass), asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        command = json.loads(line)
        method: Callable[..., Awaitable[Answer]] = getattr(driver, command.pop("do"))
        try:
            _say({"answer": await method(**command)})
        except Exception as error:  # noqa: BLE001 - whatever a command does is told to the test
            _say({"error": f"{type(error).__name__}: {error}"})
    await hass.async_stop()


def _say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1]))
