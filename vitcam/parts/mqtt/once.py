"""Publishes a few messages without a daemon: connects, sends, and ends."""

from collections.abc import Iterable
from dataclasses import dataclass

from vitcam.config.settings import Settings
from vitcam.errors import VitcamError
from vitcam.parts.mqtt.broker import ANSWER_S, LET_WRITE, Broker, BrokerTrouble
from vitcam.parts.mqtt.dial import Dial
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.topics import Topics


@dataclass(frozen=True, slots=True)
class Message:
    """One to publish."""

    topic: str
    payload: bytes
    retain: bool


def publish_once(settings: MqttSettings, messages: Iterable[Message]) -> str:
    """Publish messages under another name than a daemon has; returns why that failed, "" if the broker has them."""
    broker, refused = Broker(settings, Topics.of(settings), probe=True), ""
    try:
        connection = Dial(broker).connect_by_any_version()
        for each in messages:
            number = connection.send(each.topic, each.payload, each.retain)
            reason = connection.answer_to(number, ANSWER_S)[0]
            if reason.is_failure and not refused:
                refused = broker.refusal(each.topic, f"refuses {each.topic}: {reason}", LET_WRITE)
        connection.close(leave=True)
    except BrokerTrouble as trouble:
        return str(trouble)
    return refused


def publish_alert(settings: Settings, text: str) -> str:
    """Publish a text where alerts go; returns where that is, as a sentence, empty: the settings name no broker.

    raises  VitcamError where the broker does not have it
    """
    mqtt = settings[MqttSettings]
    if not mqtt.host:
        return ""
    topic = Topics.of(mqtt).alert
    if trouble := publish_once(mqtt, [Message(topic, text.encode(), retain=False)]):
        raise VitcamError(trouble)
    return f"the broker has it, on {topic}"
