"""What Home Assistant is told, so that a camera appears there by itself: one device, with every entity in one message.

source  https://www.home-assistant.io/integrations/mqtt/#discovery-messages-device, since 2024.11
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vitcam._version import __version__
from vitcam.config.identity import device_id
from vitcam.look.watched import Presence
from vitcam.parts.mqtt.topics import COMMANDS
from vitcam.run.entity import Entity

MOST_CHOICES = 100
MOST_ENTITIES = 256
"""Of one message, with those that it takes back."""
_CONFIG, _DIAGNOSTIC = "config", "diagnostic"
_EVENT_TYPES = {"new": "appeared", "update": "changed", "end": "gone"}

Component = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Announced:
    """What is announced of a camera."""

    name: str
    """The last part of its topics, and what people call it."""
    base: str
    """Its topics begin so, such as `vitcam/door`."""
    watched: tuple[Presence, ...] = ()
    commands: frozenset[str] = frozenset(COMMANDS)
    """What it does when it is asked."""
    models: tuple[str, ...] = ()
    """Those that may be chosen, with the one in use; fewer than two: nothing is to be chosen."""
    overlays: tuple[str, ...] = ()
    offered: tuple[Entity, ...] = ()
    """What parts of the run have to show."""
    page: str = ""
    """Address of the page for people; empty: only this machine can open it, or nobody knows."""
    board: str = ""
    """What it runs on, such as `Raspberry Pi 5 Model B Rev 1.0`; empty on a PC."""

    @property
    def device_id(self) -> str:
        """What tells it from all other devices."""
        return device_id(self.name)


def discovery_topic(prefix: str, device_id: str) -> str:
    """Where Home Assistant looks for the message."""
    return f"{prefix}/device/{device_id}/config"


def birth_topic(prefix: str) -> str:
    """Where Home Assistant says `online` once it is up."""
    return f"{prefix}/status"


def discovery_payload(camera: Announced) -> dict[str, Any]:
    """The message as it is retained."""
    device = {
        "identifiers": [camera.device_id],
        "name": camera.name,
        "manufacturer": "vitcam",
        "model": camera.board or "Camera",
        "sw_version": __version__,
    }
    if camera.page:
        device["configuration_url"] = camera.page
    components = _picture(camera) | _presences(camera) | _figures(camera) | _controls(camera)
    for key, component in components.items():
        component["unique_id"] = f"{camera.device_id}_{key}"
    return {
        "device": device,
        "origin": {"name": "vitcam", "sw_version": __version__},
        "availability": [{"topic": f"{camera.base}/status"}],
        "qos": 1,
        "components": components,
    }


def with_tombstones(payload: dict[str, Any], before: Mapping[str, str]) -> dict[str, Any]:
    """The message that also takes back what is gone. It may stay: what is taken back twice is gone once.

    before  key -> platform of the entities, also of those that were taken back earlier
    """
    kept = payload["components"]
    gone = {key: {"platform": each} for key, each in before.items() if key not in kept}
    room = max(0, MOST_ENTITIES - len(kept))
    return {**payload, "components": {**kept, **dict([*gone.items()][-room:] if room else [])}}


def platforms(payload: Mapping[str, Any]) -> dict[str, str]:
    """Key -> platform of each entity of a message."""
    return {key: component["platform"] for key, component in payload["components"].items()}


def _picture(camera: Announced) -> dict[str, Component]:
    """What is seen, and how sure that is."""
    state = f"{camera.base}/state"
    return {
        "camera": {"platform": "camera", "name": None, "topic": f"{camera.base}/snapshot"},
        "shown": {
            "platform": "sensor",
            "name": "Seen",
            "icon": "mdi:eye",
            "state_topic": state,
            "value_template": "{{ ((value_json.shown or {}).get('kind') or 'nothing')[:255] }}",
            **_while_it_sees(camera),
        },
        "certainty": {
            "platform": "sensor",
            "name": "Certainty",
            "icon": "mdi:percent-circle",
            "state_topic": state,
            "value_template": _CERTAINTY,
            "unit_of_measurement": "%",
            "state_class": "measurement",
            "suggested_display_precision": 0,
            **_while_it_sees(camera),
        },
        "event": {
            "platform": "event",
            "name": "Sighting",
            "icon": "mdi:cctv",
            "state_topic": f"{camera.base}/event",
            "event_types": [*_EVENT_TYPES.values()],
            "value_template": _EVENT,
        },
    }


_CERTAINTY = "{{ (100 * value_json.shown.p) | round if (value_json.shown or {}).get('label') else 0 }}"
_EVENT = (
    f"{{% set types = {json.dumps(_EVENT_TYPES)} %}}"
    "{{ {'event_type': types[value_json.phase], 'id': value_json.id, 'kind': value_json.kind, "
    "'label': value_json.shown.label or value_json.label, 'name': value_json.shown.kind or value_json.label, "
    "'certainty': (100 * value_json.shown.p) | round(1), "
    "'zone': value_json.zone, 'start': value_json.start, 'end': value_json.end} | tojson }}"
)
"""What an automation needs of an event of `/event`, flat."""


def _presences(camera: Announced) -> dict[str, Component]:
    return {each.key: _presence(camera, each) for each in camera.watched}


def _presence(camera: Announced, watched: Presence) -> Component:
    return {
        "platform": "binary_sensor",
        "name": watched.name,
        "device_class": "occupancy",
        "state_topic": f"{camera.base}/state",
        "value_template": f"{{{{ 'ON' if value_json.presence['{watched.key}'] else 'OFF' }}}}",
        **_while_it_sees(camera),
    }


def _while_it_sees(camera: Announced) -> Component:
    """Without a picture nobody knows what is there."""
    sees = "{{ 'online' if value_json.status in ('ok', 'degraded') else 'offline' }}"
    topics = [{"topic": f"{camera.base}/status"}, {"topic": f"{camera.base}/state", "value_template": sees}]
    return {"availability": topics, "availability_mode": "all"}


def _figures(camera: Announced) -> dict[str, Component]:
    state = f"{camera.base}/state"
    found: dict[str, Component] = {
        "fps": {
            "platform": "sensor",
            "name": "Frame rate",
            "icon": "mdi:speedometer",
            "state_topic": state,
            "value_template": "{{ value_json.fps.classified | round(1) }}",
            "unit_of_measurement": "fps",
            "state_class": "measurement",
            "suggested_display_precision": 1,
            "entity_category": _DIAGNOSTIC,
        },
        "problem": {
            "platform": "binary_sensor",
            "name": "Problem",
            "device_class": "problem",
            "state_topic": state,
            "value_template": "{{ 'ON' if value_json.status != 'ok' or value_json.problem else 'OFF' }}",
            "json_attributes_topic": state,
            "json_attributes_template": "{{ {'reason': value_json.problem or value_json.reason} | tojson }}",
            "entity_category": _DIAGNOSTIC,
        },
    }
    for each in camera.offered:
        found[each.key] = {
            "platform": each.platform,
            "name": each.name,
            "state_topic": state,
            "value_template": f"{{{{ value_json.{each.shows} }}}}",
            **each.more,
            "entity_category": _DIAGNOSTIC,
        }
    return found


def _controls(camera: Announced) -> dict[str, Component]:
    """Commands, where the camera takes them."""
    state, commands = f"{camera.base}/state", f"{camera.base}/set"
    all_of_them: dict[str, Component] = {
        "pause": {
            "platform": "switch",
            "name": "Paused",
            "icon": "mdi:pause-circle",
            "state_topic": state,
            "value_template": "{{ 'ON' if value_json.controls.paused else 'OFF' }}",
        },
        "snapshot": {"platform": "button", "name": "Take picture", "icon": "mdi:camera"},
        "threshold": {
            "platform": "number",
            "name": "Threshold",
            "icon": "mdi:tune-variant",
            "command_template": "{{ value / 100 }}",
            "state_topic": state,
            "value_template": "{{ (100 * value_json.controls.threshold) | round }}",
            "unit_of_measurement": "%",
            "min": 0,
            "max": 100,
            "step": 1,
            "mode": "slider",
            "entity_category": _CONFIG,
        },
    }
    for key, name, icon, options in (
        ("model", "Model", "mdi:brain", camera.models),
        ("overlay", "Overlay", "mdi:layers", camera.overlays),
    ):
        if len(options) > 1:
            all_of_them[key] = {
                "platform": "select",
                "name": name,
                "icon": icon,
                "state_topic": state,
                "value_template": f"{{{{ value_json.controls.{key} }}}}",
                "options": _choices(options),
                "entity_category": _CONFIG,
            }
    return {
        key: {**component, "command_topic": f"{commands}/{key}"}
        for key, component in all_of_them.items()
        if key in camera.commands
    }


def _choices(names: Iterable[str]) -> list[str]:
    return [*dict.fromkeys(names)][:MOST_CHOICES]
