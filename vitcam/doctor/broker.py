"""Whether the MQTT broker of the settings takes this camera."""

import asyncio

from vitcam.config.mqtt import MqttSettings
from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.mqtt.broker import Broker, BrokerTrouble, OtherVersion
from vitcam.mqtt.topics import Topics


def mqtt(context: CheckContext) -> CheckResult:
    """Connects as `vitcam run` would, under another name, so that a running daemon keeps its connection."""
    settings = context.settings.mqtt
    if not settings.host:
        return CheckResult("ok", "no MQTT broker is set")
    topics = Topics.of(settings)
    broker = Broker(settings, topics, probe=True)
    try:
        version = asyncio.run(_try(broker, settings))
    except BrokerTrouble as trouble:
        found, _, fix = str(trouble).partition("; ")
        return CheckResult("fail", found, fix or "check mqtt.host and mqtt.port, and that the broker runs")
    way = "encrypted" if settings.tls else "not encrypted"
    return CheckResult("ok", f"{broker.address} answers by MQTT {version} ({way}); the topics begin with {topics.base}")


async def _try(broker: Broker, settings: MqttSettings) -> str:
    """The version that the broker speaks. Raises BrokerTrouble."""
    versions = ("5", "3.1.1") if settings.version == "auto" else (settings.version,)
    for version in versions:
        try:
            async with broker.connected(version):
                return version
        except OtherVersion:
            if version == versions[-1]:
                raise
    raise AssertionError("there is at least one version")
