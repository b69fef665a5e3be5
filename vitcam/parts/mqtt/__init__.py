"""MQTT: what the camera sees, how it is, and commands for it, by way of a broker."""

from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.state import MqttState
from vitcam.parts.mqtt.threads import THREADS
from vitcam.run.part import Part

PART = Part(
    "mqtt",
    sections={"mqtt": MqttSettings},
    state={"mqtt": MqttState},
    threads=THREADS,
    make="vitcam.parts.mqtt.make:make",
    checks="vitcam.parts.mqtt.checks:CHECKS",
    publish="vitcam.parts.mqtt.once:publish_alert",
    uninstalled="vitcam.parts.mqtt.uninstalled:clear_broker",
    called="vitcam.parts.mqtt.topics:name_of",
    extra="mqtt",
)
