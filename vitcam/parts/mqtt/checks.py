"""Whether the MQTT broker of the settings takes this camera, and what it wants to say."""

import time
from typing import TYPE_CHECKING

from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.parts.mqtt.broker import ANSWER_S, LET_WRITE, Broker, BrokerTrouble
from vitcam.parts.mqtt.dial import Dial
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.topics import Topics

if TYPE_CHECKING:
    from vitcam.parts.mqtt.connection import Connection

_ECHO_S = 1.0


def mqtt(context: CheckContext) -> CheckResult:
    """Connects as `vitcam run` would, under another name, so that a running daemon keeps its connection."""
    settings = context.settings[MqttSettings]
    if not settings.host:
        return CheckResult("ok", "no MQTT broker is set")
    topics = Topics.of(settings)
    broker = Broker(settings, topics, probe=True)
    try:
        connection = Dial(broker).connect_by_any_version()
        try:
            refused = _refused(broker, connection, settings)
        finally:
            connection.close(leave=True)
    except BrokerTrouble as trouble:
        found, _, fix = str(trouble).partition("; ")
        return CheckResult("fail", found, fix or "check mqtt.host and mqtt.port, and that the broker runs")
    if refused:
        found, _, fix = refused.partition("; ")
        return CheckResult("warn", found, fix)
    way = "encrypted" if settings.tls else "not encrypted"
    found = f"{broker.address} answers by MQTT {connection.version} ({way}); the topics begin with {topics.base}"
    return CheckResult("ok", f"{found}{connection.limits.words}")


def _refused(broker: Broker, connection: "Connection", settings: MqttSettings) -> str:
    """The first thing that the broker does not take, as a sentence with what to do; empty: it takes all.

    It is asked with a topic beside each real one, which nobody reads.
    """
    from vitcam.parts.mqtt.discovery import (  # imports NumPy, which the doctor may find broken
        Announced,
        discovery_topic,
    )

    topics = Topics.of(settings)
    if not connection.limits.retains:
        return broker.keeps_nothing
    real = [topics.state]
    if settings.discovery:
        real.append(discovery_topic(settings.discovery, Announced(topics.name, topics.base).device_id))
    for topic in real:
        beside = f"{topic.rpartition('/')[0]}/doctor"
        connection.answer_to(connection.ask_for((beside,)), ANSWER_S)
        reason = connection.answer_to(connection.send(beside, b"", retain=False), ANSWER_S)[0]
        if reason.is_failure:
            return broker.refusal(topic, f"refuses {topic}: {reason}", LET_WRITE)
        if connection.version != "5" and not _comes_back(connection, beside):
            why = f"confirms {topic} and passes nothing on from there (MQTT 3.1.1 cannot say more)"
            return broker.refusal(topic, why, LET_WRITE)
    return ""


def _comes_back(connection: "Connection", topic: str) -> bool:
    until_s = time.monotonic() + _ECHO_S
    while time.monotonic() < until_s:
        if any(message.topic == topic for message in connection.heard):
            return True
        connection.turn(0.1)
    return False


CHECKS = {"mqtt": mqtt}
