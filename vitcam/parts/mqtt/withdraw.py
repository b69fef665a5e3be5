"""Takes back what a broker keeps of a camera, so that it is gone from Home Assistant, too."""

from collections.abc import Iterable

from vitcam.parts.mqtt.once import Message, publish_once
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.topics import Topics


def withdraw(settings: MqttSettings, announced: Iterable[str]) -> str:
    """Clear the retained messages of a camera that does not run any more; returns why that failed, "" if it did not.

    announced  topics of discovery messages
    """
    topics = Topics.of(settings)
    kept = (*announced, topics.status, topics.state, topics.snapshot)
    return publish_once(settings, (Message(topic, b"", retain=True) for topic in kept))
