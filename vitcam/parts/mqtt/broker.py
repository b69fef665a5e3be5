"""How a broker is reached, and why it is not, as a sentence."""

import ssl
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from vitcam.errors import VitcamError
from vitcam.parts.mqtt.settings import MqttSettings
from vitcam.parts.mqtt.topics import Topics

if TYPE_CHECKING:
    from paho.mqtt.reasoncodes import ReasonCode

    from vitcam.parts.mqtt.connection import Connection

MISSING = "MQTT needs paho-mqtt; install it with: pip install 'vitcam[mqtt]'"
ANSWER_S = 10.0
LET_WRITE, LET_READ, RAISE = "let its user write to {}", "let its user read {}", "raise its limit"

# reasons of MQTT 5, https://docs.oasis-open.org/mqtt/mqtt/v5.0/os/mqtt-v5.0-os.html#_Toc3901031
OTHER_VERSION, BAD_CLIENT_ID, NOT_AUTHORIZED, SHUTTING_DOWN, TAKEN_OVER = 132, 133, 135, 139, 142
TOO_LARGE, BAD_PAYLOAD, NO_RETAIN, NO_QOS = 149, 153, 154, 155
_OF_THE_USER = (134, NOT_AUTHORIZED, 138, 140)


class BrokerTrouble(VitcamError):
    """Why there is no connection, or why it ended."""

    def __init__(self, sentence: str, reason: int = 0) -> None:
        super().__init__(sentence)
        self.reason = reason
        """By which the broker ended it; 0: it gave none."""


class OtherVersion(BrokerTrouble):
    """The broker may know another version of the protocol."""


class SentTooMuch(BrokerTrouble):
    """The broker sent a message that is not read."""


class Broker:
    """Makes connections to the broker of the settings.

    probe  only to see whether it answers: under another name, and without a last will
    """

    def __init__(self, settings: MqttSettings, topics: Topics, probe: bool = False) -> None:
        self.settings = settings
        self.topics = topics
        self.has_will = not probe
        self.client_id = topics.base.replace("/", "-") + ("-doctor" if probe else "")
        self.port = settings.port or (8883 if settings.tls else 1883)
        self.address = f"[{settings.host}]:{self.port}" if ":" in settings.host else f"{settings.host}:{self.port}"
        """For people."""
        self._versions = deque(("5", "3.1.1") if settings.version == "auto" else (settings.version,))
        self.plain_will = False
        """Whether it takes no last will at QoS 1 that it would have to retain."""

    def connect(self) -> "Connection":
        """Raises BrokerTrouble; where another version of the protocol may help, the next call tries it."""
        self.plain_will = False
        try:
            return self._opened()
        except BrokerTrouble as trouble:
            if self.has_will and (trouble.reason in (NO_RETAIN, NO_QOS) or self._is_silent(trouble)):
                self.plain_will = True
                with suppress(BrokerTrouble):
                    return self._opened()
            if isinstance(trouble, OtherVersion):
                self._versions.rotate(-1)
            raise

    def _is_silent(self, trouble: BrokerTrouble) -> bool:
        """Whether it closed a connection by MQTT 3.1.1, which has no words for what it does not take."""
        return self._versions[0] == "3.1.1" and str(trouble) == self._closed

    def _opened(self) -> "Connection":
        try:
            from vitcam.parts.mqtt.connection import Connection
        except ImportError as error:  # it is not there, or as old as Debian's
            raise BrokerTrouble(MISSING) from error
        connection = Connection(self, self._versions[0])
        try:
            connection.open(ANSWER_S)
        except BrokerTrouble:
            connection.close(leave=False)
            raise
        return connection

    def connect_by_any_version(self) -> "Connection":
        """Raises BrokerTrouble where none of them helps."""
        for _ in range(len(self._versions) - 1):
            with suppress(OtherVersion):
                return self.connect()
        return self.connect()

    @property
    def _closed(self) -> str:
        return f"the MQTT broker {self.address} closed the connection and gave no reason"

    @property
    def keeps_nothing(self) -> str:
        """What is said of a broker without retained messages."""
        late = "so Home Assistant sees this camera only from its next message on"
        return f"the MQTT broker {self.address} keeps no messages, {late}; let it retain messages"

    def refusal(self, topic: str, why: str, to: str) -> str:
        """That it does not take one topic, with what to do.

        to  what its owner should do; `{}` in it stands for the topics
        """
        base, off = self.topics.base, ""
        own = topic.startswith(f"{base}/")
        if topic == self.topics.snapshot:
            off = ", or set mqtt.snapshots = false"
        elif topic.startswith(f"{base}/set/"):
            off = ", or set mqtt.commands = false"
        elif not own:
            off = ', or set mqtt.discovery = ""'
        return f"the MQTT broker {self.address} {why}; {to.format(f'{base}/#' if own else topic)}{off}"

    def trouble(self, fault: Exception | None, reason: "ReasonCode | None", taken: bool) -> BrokerTrouble:
        """Why connecting failed, or a connection ended.

        fault   of the network, or of what the broker sent
        reason  what the broker said
        taken   whether it had taken the connection
        """
        from vitcam.parts.mqtt.connection import TooLarge

        at, kind = f"the MQTT broker {self.address}", BrokerTrouble if taken else OtherVersion
        if reason is not None:
            return self._said(at, reason, taken)
        if isinstance(fault, TooLarge):
            who = f"find out who sends to {self.topics.base}/set/#"
            return SentTooMuch(f"{at} sent {fault}, so the connection was closed; {who}")
        if isinstance(fault, ssl.SSLCertVerificationError):
            why = f"the certificate of {self.address} cannot be trusted: {fault.verify_message}"
            return BrokerTrouble(f"{why}; mqtt.authority names the certificate that signed it")
        if isinstance(fault, ssl.SSLError):
            why = (fault.reason or str(fault)).replace("_", " ").lower()
            return BrokerTrouble(f"{at} refuses the encrypted connection: {why}; check mqtt.certificate and mqtt.key")
        if isinstance(fault, TimeoutError):
            return kind(f"{at} did not answer in time")
        if isinstance(fault, OSError) and not taken:
            return BrokerTrouble(f"{at} cannot be reached: {fault.strerror or fault}")
        if fault is not None and not isinstance(fault, OSError):
            return kind(f"{at} sent what is not MQTT")
        return kind(self._closed)

    def _said(self, at: str, reason: "ReasonCode", taken: bool) -> BrokerTrouble:
        code, words = reason.value, reason.getName()
        if code == OTHER_VERSION:
            return OtherVersion(f"{at} does not know this version of MQTT; set mqtt.version", code)
        if code in _OF_THE_USER and not taken:
            return BrokerTrouble(f"{at} refuses this user: {words}; check mqtt.user and mqtt.password", code)
        if code == TAKEN_OVER:
            why = f"another client has connected to {self.address} as {self.client_id}"
            return BrokerTrouble(f"{why}; give each camera its own mqtt.name", code)
        if code == BAD_CLIENT_ID:
            return BrokerTrouble(f"{at} refuses the name {self.client_id}: {words}; set mqtt.name", code)
        return BrokerTrouble(f"{at} {'closed' if taken else 'refuses'} the connection: {words}", code)

    def tls(self) -> ssl.SSLContext:
        """What the encrypted connection is checked by. Raises BrokerTrouble for files that cannot be used."""
        settings = self.settings
        try:
            context = ssl.create_default_context(cafile=settings.authority or None)
        except (OSError, ValueError) as error:
            raise BrokerTrouble(f"mqtt.authority {settings.authority} cannot be used: {_reason(error)}") from error
        if settings.certificate:
            try:
                # a key with a passphrase would ask on the terminal
                context.load_cert_chain(settings.certificate, settings.key or None, password=lambda: b"")
            except (OSError, ValueError) as error:
                files = " with ".join(filter(None, (settings.certificate, settings.key)))
                raise BrokerTrouble(f"mqtt.certificate {files} cannot be used: {_reason(error)}") from error
        return context


def _reason(error: Exception) -> str:
    if isinstance(error, ssl.SSLError):
        return "it is not a PEM file of that kind" if not error.reason else error.reason.replace("_", " ").lower()
    return (isinstance(error, OSError) and error.strerror) or str(error)
