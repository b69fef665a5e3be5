"""Takes back what a broker keeps of a camera, so that it is gone from Home Assistant, too."""

import asyncio
from collections.abc import Iterable

from vitcam.config.mqtt import MqttSettings
from vitcam.mqtt.broker import Broker, BrokerTrouble
from vitcam.mqtt.topics import Topics

_WITHIN_S = 20.0


def withdraw(settings: MqttSettings, announced: Iterable[str]) -> str:
    """Clear the retained messages of a camera that does not run any more; returns why that failed, "" if it did not.

    announced  topics of discovery messages
    """
    topics = Topics.of(settings)
    kept = (*announced, topics.status, topics.state, topics.snapshot)
    trouble = ""
    for version in ("5", "3.1.1") if settings.version == "auto" else (settings.version,):
        trouble = asyncio.run(_clear(Broker(settings, topics, probe=True), version, kept))
        if not trouble:
            break
    return trouble


async def _clear(broker: Broker, version: str, kept: Iterable[str]) -> str:
    try:
        async with asyncio.timeout(_WITHIN_S), broker.connected(version) as client:
            for topic in kept:
                await client.publish(topic, b"", 1, True)
    except TimeoutError:
        return f"the MQTT broker {broker.address} did not answer in time"
    except BrokerTrouble as trouble:
        return str(trouble)
    return ""
