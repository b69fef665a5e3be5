"""Makes connections to a broker: by the version of MQTT that it knows, and with a last will that it takes."""

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from vitcam.parts.mqtt.broker import ANSWER_S, NO_QOS, NO_RETAIN, Broker, BrokerTrouble, OtherVersion

if TYPE_CHECKING:
    from vitcam.parts.mqtt.connection import Connection

MISSING = "MQTT needs paho-mqtt; install it with: pip install 'vitcam[mqtt]'"


class Dial:
    """Knows by which version of the protocol the last connection came about."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        version = broker.settings.version
        self._versions = deque(("5", "3.1.1") if version == "auto" else (version,))

    def connect(self) -> "Connection":
        """Raises BrokerTrouble; where another version of the protocol may help, the next call tries it."""
        self._broker.plain_will = False
        try:
            return self._opened()
        except BrokerTrouble as trouble:
            if self._broker.has_will and (trouble.reason in (NO_RETAIN, NO_QOS) or self._is_silent(trouble)):
                self._broker.plain_will = True
                with suppress(BrokerTrouble):
                    return self._opened()
            if isinstance(trouble, OtherVersion):
                self._versions.rotate(-1)
            raise

    def connect_by_any_version(self) -> "Connection":
        """Raises BrokerTrouble where none of them helps."""
        for _ in range(len(self._versions) - 1):
            with suppress(OtherVersion):
                return self.connect()
        return self.connect()

    def _is_silent(self, trouble: BrokerTrouble) -> bool:
        """Whether it closed a connection by MQTT 3.1.1, which has no words for what it does not take."""
        return self._versions[0] == "3.1.1" and str(trouble) == self._broker.closed

    def _opened(self) -> "Connection":
        try:
            from vitcam.parts.mqtt.connection import Connection
        except ImportError as error:  # it is not there, or as old as Debian's
            raise BrokerTrouble(MISSING) from error
        connection = Connection(self._broker, self._versions[0])
        try:
            connection.open(ANSWER_S)
        except BrokerTrouble:
            connection.close(leave=False)
            raise
        return connection
