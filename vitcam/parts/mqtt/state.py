"""What the connection to the broker says of itself."""

from collections.abc import Iterator
from dataclasses import dataclass

from vitcam.run.figures import Figure


@dataclass(frozen=True, slots=True)
class MqttState:
    """The connection to the MQTT broker."""

    enabled: bool = False
    connected: bool = False
    broker: str = ""
    """Host and port."""
    waiting: int = 0
    """Events that the broker has not confirmed yet."""
    given_up: int = 0
    """Events that were too old or too many, since the start."""
    trouble: str = ""
    """Why there is no connection, or what the broker does not take, as one sentence; empty: all is well."""


def figures_of(state: MqttState) -> Iterator[Figure]:
    """The same for who collects numbers."""
    yield Figure.of("vitcam_mqtt_connected", "1: the broker is reached.", state.connected)
    yield Figure.of("vitcam_mqtt_waiting", "Events not confirmed by the broker.", state.waiting)
    yield Figure.of("vitcam_mqtt_given_up", "Events that were too old or too many.", state.given_up, counts=True)
