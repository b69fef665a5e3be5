"""Publishes a few messages without a daemon: connects, sends, and ends."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from vitcam.config.mqtt import MqttSettings
from vitcam.mqtt.broker import Broker, BrokerTrouble, notice_refusals
from vitcam.mqtt.topics import Topics

_WITHIN_S = 20.0


@dataclass(frozen=True, slots=True)
class Message:
    """One to publish."""

    topic: str
    payload: bytes
    retain: bool


def publish_once(settings: MqttSettings, messages: Iterable[Message]) -> str:
    """Publish messages under another name than a daemon has; returns why that failed, "" if the broker has them."""
    broker, every = Broker(settings, Topics.of(settings), probe=True), tuple(messages)
    trouble = ""
    for version in ("5", "3.1.1") if settings.version == "auto" else (settings.version,):
        trouble = asyncio.run(_publish(broker, version, every))
        if not trouble:
            break
    return trouble


async def _publish(broker: Broker, version: str, messages: Iterable[Message]) -> str:
    refused: list[str] = []
    try:
        async with asyncio.timeout(_WITHIN_S), broker.connected(version) as client:
            notice_refusals(client, refused.append)
            for each in messages:
                await client.publish(each.topic, each.payload, 1, each.retain)
    except TimeoutError:
        return f"the MQTT broker {broker.address} did not answer in time"
    except BrokerTrouble as trouble:
        return str(trouble)
    return f"the MQTT broker {broker.address} refuses messages: {refused[0]}" if refused else ""
